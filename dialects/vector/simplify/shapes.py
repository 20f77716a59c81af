"""broadcast, shape_cast, transpose, strided slices, bitcasts and reductions of vectors."""

from __future__ import annotations

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr, VectorType, i64
from xdsl.ir import Attribute, Operation

from lamina.dialects.core.folding import defining_op
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern
from lamina.dialects.vector.simplify.common import is_scalable, numbers, shape_of, splat_source


@fold("vector.broadcast")
def fold_broadcast(op: Operation) -> Folded:
    """A broadcast to the same type; of another broadcast."""
    source = op.operands[0]
    if source.type == op.results[0].type:
        return source
    inner = defining_op(source, "vector.broadcast")
    if inner is not None:
        op.operands[0] = inner.operands[0]
        return True
    return None


@fold("vector.shape_cast")
def fold_shape_cast(op: Operation) -> Folded:
    """A cast to the same type; of another cast."""
    source = op.operands[0]
    type = op.results[0].type
    if source.type == type:
        return source
    inner = defining_op(source, "vector.shape_cast")
    if inner is not None:
        if inner.operands[0].type == type:
            return inner.operands[0]
        op.operands[0] = inner.operands[0]
        return True
    return None


@pattern("vector.shape_cast")
def cast_of_broadcast(op: Operation, rewriter: Rewriter) -> bool:
    """A broadcast that only adds dimensions in front, or of size 1, and is cast: one of the two is enough."""
    source, type = op.operands[0], op.results[0].type
    inner = defining_op(source, "vector.broadcast")
    if inner is not None:
        start = inner.operands[0]
        if not isinstance(start.type, VectorType):
            return rewriter.replace_with(op, "vector.broadcast", [start])
        if start.type == type:
            return rewriter.replace(op, start)
        size, final = _size(start.type), _size(type)
        if size == final and not is_scalable(type):
            return rewriter.replace_with(op, "vector.shape_cast", [start])
        if can_broadcast(start.type, type) and _only_in_front(start.type, source.type):
            return rewriter.replace_with(op, "vector.broadcast", [start])
        return False
    inner = defining_op(source, "vector.transpose")
    if inner is not None and _keeps_order(shape_of(inner.operands[0].type), numbers(inner, "permutation")):
        if is_scalable(inner.operands[0].type) and inner.operands[0].type != type:
            return rewriter.replace_with(op, "vector.shape_cast", inner.operands)
        if inner.operands[0].type == type:
            return rewriter.replace(op, inner.operands[0])
        return rewriter.replace_with(op, "vector.shape_cast", inner.operands)
    return False


def _size(type: Attribute) -> int:
    total = 1
    for n in shape_of(type):
        total *= n
    return total


def _only_in_front(source: Attribute, target: Attribute) -> bool:
    a, b = shape_of(source), shape_of(target)
    return b[len(b) - len(a) :] == a


def can_broadcast(source: Attribute, target: Attribute) -> bool:
    """Whether vector.broadcast may lead from one vector type to another."""
    a, b = shape_of(source), shape_of(target)
    if len(a) > len(b) or is_scalable(source) or is_scalable(target):
        return False
    return all(x in (y, 1) for x, y in zip(a, b[len(b) - len(a) :], strict=True))


def _keeps_order(shape: tuple[int, ...], permutation: list[int]) -> bool:
    """Whether a transposition only moves dimensions of size 1."""
    order = [i for i in permutation if shape[i] != 1]
    return order == sorted(order)


@fold("vector.transpose")
def fold_transpose(op: Operation) -> Folded:
    """A permutation that changes nothing; the inverse of another; a chain of two."""
    source = op.operands[0]
    permutation = numbers(op, "permutation")
    if permutation == list(range(len(permutation))):
        return source
    if source.type == op.results[0].type and _keeps_order(shape_of(source.type), permutation):
        return source
    inner = defining_op(source, "vector.transpose")
    if inner is not None:
        first = numbers(inner, "permutation")
        op.operands[0] = inner.operands[0]
        op.properties["permutation"] = DenseArrayBase.from_list(i64, [first[i] for i in permutation])
        return True
    return None


