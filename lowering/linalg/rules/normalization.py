"""Lowering of normalisations and softmax: reductions over rows, and elementwise operations on the rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects import math
from xdsl.ir import Attribute, SSAValue

from lamina.dialects.nn.activation_parameters import AxisOp
from lamina.dialects.nn.base import NnOp
from lamina.lowering.linalg._builder import LinalgBuilder, dims, element
from lamina.lowering.linalg._contraction import accumulator
from lamina.lowering.linalg._reduction import add_to, kept_axes, reduce, reduce_tensor
from lamina.lowering.linalg._scalars import Scalars
from lamina.lowering.linalg.rules import linalg_rule
from lamina.lowering.linalg.rules.reduction import divided_by_count


@linalg_rule("nn.softmax")
def _(op: AxisOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    [x] = operands
    rank, axis = _rank_and_axis(op, x, builder)
    kind, wide = element(x.type), accumulator(element(x.type))
    top = _maximum(builder, x, axis, wide)
    per_row = kept_axes(rank, [axis])

    def power(s: Scalars, x: SSAValue, top: SSAValue) -> SSAValue:
        return s.call(math.ExpOp, s.sub(s.widened(x, wide), top))

    def share(s: Scalars, power: SSAValue, inverse: SSAValue) -> SSAValue:
        return s.narrowed(s.mul(power, inverse), kind)

    sizes = builder.sizes(x)
    powers = builder.map([(x, dims(rank)), (top, per_row)], sizes, wide, power)
    total = reduce_tensor(builder, powers, [axis], (0, wide), add_to)
    # One division a row instead of one an element: the quotients may differ in the last bit.
    inverse = builder.pointwise([total], wide, lambda s, total: s.div(1.0, total))
    return builder.map([(powers, dims(rank)), (inverse, per_row)], sizes, kind, share)


@linalg_rule("nn.log_softmax")
def _(op: AxisOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    [x] = operands
    rank, axis = _rank_and_axis(op, x, builder)
    kind, wide = element(x.type), accumulator(element(x.type))
    top = _maximum(builder, x, axis, wide)
    sizes, per_row = builder.sizes(x), kept_axes(rank, [axis])

    def add_power(s: Scalars, x: SSAValue, top: SSAValue, total: SSAValue) -> SSAValue:
        return s.add(total, s.call(math.ExpOp, s.sub(s.widened(x, wide), top)))

    def difference(s: Scalars, x: SSAValue, top: SSAValue, log: SSAValue) -> SSAValue:
        return s.narrowed(s.sub(s.sub(s.widened(x, wide), top), log), kind)

    rows = [(x, dims(rank)), (top, per_row)]
    total = reduce(builder, rows, sizes, [axis], (0, wide), add_power)
    log = builder.pointwise([total], wide, lambda s, x: s.call(math.LogOp, x))
    return builder.map([*rows, (log, per_row)], sizes, kind, difference)


def _rank_and_axis(op: NnOp, x: SSAValue, builder: LinalgBuilder) -> tuple[int, int]:
    rank = len(builder.sizes(x))
    return rank, op.attribute("axis") % rank


def _maximum(builder: LinalgBuilder, x: SSAValue, axis: int, wide: Attribute) -> SSAValue:
    """The greatest number of each row. A NaN need not be found here: it makes the row's sum a NaN."""

    def body(s: Scalars, x: SSAValue, best: SSAValue) -> SSAValue:
        return s.greater_number(best, s.widened(x, wide))

    return reduce_tensor(builder, x, [axis], (-np.inf, wide), body)


@linalg_rule("nn.batch_norm")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    x, scale, bias, mean, variance = operands
    kind, wide = element(x.type), accumulator(element(x.type))
    rank, axis = _rank_and_axis(op, x, builder)

    def factor(s: Scalars, variance: SSAValue, scale: SSAValue) -> SSAValue:
        deviation = s.call(math.SqrtOp, s.add(s.widened(variance, wide), op.attribute("epsilon")))
        return s.div(s.widened(scale, wide), deviation)

    def normalise(s: Scalars, x: SSAValue, mean: SSAValue, factor: SSAValue, bias: SSAValue) -> SSAValue:
        x, mean, bias = (s.widened(v, wide) for v in (x, mean, bias))
        return s.narrowed(s.add(s.mul(s.sub(x, mean), factor), bias), kind)

    factors = builder.pointwise([variance, scale], wide, factor)
    channel = [dims(rank)[axis]]
    inputs = [(x, dims(rank)), (mean, channel), (factors, channel), (bias, channel)]
    return builder.map(inputs, builder.sizes(x), kind, normalise)


@linalg_rule("nn.layer_norm")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    x, scale, *bias = operands
    kind, wide = element(x.type), accumulator(element(x.type))
    rank, first = _rank_and_axis(op, x, builder)
    sizes = builder.sizes(x)
    axes = list(range(first, rank))
    count = builder.product(sizes[first:])
    per_row = kept_axes(rank, axes)

    def add_square(s: Scalars, x: SSAValue, mean: SSAValue, total: SSAValue) -> SSAValue:
        centred = s.sub(s.widened(x, wide), mean)
        return s.add(total, s.mul(centred, centred))

    def inverse(s: Scalars, variance: SSAValue) -> SSAValue:
        return s.div(1.0, s.call(math.SqrtOp, s.add(variance, op.attribute("epsilon"))))

    def normalise(s: Scalars, x: SSAValue, mean: SSAValue, inverse: SSAValue, *affine: SSAValue) -> SSAValue:
        normal = s.mul(s.sub(s.widened(x, wide), mean), inverse)
        scaled = s.mul(normal, s.widened(affine[0], wide))
        return s.narrowed(s.add(scaled, s.widened(affine[1], wide)) if affine[1:] else scaled, kind)

    total = reduce_tensor(builder, x, axes, (0, wide), add_to)
    mean = divided_by_count(builder, total, count, wide, False)
    rows = [(x, dims(rank)), (mean, per_row)]
    squares = reduce(builder, rows, sizes, axes, (0, wide), add_square)
    variance = divided_by_count(builder, squares, count, wide, False)
    scales = (builder.pointwise([variance], wide, inverse), per_row)
    affine = [(v, builder.broadcast_exprs(v, sizes)) for v in (scale, *bias)]
    return builder.map([*rows, scales, *affine], sizes, kind, normalise)
