"""Lowering of reductions over axes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, i64
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, SSAValue

from lamina.dialects.nn.base import NnOp
from lamina.lowering.linalg._builder import PARALLEL, REDUCTION, LinalgBuilder, Size, dims, element
from lamina.lowering.linalg._contraction import accumulator, narrowed
from lamina.lowering.linalg._reduction import add_to, kept_axes, reduce_tensor
from lamina.lowering.linalg._reshape import reshape
from lamina.lowering.linalg._scalars import Scalars, highest, is_float, lowest
from lamina.lowering.linalg._types import element_of, is_bool, is_unsigned
from lamina.lowering.linalg.rules import linalg_rule


def reduced_axes(op: NnOp, rank: int) -> list[int]:
    """The axes of a reduction, counted from the front."""
    return [axis % rank for axis in op.attribute("axes")]


def with_kept_dims(op: NnOp, value: SSAValue, x: SSAValue, axes: Sequence[int], b: LinalgBuilder) -> SSAValue:
    """The result with extents of 1 in the axes' places, if the op keeps them."""
    if not op.attribute("keepdims"):
        return value
    return reshape(b, value, [1 if i in axes else size for i, size in enumerate(b.sizes(x))])


@linalg_rule("nn.reduce_sum")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    [x] = operands
    axes = reduced_axes(op, len(builder.sizes(x)))
    kind = element(x.type)
    total = reduce_tensor(builder, x, axes, (0, accumulator(kind)), add_to)
    return with_kept_dims(op, narrowed(builder, total, kind), x, axes, builder)


@linalg_rule("nn.reduce_mean")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    [x] = operands
    sizes = builder.sizes(x)
    axes = reduced_axes(op, len(sizes))
    kind = element(x.type)
    total = reduce_tensor(builder, x, axes, (0, accumulator(kind)), add_to)
    count = builder.product([sizes[i] for i in axes])
    unsigned = is_unsigned(element_of(op.operands[0].type))
    mean = divided_by_count(builder, total, count, kind, unsigned)
    return with_kept_dims(op, mean, x, axes, builder)


def divided_by_count(
    builder: LinalgBuilder, total: SSAValue, count: Size, kind: Attribute, unsigned: bool
) -> SSAValue:
    """Each element divided by a number of elements: NaN for floats where that is 0, else 0.

    Integers are divided in i64, so that a count beyond their range is right too.
    """

    def body(s: Scalars, x: SSAValue) -> SSAValue:
        if is_float(x):
            return s.narrowed(s.div(x, _count_as(s, count, x.type)), kind)
        if count == 0:
            return s.constant(0, kind)
        narrow = isinstance(kind, IntegerType) and kind.width.data < 64
        extend = arith.ExtUIOp if unsigned else arith.ExtSIOp
        wide = s.emit(extend(x, i64)) if narrow else x
        quotient = s.div(wide, _count_as(s, count, i64))
        return s.emit(arith.TruncIOp(quotient, kind)) if narrow else quotient  # pyright: ignore[reportArgumentType]

    return builder.pointwise([total], kind, body, unsigned)


def _count_as(s: Scalars, count: Size, kind: Attribute) -> SSAValue:
    if isinstance(count, int):
        return s.constant(count, kind)
    whole = s.emit(arith.IndexCastOp(count, i64))
    if kind == i64:
        return s.emit(arith.MaxSIOp(whole, s.constant(1, i64)))
    return s.emit(arith.SIToFPOp(whole, kind))  # pyright: ignore[reportArgumentType]


@linalg_rule("nn.reduce_prod")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    [x] = operands
    axes = reduced_axes(op, len(builder.sizes(x)))
    kind = element(x.type)

    def multiply(s: Scalars, x: SSAValue, total: SSAValue) -> SSAValue:
        return s.mul(total, s.widened(x, total.type))

    total = reduce_tensor(builder, x, axes, (1, accumulator(kind)), multiply)
    return with_kept_dims(op, narrowed(builder, total, kind), x, axes, builder)


@linalg_rule("nn.reduce_max", "nn.reduce_min", "nn.reduce_and", "nn.reduce_or")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    [x] = operands
    axes = reduced_axes(op, len(builder.sizes(x)))
    result = extreme(builder, x, element_of(op.operands[0].type), axes, op.name in _LARGEST)
    return with_kept_dims(op, result, x, axes, builder)


_LARGEST = ("nn.reduce_max", "nn.reduce_or")


def extreme(
    builder: LinalgBuilder, x: SSAValue, kind: Attribute, axes: Sequence[int], largest: bool
) -> SSAValue:
    """The largest or smallest element over axes; ``kind`` is the ``nn`` element type."""

    def body(s: Scalars, x: SSAValue, best: SSAValue) -> SSAValue:
        return s.maximum(best, x) if largest else s.minimum(best, x)

    stored = element(x.type)
    start = neutral(kind, stored, largest)
    return reduce_tensor(builder, x, axes, (start, stored), body, is_unsigned(kind))


def neutral(kind: Attribute, stored: Attribute, largest: bool) -> float | int:
    """What the first element replaces: the lowest value for a maximum, the highest for a minimum."""
    if is_bool(kind):
        return 0 if largest else 1
    return (lowest if largest else highest)(stored, is_unsigned(kind))


@linalg_rule("nn.argmax", "nn.argmin")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    [x] = operands
    sizes = builder.sizes(x)
    rank = len(sizes)
    axis = op.attribute("axis") % rank
    kind = element_of(op.operands[0].type)
    largest = op.name == "nn.argmax"
    kept = [size for i, size in enumerate(sizes) if i != axis]
    best = builder.fill(neutral(kind, element(x.type), largest), kept, element(x.type))
    places = builder.fill(0, kept, i64)
    last = op.attribute("select_last_index")
    better = ("ge" if last else "gt") if largest else ("le" if last else "lt")

    def body(s: Scalars, x: SSAValue, best: SSAValue, place: SSAValue) -> list[SSAValue]:
        wins = s.compare(better, x, best)
        if is_float(x):
            nan = s.is_nan(x) if last else s.logical_and(s.is_nan(x), s.logical_xor(s.is_nan(best), 1))
            wins = s.logical_or(wins, nan)
        here = s.index(s.emit(linalg.IndexOp(axis)))
        return [s.select(wins, x, best), s.select(wins, here, place)]

    out = kept_axes(rank, [axis])
    iterators = [REDUCTION if i == axis else PARALLEL for i in range(rank)]
    found = builder.generic(
        [(x, dims(rank))], [(best, out), (places, out)], iterators, body, is_unsigned(kind)
    )
    return with_kept_dims(op, found[1], x, [axis], builder)
