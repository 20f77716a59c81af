"""Lowering of data movement: generics with permuted, strided or computed indices."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType, i64
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from lamina.dialects.nn.base import NnOp
from lamina.dialects.nn.movement import PadOp
from lamina.dialects.nn.shapes.movement import slice_range
from lamina.lowering.linalg._builder import LinalgBuilder, Size, dims, element
from lamina.lowering.linalg._gather import read_at, size_in
from lamina.lowering.linalg._padding import extract, insert, pad_constant, plus
from lamina.lowering.linalg._reshape import reshape
from lamina.lowering.linalg._scalars import Scalars
from lamina.lowering.linalg._types import element_of, is_unsigned
from lamina.lowering.linalg.rules import linalg_rule


def copied(
    builder: LinalgBuilder, x: SSAValue, exprs: Sequence[AffineExpr], sizes: Sequence[Size]
) -> SSAValue:
    """A tensor of the given sizes whose elements are those of ``x`` at the expressions."""
    return builder.map([(x, exprs)], sizes, element(x.type), lambda s, value: value)


@linalg_rule("nn.transpose")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    [x] = operands
    permutation = op.attribute("permutation")
    own = builder.sizes(x)
    sizes = [own[i] for i in permutation]
    moving = [i for i in permutation if own[i] != 1]
    if moving == sorted(moving) and all(isinstance(n, int) for n in own):
        return reshape(builder, x, sizes)
    exprs = [AffineExpr.dimension(permutation.index(i)) for i in range(len(own))]
    return copied(builder, x, exprs, sizes)


@linalg_rule("nn.concat")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    sizes = list(builder.sizes(operands[0]))
    axis = op.attribute("axis") % len(sizes)
    offsets: list[Size] = [0]
    for value in operands:
        offsets.append(plus(builder, offsets[-1], builder.sizes(value)[axis]))
    sizes[axis] = offsets[-1]
    if len(operands) == 1:
        return operands[0]
    result = builder.empty(sizes, element(operands[0].type))
    for value, offset in zip(operands, offsets, strict=False):
        if builder.sizes(value)[axis] != 0:
            place: list[Size] = [offset if i == axis else 0 for i in range(len(sizes))]
            result = insert(builder, value, result, place)
    return result


@linalg_rule("nn.slice")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    bounds = zip(op.attribute("starts"), op.attribute("ends"), op.attribute("steps"), strict=True)
    return sliced(builder, operands[0], list(bounds))


@linalg_rule("nn.split")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> list[SSAValue]:
    [x] = operands
    own = builder.sizes(x)
    axis = op.attribute("axis") % len(own)
    parts: list[SSAValue] = []
    start = 0
    for size in op.attribute("sizes"):
        offsets = [start if i == axis else 0 for i in range(len(own))]
        sizes = [*own[:axis], size, *own[axis + 1 :]]
        parts.append(extract(builder, x, offsets, sizes, [1] * len(own)))
        start += size
    return parts


def sliced(builder: LinalgBuilder, x: SSAValue, bounds: Sequence[tuple[int, int, int]]) -> SSAValue:
    """An ONNX slice: a view, or with a negative step a copy that reads backwards.

    Where an extent is unknown, first places and counts are computed at run time.
    """
    own = builder.sizes(x)
    ranges = [_range(builder, *bound, extent) for bound, extent in zip(bounds, own, strict=True)]
    firsts, sizes = [first for first, _ in ranges], [count for _, count in ranges]
    steps = [step for _, _, step in bounds]
    if 0 in sizes:
        return builder.empty(sizes, element(x.type))
    if min(steps, default=1) > 0:
        return extract(builder, x, firsts, sizes, steps)
    known = [first for first in firsts if isinstance(first, int)]
    if len(known) == len(own) and all(
        step < 0 or n == m for step, n, m in zip(steps, sizes, own, strict=True)
    ):
        exprs = [d * step + first for d, step, first in zip(dims(len(own)), steps, known, strict=True)]
        return copied(builder, x, exprs, sizes)

    def places(s: Scalars, loops: Sequence[SSAValue]) -> list[SSAValue]:
        terms = zip(loops, steps, firsts, strict=True)
        return [s.add(s.mul(loop, step), size_in(s, first)) for loop, step, first in terms]

    return read_at(builder, x, sizes, places)


def _range(builder: LinalgBuilder, start: int, end: int, step: int, extent: Size) -> tuple[Size, Size]:
    """The first index and the number of elements of one dimension of a slice."""
    if isinstance(extent, int):
        return slice_range(start, end, step, extent)
    if start == 0 and step == 1 and end >= 1 << 31:
        return 0, extent
    s = builder.arithmetic()
    first, stop = (s.add(extent, b) if b < 0 else s.constant(b, IndexType()) for b in (start, end))
    if step > 0:
        first, stop = (s.minimum(s.maximum(b, 0), extent) for b in (first, stop))
        count = s.ceil_div(s.sub(stop, first), step)
    else:
        last = s.sub(extent, 1)
        first = s.maximum(s.minimum(first, last), 0)
        stop = s.maximum(s.minimum(stop, last), -1)
        count = s.ceil_div(s.sub(first, stop), -step)
    return first, s.maximum(count, 0)


@linalg_rule("nn.pad")
def _(op: PadOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    [x] = operands
    low, high = op.attribute("low"), op.attribute("high")
    mode = op.attribute("mode")
    if mode == "constant":
        return pad_constant(builder, x, low, high, _pad_value(op))
    own = builder.sizes(x)
    sizes = [plus(builder, n, a + b) for a, n, b in zip(low, own, high, strict=True)]

    def places(s: Scalars, loops: Sequence[SSAValue]) -> list[SSAValue]:
        return [
            _mirrored(s, loop, a, size_in(s, n), mode) for loop, a, n in zip(loops, low, own, strict=True)
        ]

    return read_at(builder, x, sizes, places) if any((*low, *high)) else x


def _pad_value(op: PadOp) -> float | int:
    """The value in the stored element type: 0 or 1 for bool."""
    value = op.attribute("value", 0)
    kind = element_of(op.x.type)
    if isinstance(kind, IntegerType):
        return int(bool(value)) if kind.width.data == 1 else int(value)
    return float(value)


def _mirrored(s: Scalars, loop: SSAValue, low: int, extent: SSAValue, mode: str) -> SSAValue:
    """The place in the source for a place in the padded dimension."""
    place, last = s.sub(loop, low), s.sub(extent, 1)
    if mode == "edge":
        return s.minimum(s.maximum(place, 0), last)
    place = s.maximum(place, s.sub(0, place))
    behind = s.sub(last, place)
    return s.sub(last, s.maximum(behind, s.sub(0, behind)))


@linalg_rule("nn.gather")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    data, indices = operands
    own, wanted = builder.sizes(data), builder.sizes(indices)
    axis = op.attribute("axis") % len(own)
    count = len(wanted)
    unsigned = is_unsigned(element_of(op.operands[1].type))
    sizes = [*own[:axis], *wanted, *own[axis + 1 :]]

    def places(s: Scalars, loops: Sequence[SSAValue], index: SSAValue) -> list[SSAValue]:
        place = _clamped_index(s, index, size_in(s, own[axis]), unsigned)
        return [*loops[:axis], place, *loops[axis + count :]]

    return read_at(builder, data, sizes, places, [(indices, dims(count, axis))])


def _clamped_index(s: Scalars, index: SSAValue, extent: SSAValue, unsigned: bool) -> SSAValue:
    """A gather's index: negative ones count from the back, all are held within the extent."""
    last = s.sub(extent, 1)
    if unsigned:
        assert isinstance(index.type, IntegerType)
        if index.type.width.data == 64:
            index = s.emit(arith.MinUIOp(index, s.constant((1 << 63) - 1, i64)))
        else:
            index = s.emit(arith.ExtUIOp(index, i64))
        return s.minimum(s.index(index), last)
    place = s.index(index)
    place = s.select(s.compare("lt", place, 0), s.add(place, extent), place)
    return s.minimum(s.maximum(place, 0), last)


@linalg_rule("nn.tile")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    [x] = operands
    loops: list[Size] = []
    exprs: list[AffineExpr] = []
    for repeat, size in zip(op.attribute("repeats"), builder.sizes(x), strict=True):
        loops += [repeat, size] if repeat != 1 else [size]
        exprs.append(AffineExpr.dimension(len(loops) - 1))
    sizes = [times(builder, n, r) for n, r in zip(builder.sizes(x), op.attribute("repeats"), strict=True)]
    if 0 in sizes:
        return builder.empty(sizes, element(x.type))
    return reshape(builder, copied(builder, x, exprs, loops), sizes) if len(loops) > len(sizes) else x


def times(builder: LinalgBuilder, size: Size, factor: int) -> Size:
    """A size times a number."""
    if isinstance(size, int) or factor == 1:
        return size * factor if isinstance(size, int) else size
    return builder.arithmetic().mul(size, factor)
