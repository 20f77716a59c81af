"""extract_strided_slice and insert_strided_slice: slices of what was broadcast, masked or inserted."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, VectorType, i64
from xdsl.ir import Operation

from lamina.dialects.core.folding import defining_op
from lamina.dialects.core.making import integers_of
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern
from lamina.dialects.vector.simplify.common import is_scalable, numbers, shape_of, splat_source


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
        op.properties["offsets"] = integers_of([x + y for x, y in zip(a, b, strict=True)])
        op.properties["sizes"] = integers_of(sizes)
        op.properties["strides"] = integers_of([1] * length)
        return True
    return None


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
            {
                "offsets": integers_of(starts),
                "sizes": integers_of(sizes),
                "strides": integers_of([1] * len(sizes)),
            },
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


@pattern("vector.extract_strided_slice")
def slice_past_insertion(op: Operation, rewriter: Rewriter) -> bool:
    """A slice of what was inserted is a slice of that; one from elsewhere is not touched by the insertion."""
    insert = defining_op(op.operands[0], "vector.insert_strided_slice")
    if insert is None or set(numbers(op, "strides") + numbers(insert, "strides")) - {1}:
        return False
    source, dest = insert.operands
    starts, sizes = numbers(op, "offsets"), numbers(op, "sizes")
    shape = shape_of(dest.type)
    starts += [0] * (len(shape) - len(starts))
    sizes += list(shape[len(sizes) :])
    rank = len(shape_of(source.type))
    extents = [1] * (len(shape) - rank) + list(shape_of(source.type))
    places = list(zip(starts, sizes, numbers(insert, "offsets"), extents, strict=True))
    if any(start + size <= offset or offset + extent <= start for start, size, offset, extent in places):
        return rewriter.set_operands(op, [dest])
    inside = all(
        offset <= start and start + size <= offset + extent for start, size, offset, extent in places
    )
    if not inside or rank < len(shape):
        return False
    rewriter.set_property(op, "offsets", integers_of([start - offset for start, _, offset, _ in places]))
    rewriter.set_property(op, "sizes", integers_of(sizes))
    rewriter.set_property(op, "strides", integers_of([1] * rank))
    return rewriter.set_operands(op, [source])
