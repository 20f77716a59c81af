"""vector.extract: what stands at a position."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Operation, SSAValue

from lamina.dialects.core.folding import defining_op
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern
from lamina.dialects.vector.simplify.common import (
    is_scalable,
    numbers,
    position,
    shape_of,
    size_of,
    splat_source,
    static_position,
)
from lamina.dialects.vector.simplify.positions import (
    flat_position,
    place_of,
    position_operands,
    same_position,
)


@fold("vector.extract")
def extract_from_maker(op: Operation) -> Folded:
    """What was put at the position: by an insert, a broadcast, or element by element."""
    source = op.operands[0]
    type = op.results[0].type
    place = position(op)
    if source.type == type and not place:
        return source
    splat = splat_source(source)
    if splat is not None and splat.type == type:
        return splat
    maker = defining_op(source)
    if maker is None:
        return None
    if (
        maker.name == "vector.insert"
        and same_position(position(maker), place)
        and maker.operands[0].type == type
    ):
        return maker.operands[0]
    if maker.name == "vector.broadcast" and maker.operands[0].type == type and not is_scalable(source.type):
        rank = len(shape_of(source.type)) - len(shape_of(type))
        return maker.operands[0] if len(place) == rank else None
    known = static_position(op)
    if maker.name == "vector.from_elements" and known is not None and not isinstance(type, VectorType):
        flat = flat_position(known, shape_of(source.type))
        return None if flat is None else maker.operands[flat]
    return None


@pattern("vector.extract")
def extract_further_back(op: Operation, rewriter: Rewriter) -> bool:
    """What is extracted of an op that only moves elements is extracted of its operand."""
    place = position(op)
    maker = defining_op(op.operands[0])
    if maker is None or not (place or maker.name in ("vector.shape_cast", "vector.broadcast")):
        return False
    rule = _MAKERS.get(maker.name)
    return rule is not None and rule(op, maker, rewriter, place)


def _from_extract(op: Operation, maker: Operation, rewriter: Rewriter, place: list[int | SSAValue]) -> bool:
    first = position(maker)
    if any(not isinstance(v, int) for v in (*first, *place)):
        return False
    return _extract(rewriter, op, maker.operands[0], [*first, *place])


def _from_transpose(op: Operation, maker: Operation, rewriter: Rewriter, place: list[int | SSAValue]) -> bool:
    permutation = numbers(maker, "permutation")
    rest = permutation[len(place) :]
    if sorted(permutation[: len(place)]) != list(range(len(place))) or rest != sorted(rest):
        return False
    moved: list[int | SSAValue] = [0] * len(place)
    for index, value in zip(permutation, place, strict=False):
        moved[index] = value
    return _extract(rewriter, op, maker.operands[0], moved)


def _from_shuffle(op: Operation, maker: Operation, rewriter: Rewriter, place: list[int | SSAValue]) -> bool:
    left, right = maker.operands
    if len(place) != 1 or not isinstance(place[0], int) or not shape_of(left.type):
        return False
    size = shape_of(left.type)[0]
    index = numbers(maker, "mask")[place[0]]
    if index < 0:
        return False
    return _extract(rewriter, op, left if index < size else right, [index if index < size else index - size])


def _from_elements(op: Operation, maker: Operation, rewriter: Rewriter, place: list[int | SSAValue]) -> bool:
    flat = flat_position([v for v in place if isinstance(v, int)], shape_of(maker.results[0].type))
    if flat is None or any(not isinstance(v, int) for v in place):
        return False
    count = size_of(op.results[0].type)
    return rewriter.replace_with(
        op, "vector.from_elements", list(maker.operands)[flat * count : (flat + 1) * count]
    )


def _extract(rewriter: Rewriter, op: Operation, source: SSAValue, place: list[int | SSAValue]) -> bool:
    if not place and source.type == op.results[0].type:
        return rewriter.replace(op, source)
    dynamic, static = position_operands(place)
    return rewriter.replace_with(op, "vector.extract", [source, *dynamic], {"static_position": static})


def _past_insert(op: Operation, maker: Operation, rewriter: Rewriter, place: list[int | SSAValue]) -> bool:
    other = position(maker)
    if any(not isinstance(v, int) for v in (*other, *place)):
        return False
    shared = min(len(other), len(place))
    if other[:shared] != place[:shared]:
        return _extract(rewriter, op, maker.operands[1], place)
    if len(other) < len(place):
        return _extract(rewriter, op, maker.operands[0], place[len(other) :])
    return False


def _from_broadcast(op: Operation, maker: Operation, rewriter: Rewriter, place: list[int | SSAValue]) -> bool:
    source = maker.operands[0]
    type = op.results[0].type
    inner, outer = shape_of(source.type), shape_of(maker.results[0].type)
    lead = len(outer) - len(inner)
    if is_scalable(maker.results[0].type):
        return False
    if len(place) < lead:
        return rewriter.replace_with(op, "vector.broadcast", [source])
    if not inner:
        if isinstance(type, VectorType):
            return rewriter.replace_with(op, "vector.broadcast", [source])
        return isinstance(source.type, VectorType) and _extract(rewriter, op, source, [])
    kept: list[int | SSAValue] = [
        0 if inner[i] == 1 and outer[lead + i] != 1 else v for i, v in enumerate(place[lead:])
    ]
    rest = inner[len(kept) :]
    if rest == shape_of(type):
        return _extract(rewriter, op, source, kept)
    if not kept:
        return rewriter.replace_with(op, "vector.broadcast", [source])
    element = source.type
    assert isinstance(element, VectorType)
    dynamic, static = position_operands(kept)
    part_type = VectorType(element.element_type, list(rest)) if rest else element.element_type
    part = rewriter.value("vector.extract", [source, *dynamic], part_type, {"static_position": static})
    return rewriter.replace_with(op, "vector.broadcast", [part])


def _from_slice(op: Operation, maker: Operation, rewriter: Rewriter, place: list[int | SSAValue]) -> bool:
    offsets = numbers(maker, "offsets")
    source = maker.operands[0]
    if any(not isinstance(v, int) for v in place):
        return False
    # Dimensions behind the position must be taken whole.
    whole = shape_of(source.type)[len(place) :] == shape_of(maker.results[0].type)[len(place) :]
    if not whole:
        return False
    offsets += [0] * (len(place) - len(offsets))
    moved: list[int | SSAValue] = [v + o for v, o in zip(place, offsets, strict=False) if isinstance(v, int)]
    return _extract(rewriter, op, source, moved)


def _from_shape_cast(
    op: Operation, maker: Operation, rewriter: Rewriter, place: list[int | SSAValue]
) -> bool:
    source, type = maker.operands[0], op.results[0].type
    before, after = shape_of(source.type), shape_of(maker.results[0].type)
    if is_scalable(source.type):
        return False
    leading, rest = after[: len(place)], after[len(place) :]
    if all(size == 1 for size in leading):
        if not isinstance(type, VectorType):
            return _extract(rewriter, op, source, [0] * len(before))
        return rewriter.replace_with(op, "vector.shape_cast", [source])
    length = len(before) - len(rest)
    if length < 0 or before[length:] != rest:
        return False
    moved = _place_before_cast(place, leading, before[:length])
    return moved is not None and _extract(rewriter, op, source, moved)


def _place_before_cast(
    place: Sequence[int | SSAValue], after: Sequence[int], before: Sequence[int]
) -> list[int | SSAValue] | None:
    """The place in a shape of that in another shape; along a dimension of size 1 there is only one."""
    kept = [(value, size) for value, size in zip(place, after, strict=True) if size != 1]
    static = [value for value, _ in kept if isinstance(value, int)]
    if len(static) == len(kept):
        flat = flat_position(static, [size for _, size in kept])
        return None if flat is None else list(place_of(flat, before))
    if [size for _, size in kept] != [size for size in before if size != 1]:
        return None
    values = iter(value for value, _ in kept)
    return [0 if size == 1 else next(values) for size in before]


def _past_insert_slice(
    op: Operation, maker: Operation, rewriter: Rewriter, place: list[int | SSAValue]
) -> bool:
    source, dest = maker.operands
    shape, extents = shape_of(dest.type), shape_of(source.type)
    if any(not isinstance(v, int) for v in place) or set(numbers(maker, "strides")) - {1}:
        return False
    lead = len(shape) - len(extents)
    inner: list[int | SSAValue] = []
    for i, (index, offset) in enumerate(zip(place, numbers(maker, "offsets"), strict=False)):
        assert isinstance(index, int)
        extent = extents[i - lead] if i >= lead else 1
        if not offset <= index < offset + extent:
            return _extract(rewriter, op, dest, place)
        if i >= lead:
            inner.append(index - offset)
    if len(place) < lead or extents[len(place) - lead :] != shape[len(place) :]:
        return False
    return _extract(rewriter, op, source, inner)


_MAKERS = {
    "vector.extract": _from_extract,
    "vector.transpose": _from_transpose,
    "vector.insert": _past_insert,
    "vector.insert_strided_slice": _past_insert_slice,
    "vector.shuffle": _from_shuffle,
    "vector.broadcast": _from_broadcast,
    "vector.extract_strided_slice": _from_slice,
    "vector.shape_cast": _from_shape_cast,
    "vector.from_elements": _from_elements,
}
"""How to extract from what each op makes."""
