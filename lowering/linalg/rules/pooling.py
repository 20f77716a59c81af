"""Lowering of pooling: padded images, a reduction over windows, and for means a division by counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, SSAValue

from lamina.dialects.core.dtypes import numpy_dtype
from lamina.dialects.nn.pooling import AvgPool2dOp, MaxPool2dOp
from lamina.dialects.nn.reference.pooling import places
from lamina.dialects.nn.shapes._windows import channels_last
from lamina.dialects.nn.shapes.pooling import pool_windows
from lamina.lowering.linalg._builder import PARALLEL, REDUCTION, Body, LinalgBuilder, dims, element
from lamina.lowering.linalg._contraction import accumulator
from lamina.lowering.linalg._padding import Axis, axis_of
from lamina.lowering.linalg._reduction import add_to
from lamina.lowering.linalg._scalars import Scalars
from lamina.lowering.linalg._types import element_of, is_unsigned
from lamina.lowering.linalg.rules import linalg_rule
from lamina.lowering.linalg.rules.convolution import Axes, pad_images
from lamina.lowering.linalg.rules.reduction import neutral


@linalg_rule("nn.max_pool2d")
def _(op: MaxPool2dOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    kind = element_of(op.x.type)
    lowest = neutral(kind, element(operands[0].type), largest=True)

    def body(s: Scalars, x: SSAValue, window: SSAValue, best: SSAValue) -> SSAValue:
        return s.maximum(best, x)

    start = (lowest, element(operands[0].type))
    return _over_windows(
        op, operands[0], _axes(op, operands[0], builder), start, body, builder, is_unsigned(kind)
    )


@linalg_rule("nn.avg_pool2d")
def _(op: AvgPool2dOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    [x] = operands
    axes = _axes(op, x, builder)
    kind = element(x.type)

    def body(s: Scalars, x: SSAValue, window: SSAValue, total: SSAValue) -> SSAValue:
        return add_to(s, x, total)

    total = _over_windows(op, x, axes, (0, accumulator(kind)), body, builder)
    return _divided(op, total, axes, kind, builder)


def _axes(op: MaxPool2dOp | AvgPool2dOp, x: SSAValue, builder: LinalgBuilder) -> Axes:
    first = 1 if channels_last(op) else 2
    rows, columns = pool_windows(op)
    sizes = builder.sizes(x)
    return axis_of(builder, rows, sizes[first]), axis_of(builder, columns, sizes[first + 1])


def _over_windows(
    op: MaxPool2dOp | AvgPool2dOp,
    x: SSAValue,
    axes: Axes,
    start: tuple[float | int, Attribute],
    body: Body,
    builder: LinalgBuilder,
    unsigned: bool = False,
) -> SSAValue:
    """A generic that folds each window into ``start``: loops n, c, oh, ow (in the layout's order), kh, kw."""
    first = 1 if channels_last(op) else 2
    x = pad_images(builder, x, axes, first, start[0])
    image = dims(4)
    sizes = list(builder.sizes(x))
    for i, axis in enumerate(axes):
        image[first + i] = axis.position(first + i, 4 + i)
        sizes[first + i] = axis.count
    window = builder.empty([axis.window.size for axis in axes], element(x.type))
    into = builder.fill(start[0], sizes, start[1])
    iterators = [PARALLEL] * 4 + [REDUCTION] * 2
    inputs = [(x, image), (window, dims(2, 4))]
    return builder.generic(inputs, [(into, dims(4))], iterators, body, unsigned)[0]


def _divided(
    op: AvgPool2dOp, total: SSAValue, axes: Axes, kind: Attribute, builder: LinalgBuilder
) -> SSAValue:
    """The sums divided by the number of places of each window that count."""
    include = op.attribute("count_include_pad")
    first = 1 if channels_last(op) else 2
    sizes = builder.sizes(total)
    counts = [_static_counts(axis, include) for axis in axes]
    if counts[0] is None or counts[1] is None:
        return builder.map([(total, dims(4))], sizes, kind, _dynamic_division(axes, first, include, kind))
    table = np.multiply.outer(counts[0], counts[1])
    if table.size and (table == table.flat[0]).all():
        one = int(table.flat[0])
        return builder.map([(total, dims(4))], sizes, kind, lambda s, x: s.narrowed(s.div(x, one), kind))
    divisor = builder.constant(table.astype(numpy_dtype(element(total.type))))

    def body(s: Scalars, x: SSAValue, n: SSAValue) -> SSAValue:
        return s.narrowed(s.div(x, n), kind)

    return builder.map([(total, dims(4)), (divisor, dims(2, first))], sizes, kind, body)


def _static_counts(axis: Axis, include: bool) -> np.ndarray | None:
    if isinstance(axis.extent, int) and isinstance(axis.count, int):
        return places(axis.window, axis.count, axis.extent, include)
    return None


def _dynamic_division(axes: Axes, first: int, include: bool, kind: Attribute) -> Body:
    """A body that counts the places of the window at hand along both axes."""

    def body(s: Scalars, x: SSAValue) -> SSAValue:
        counts = [_count_at(s, axis, first + i, include) for i, axis in enumerate(axes)]
        count = s.emit(arith.IndexCastOp(s.mul(*counts), i64))
        return s.narrowed(s.div(x, s.emit(arith.SIToFPOp(count, x.type))), kind)  # pyright: ignore[reportArgumentType]

    return body


def _count_at(s: Scalars, axis: Axis, loop: int, include: bool) -> SSAValue:
    """The number of k below the window's size with ``low <= start + k * dilation < high``."""
    window = axis.window
    start = s.sub(s.mul(s.emit(linalg.IndexOp(loop)), window.stride), window.low)
    low, extra = (-window.low, window.high) if include else (0, 0)
    extent = axis.extent if isinstance(axis.extent, SSAValue) else s.constant(axis.extent, start.type)
    end = s.ceil_div(s.sub(s.add(extent, extra), start), window.dilation)
    begin = s.ceil_div(s.sub(low, start), window.dilation)
    taken = s.sub(s.minimum(end, window.size), s.maximum(begin, 0))
    return s.maximum(taken, 0)
