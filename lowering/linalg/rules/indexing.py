"""Lowering of reading and writing at places that are values: computed places, and loops for writing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType, i64
from xdsl.ir import SSAValue

from lamina.dialects.nn.base import NnOp
from lamina.lowering.linalg._builder import LinalgBuilder, Size
from lamina.lowering.linalg._elementwise import close_element, open_element
from lamina.lowering.linalg._gather import read_at, size_in
from lamina.lowering.linalg._loops import loop_nest, read, write
from lamina.lowering.linalg._scalars import Scalars
from lamina.lowering.linalg._types import element_of, is_unsigned
from lamina.lowering.linalg.rules import linalg_rule


@linalg_rule("nn.gather_nd")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    data, indices = operands
    count, axes, sizes = op.attribute("batch_dims"), op.attribute("axes"), op.attribute("sizes")
    own, places = builder.sizes(data), builder.sizes(indices)[:-1]
    unsigned = is_unsigned(element_of(op.operands[1].type))

    def place_of(s: Scalars, loops: Sequence[SSAValue]) -> list[SSAValue]:
        starts = _starts(s, indices, loops[: len(places)], axes, unsigned)
        offsets = loops[len(places) :]
        found = list(loops[:count])
        for d, offset in enumerate(offsets):
            if d not in axes:
                found.append(offset)
                continue
            last = s.sub(size_in(s, own[count + d]), sizes[d])
            start = s.minimum(s.maximum(starts[d], 0), last)
            found.append(start if sizes[d] == 1 else s.add(start, offset))
        return found

    return read_at(builder, data, [*places, *sizes], place_of)


@linalg_rule("nn.scatter_nd")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    data, indices, updates = operands
    count, axes = op.attribute("batch_dims"), op.attribute("axes")
    own, extents = builder.sizes(data), builder.sizes(updates)
    places = len(builder.sizes(indices)) - 1
    unsigned = is_unsigned(element_of(op.operands[1].type))
    combine = _combining(op)

    def write_one(inner: LinalgBuilder, loops: list[SSAValue], carried: list[SSAValue]) -> list[SSAValue]:
        s = inner.arithmetic()
        starts = _starts(s, indices, loops[:places], axes, unsigned)
        inside: SSAValue | None = None
        place = list(loops[:count])
        for d, offset in enumerate(loops[places:]):
            if d not in axes:
                place.append(offset)
                continue
            last = s.sub(size_in(s, own[count + d]), size_in(s, extents[places + d]))
            fits = s.logical_and(s.compare("ge", starts[d], 0), s.compare("le", starts[d], last))
            inside = fits if inside is None else s.logical_and(inside, fits)
            place.append(s.add(s.minimum(s.maximum(starts[d], 0), last), offset))
        [into] = carried
        before = read(s, into, place)
        after = combine(s, before, read(s, updates, loops))
        value = after if inside is None else s.select(inside, after, before)
        return [write(s, value, into, place)]

    bounds: list[Size] = list(extents)
    return loop_nest(builder, bounds, [data], write_one)[0]


def _starts(
    s: Scalars, indices: SSAValue, place: Sequence[SSAValue], axes: Sequence[int], unsigned: bool
) -> dict[int, SSAValue]:
    """Where a part begins along each of the axes."""
    starts: dict[int, SSAValue] = {}
    for k, axis in enumerate(axes):
        index = read(s, indices, [*place, s.constant(k, IndexType())])
        starts[axis] = as_index(s, index, unsigned)
    return starts


def as_index(s: Scalars, index: SSAValue, unsigned: bool) -> SSAValue:
    """An integer as an index; unsigned ones beyond the range of i64 become the greatest."""
    assert isinstance(index.type, IntegerType)
    if unsigned and index.type.width.data == 64:
        index = s.emit(arith.MinUIOp(index, s.constant((1 << 63) - 1, i64)))
    elif unsigned:
        index = s.emit(arith.ExtUIOp(index, i64))
    return s.index(index)


def _combining(op: NnOp) -> Callable[[Scalars, SSAValue, SSAValue], SSAValue]:
    """What an element becomes, from what it was and the update."""
    mode = op.attribute("mode")
    kind = element_of(op.operands[0].type)

    def combine(s: Scalars, before: SSAValue, update: SSAValue) -> SSAValue:
        if mode == "set":
            return update
        s.unsigned = is_unsigned(kind)
        a, b = open_element(s, before, kind), open_element(s, update, kind)
        result = {"add": s.add, "mul": s.mul, "max": s.maximum, "min": s.minimum}[mode](a, b)
        s.unsigned = False
        return close_element(s, result, kind)

    return combine
