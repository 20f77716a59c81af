"""broadcast, shape_cast, transpose, bitcast and shuffle of vectors."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, VectorType, i64
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.core.folding import defining_op
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern
from lamina.dialects.vector.simplify.common import is_scalable, numbers, shape_of, size_of, splat_source


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


@pattern("vector.broadcast")
def broadcast_of_cast(op: Operation, rewriter: Rewriter) -> bool:
    """A cast that only adds dimensions of size 1 in front, which a broadcast does itself."""
    cast = defining_op(op.operands[0], "vector.shape_cast")
    if cast is None:
        return False
    source = cast.operands[0]
    before, after = shape_of(source.type), shape_of(op.operands[0].type)
    lead = len(after) - len(before)
    if lead < 0 or after != (1,) * lead + before or not can_broadcast(source.type, op.results[0].type):
        return False
    return rewriter.set_operands(op, [source])


@pattern("vector.shape_cast")
def element_of_slice(op: Operation, rewriter: Rewriter) -> bool:
    """A slice of one position along the first dimensions, cast to the others, is extracted."""
    cut = defining_op(op.operands[0], "vector.extract_strided_slice")
    type = op.results[0].type
    if cut is None or is_scalable(cut.operands[0].type) or not isinstance(type, VectorType):
        return False
    before, after = shape_of(cut.operands[0].type), shape_of(op.operands[0].type)
    count = next((i for i, size in enumerate(after) if size != 1), len(after))
    count = min(count, len(numbers(cut, "offsets")))
    rest = before[count:]
    if count == 0 or after[count:] != rest or not rest:
        return False
    place = DenseArrayBase.from_list(i64, numbers(cut, "offsets")[:count])
    part_type = VectorType(type.element_type, list(rest))
    part = rewriter.value("vector.extract", [cut.operands[0]], part_type, {"static_position": place})
    if part_type == type:
        return rewriter.replace(op, part)
    return rewriter.set_operands(op, [part])


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
        size, final = size_of(start.type), size_of(type)
        if size == final and not is_scalable(type):
            return rewriter.replace_with(op, "vector.shape_cast", [start])
        splat = size_of(start.type) == 1
        if can_broadcast(start.type, type) and (splat or _only_in_front(start.type, source.type)):
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


def _only_in_front(source: Attribute, target: Attribute) -> bool:
    a, b = shape_of(source), shape_of(target)
    return b[len(b) - len(a) :] == a


def can_broadcast(source: Attribute, target: Attribute) -> bool:
    """Whether vector.broadcast may lead from one vector type to another."""
    a, b = shape_of(source), shape_of(target)
    if len(a) > len(b) or is_scalable(source) or is_scalable(target):
        return False
    return all(x in (y, 1) for x, y in zip(a, b[len(b) - len(a) :], strict=True))


def broadcast_and_transpose(
    op: Operation, rewriter: Rewriter, source: SSAValue, order: Sequence[int | None]
) -> bool:
    """Replace an op by a vector whose dimensions are those of the source, in an order, and others (None)."""
    type = op.results[0].type
    assert isinstance(type, VectorType)
    new = [i for i, index in enumerate(order) if index is None]
    old = sorted((i for i, index in enumerate(order) if index is not None), key=lambda i: order[i] or 0)
    made = source
    if new:
        shape, scaled = type.get_shape(), type.scalable_dims.data
        kept = [*new, *old]
        flags = ArrayAttr([scaled[i] for i in kept])
        wide = VectorType(type.element_type, [shape[i] for i in kept], flags)
        made = rewriter.value("vector.broadcast", [source], wide)
    permutation = [[*new, *old].index(i) for i in range(len(order))]
    if permutation == sorted(permutation):
        return rewriter.replace(op, made)
    return rewriter.replace_with(
        op, "vector.transpose", [made], {"permutation": DenseArrayBase.from_list(i64, permutation)}
    )


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


@pattern("vector.shuffle")
def shuffle_of_splats(op: Operation, rewriter: Rewriter) -> bool:
    """Elements that are all the same, in any order; vectors of rank 0 as elements."""
    left, right = (splat_source(value) for value in op.operands)
    if left is not None and left is right:
        return rewriter.replace_with(op, "vector.broadcast", [left])
    return False