@pattern("vector.transpose")
def transpose_of_maker(op: Operation, rewriter: Rewriter) -> bool:
    """A transposed broadcast, mask, cast or list of elements is made in its final order."""
    maker = defining_op(op.operands[0])
    if maker is None:
        return False
    permutation = numbers(op, "permutation")
    type = op.results[0].type
    if maker.name == "vector.create_mask":
        operands = list(maker.operands)
        return rewriter.replace_with(op, "vector.create_mask", [operands[i] for i in permutation])
    if maker.name == "vector.constant_mask":
        sizes = numbers(maker, "mask_dim_sizes")
        attribute = DenseArrayBase.from_list(i64, [sizes[i] for i in permutation])
        return rewriter.replace_with(op, "vector.constant_mask", [], {"mask_dim_sizes": attribute})
    if maker.name == "vector.broadcast":
        return _transposed_broadcast(op, maker, rewriter, permutation)
    if maker.name == "vector.shape_cast":
        start = maker.operands[0]
        if _keeps_order(shape_of(op.operands[0].type), permutation) and not is_scalable(type):
            return rewriter.replace_with(op, "vector.shape_cast", [start])
        return False
    if maker.name == "vector.from_elements" and not is_scalable(type):
        shape = shape_of(maker.results[0].type)
        import numpy as np

        order = np.arange(len(maker.operands)).reshape(shape).transpose(permutation).reshape(-1)
        operands = list(maker.operands)
        return rewriter.replace_with(op, "vector.from_elements", [operands[i] for i in order.tolist()])
    return False


def _transposed_broadcast(
    op: Operation, maker: Operation, rewriter: Rewriter, permutation: list[int]
) -> bool:
    """The groups of equal dimensions that are permuted among themselves do not matter."""
    source = maker.operands[0]
    inner, outer = shape_of(source.type), shape_of(maker.results[0].type)
    if all(n == 1 for n in inner) and not is_scalable(op.results[0].type):
        if len(inner) <= len(outer):
            return rewriter.replace_with(op, "vector.broadcast", [source])
        return False
    lead = len(outer) - len(inner)
    for i, p in enumerate(permutation):
        kept = p >= lead and inner[p - lead] != 1
        if kept and i != p:
            return False
        if not kept and i >= lead and inner[i - lead] != 1:
            return False
    return can_broadcast(source.type, op.results[0].type) and rewriter.replace_with(
        op, "vector.broadcast", [source]
    )


@fold("vector.extract_strided_slice")
def fold_slice(op: Operation) -> Folded:
    """All of the vector; what was inserted at the place; slices of slices."""
    source = op.operands[0]
    type = op.results[0].type
    if source.type == type:
        return source
    insert = defining_op(source, "vector.insert_strided_slice")
    offsets = numbers(op, "offsets")
    if insert is not None and insert.operands[0].type == type and numbers(insert, "offsets") == offsets:
        return insert.operands[0]
    inner = defining_op(source, "vector.extract_strided_slice")
    if inner is not None and set(numbers(inner, "strides") + numbers(op, "strides")) <= {1}:
        first = numbers(inner, "offsets")
        length = max(len(first), len(offsets))
        sizes = list(shape_of(type))[:length]
        a = first + [0] * (length - len(first))
        b = offsets + [0] * (length - len(offsets))
        op.operands[0] = inner.operands[0]
        op.properties["offsets"] = _integers([x + y for x, y in zip(a, b, strict=True)])
        op.properties["sizes"] = _integers(sizes)
        op.properties["strides"] = _integers([1] * length)
        return True
    return None


def _integers(values: list[int]) -> Attribute:
    return ArrayAttr([IntegerAttr(v, i64) for v in values])


@pattern("vector.extract_strided_slice")
def slice_of_broadcast(op: Operation, rewriter: Rewriter) -> bool:
    """A slice of a broadcast is a broadcast of the source, or of a slice of it."""
    maker = defining_op(op.operands[0], "vector.broadcast")
    type = op.results[0].type
    if maker is not None and isinstance(type, VectorType) and not is_scalable(op.operands[0].type):
        source = maker.operands[0]
        inner, outer = shape_of(source.type), shape_of(maker.results[0].type)
        lead = len(outer) - len(inner)
        final = shape_of(type)[lead:]
        if all(a in (b, 1) for a, b in zip(inner, final, strict=True)):
            return rewriter.replace_with(op, "vector.broadcast", [source])
        assert isinstance(source.type, VectorType)
        offsets = numbers(op, "offsets")[lead:]
        offsets += [0] * (len(inner) - len(offsets))
        sizes = [1 if a == 1 else b for a, b in zip(inner, final, strict=True)]
        starts = [0 if a == 1 else o for a, o in zip(inner, offsets, strict=True)]
        part = rewriter.value(
            "vector.extract_strided_slice",
            [source],
            VectorType(source.type.element_type, sizes),
            {"offsets": _integers(starts), "sizes": _integers(sizes), "strides": _integers([1] * len(sizes))},
        )
        if part.type == type:
            return rewriter.replace(op, part)
        return rewriter.replace_with(op, "vector.broadcast", [part])
    return False


@pattern("vector.extract_strided_slice")
def slice_of_mask(op: Operation, rewriter: Rewriter) -> bool:
    """A slice of a constant mask is one."""
    maker = defining_op(op.operands[0], "vector.constant_mask")
    if maker is None or set(numbers(op, "strides")) - {1}:
        return False
    offsets = numbers(op, "offsets")
    sizes = numbers(maker, "mask_dim_sizes")
    offsets += [0] * (len(sizes) - len(offsets))
    kept = [
        max(0, min(s - o, n)) for s, o, n in zip(sizes, offsets, shape_of(op.results[0].type), strict=True)
    ]
    if 0 in kept:
        kept = [0] * len(kept)
    attribute = DenseArrayBase.from_list(i64, kept)
    return rewriter.replace_with(op, "vector.constant_mask", [], {"mask_dim_sizes": attribute})


@fold("vector.insert_strided_slice")
def fold_insert_slice(op: Operation) -> Folded:
    """A whole vector; a slice that was taken from the place; the same splat in itself."""
    source, dest = op.operands
    if source.type == dest.type:
        return source
    extract = defining_op(source, "vector.extract_strided_slice")
    same = extract is not None and extract.operands[0] is dest
    if extract is not None and same and numbers(extract, "offsets") == numbers(op, "offsets"):
        return dest
    first, second = splat_source(source), splat_source(dest)
    return dest if first is not None and first is second else None


@fold("vector.bitcast")
def fold_bitcast(op: Operation) -> Folded:
    """A cast to the same type; of another cast."""
    source = op.operands[0]
    type = op.results[0].type
    if source.type == type:
        return source
    inner = defining_op(source, "vector.bitcast")
    if inner is not None:
        if inner.operands[0].type == type:
            return inner.operands[0]
        op.operands[0] = inner.operands[0]
        return True
    return None


@fold("vector.multi_reduction")
def reduce_nothing(op: Operation) -> Folded:
    """No dimension to reduce."""
    return op.operands[0] if not numbers(op, "reduction_dims") else None


@pattern("vector.shuffle")
def shuffle_of_splats(op: Operation, rewriter: Rewriter) -> bool:
    """Elements that are all the same, in any order; vectors of rank 0 as elements."""
    left, right = (splat_source(value) for value in op.operands)
    if left is not None and left is right:
        return rewriter.replace_with(op, "vector.broadcast", [left])
    return False


_KINDS = {
    "add": ("arith.addi", "arith.addf"),
    "mul": ("arith.muli", "arith.mulf"),
    "minui": ("arith.minui", ""),
    "minsi": ("arith.minsi", ""),
    "maxui": ("arith.maxui", ""),
    "maxsi": ("arith.maxsi", ""),
    "and": ("arith.andi", ""),
    "or": ("arith.ori", ""),
    "xor": ("arith.xori", ""),
    "minnumf": ("", "arith.minnumf"),
    "maxnumf": ("", "arith.maxnumf"),
    "minimumf": ("", "arith.minimumf"),
    "maximumf": ("", "arith.maximumf"),
}


@pattern("vector.reduction")
def reduce_one_element(op: Operation, rewriter: Rewriter) -> bool:
    """The one element, with the initial value."""
    from xdsl.dialects.builtin import IndexType, IntegerType

    source, *initial = op.operands
    parent = op.parent_op()
    if (
        _size(source.type) != 1
        or is_scalable(source.type)
        or (parent is not None and parent.name == "vector.mask")
    ):
        return False
    type = op.results[0].type
    rank = len(shape_of(source.type))
    value = rewriter.value(
        "vector.extract", [source], type, {"static_position": DenseArrayBase.from_list(i64, [0] * rank)}
    )
    if not initial:
        return rewriter.replace(op, value)
    kind = str(op.get_attr_or_prop("kind")).rpartition("<")[2].strip(" >")
    pair = _KINDS.get(kind)
    if pair is None:
        return False
    is_integer = isinstance(type, IntegerType | IndexType)
    name = pair[0 if is_integer else 1]
    if not name:
        return False
    properties: dict[str, Attribute] = {}
    fastmath = op.get_attr_or_prop("fastmath")
    if not is_integer and fastmath is not None:
        properties["fastmath"] = fastmath
    return rewriter.replace_with(op, name, [value, initial[0]], properties)
