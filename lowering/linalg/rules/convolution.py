"""Lowering of convolutions: named operations for one group, generics for several."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseIntElementsAttr, DenseIntOrFPElementsAttr, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr

from lamina.dialects.core.diagnostics import error
from lamina.dialects.linalg.convolutions import Conv2DNchwFchwOp, Conv2DNhwcHwcfOp
from lamina.dialects.nn.convolution import Conv2dOp
from lamina.dialects.nn.shapes._windows import channels_last, windows
from lamina.lowering.linalg._builder import PARALLEL, REDUCTION, LinalgBuilder, Size, dims, element
from lamina.lowering.linalg._contraction import contract, contract_named, narrowed
from lamina.lowering.linalg._padding import Axis, axis_of, pad_constant
from lamina.lowering.linalg._reshape import collapse, expand
from lamina.lowering.linalg._scalars import Scalars
from lamina.lowering.linalg.rules import linalg_rule

Axes = tuple[Axis, Axis]


@linalg_rule("nn.conv2d")
def _(op: Conv2dOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    x, w, *bias = operands
    last = channels_last(op)
    first = 1 if last else 2
    sizes, filters = builder.sizes(x), builder.sizes(w)
    kernel = filters[:2] if last else filters[2:]
    if not all(isinstance(n, int) for n in kernel):
        raise error(
            "has a filter of unknown height or width", op, hint="`nn-set-shapes` gives inputs a shape"
        )
    pair = windows(op, (kernel[0], kernel[1]))  # pyright: ignore[reportArgumentType]
    axes = (axis_of(builder, pair[0], sizes[first]), axis_of(builder, pair[1], sizes[first + 1]))
    x = pad_images(builder, x, axes, first, 0)
    result = _convolve(builder, x, w, axes, op.attribute("groups"), last)
    return _finish(builder, result, bias, element(x.type), 3 if last else 1)


def pad_images(builder: LinalgBuilder, x: SSAValue, axes: Axes, first: int, value: float | int) -> SSAValue:
    """Images padded along the two dimensions from ``first`` on."""
    low, high = [0] * 4, [0] * 4
    for i, axis in enumerate(axes):
        low[first + i], high[first + i] = axis.window.low, axis.high
    return pad_constant(builder, x, low, high, value)


def _convolve(
    builder: LinalgBuilder, x: SSAValue, w: SSAValue, axes: Axes, groups: int, last: bool
) -> SSAValue:
    sizes, filters = builder.sizes(x), builder.sizes(w)
    count = filters[3] if last else filters[0]
    places = (axes[0].count, axes[1].count)
    result = [sizes[0], *places, count] if last else [sizes[0], count, *places]
    if groups == 1:
        numbers = {
            "strides": _pair(axes[0].window.stride, axes[1].window.stride),
            "dilations": _pair(axes[0].window.dilation, axes[1].window.dilation),
        }
        named = Conv2DNhwcHwcfOp if last else Conv2DNchwFchwOp
        return contract_named(builder, named, [x, w], result, **numbers)
    depth = filters[2] if last else filters[1]
    if depth == 1 and count == groups:
        return _depthwise(builder, x, w, axes, result, last)
    return _grouped(builder, x, w, axes, result, groups, last)


def _pair(a: int, b: int) -> DenseIntElementsAttr:
    return DenseIntOrFPElementsAttr.from_list(TensorType(i64, [2]), [a, b])  # pyright: ignore[reportReturnType]


def _depthwise(
    builder: LinalgBuilder, x: SSAValue, w: SSAValue, axes: Axes, result: Sequence[Size], last: bool
) -> SSAValue:
    """One channel a group: loops n, c, oh, ow (in the layout's order), kh, kw."""
    places = (1, 2) if last else (2, 3)
    channel = AffineExpr.dimension(3 if last else 1)
    taps = dims(2, 4)
    image = dims(4)
    for i, axis in enumerate(axes):
        image[places[i]] = axis.position(places[i], 4 + i)
    zero = AffineExpr.constant(0)
    kernel = [*taps, zero, channel] if last else [channel, zero, *taps]
    return contract(builder, (x, image), (w, kernel), result, dims(4), [PARALLEL] * 4 + [REDUCTION] * 2)


def _grouped(
    builder: LinalgBuilder,
    x: SSAValue,
    w: SSAValue,
    axes: Axes,
    result: Sequence[Size],
    groups: int,
    last: bool,
) -> SSAValue:
    """The channels split into groups by views: loops n, g, o, oh, ow (in the layout's order), c, kh, kw."""
    channels = 3 if last else 1
    x = split_dim(builder, x, channels, groups)
    w = split_dim(builder, w, 3 if last else 0, groups)
    sizes = list(result)
    count = sizes[channels]
    assert isinstance(count, int)
    sizes[channels : channels + 1] = [groups, count // groups]
    c, kh, kw = dims(3, 5)
    g, o = dims(2, channels)
    row, column = (1, 2) if last else (3, 4)
    places = [axes[0].position(row, 6), axes[1].position(column, 7)]
    n = AffineExpr.dimension(0)
    image = [n, *places, g, c] if last else [n, g, c, *places]
    kernel = [kh, kw, c, g, o] if last else [g, o, c, kh, kw]
    product = contract(builder, (x, image), (w, kernel), sizes, dims(5), [PARALLEL] * 5 + [REDUCTION] * 3)
    merged = [[i] for i in range(channels)] + [[channels, channels + 1]]
    return collapse(builder, product, merged + [[i] for i in range(channels + 2, 5)])


def split_dim(builder: LinalgBuilder, x: SSAValue, dim: int, groups: int) -> SSAValue:
    """A view with one dimension split into groups."""
    sizes = list(builder.sizes(x))
    extent = sizes[dim]
    assert isinstance(extent, int)
    parts: list[list[int]] = [[i] for i in range(dim)] + [[dim, dim + 1]]
    parts += [[i + 1] for i in range(dim + 1, len(sizes))]
    sizes[dim : dim + 1] = [groups, extent // groups]
    return expand(builder, x, parts, sizes)


def _finish(
    builder: LinalgBuilder, result: SSAValue, bias: Sequence[SSAValue], kind: Attribute, channel: int
) -> SSAValue:
    """The bias added, and the sum rounded once if it ran in a wider type."""
    if not bias:
        return narrowed(builder, result, kind)

    def body(s: Scalars, x: SSAValue, b: SSAValue) -> SSAValue:
        return s.narrowed(s.add(x, s.widened(b, x.type)), kind)

    inputs = [(result, dims(4)), (bias[0], [AffineExpr.dimension(channel)])]
    return builder.map(inputs, builder.sizes(result), kind, body)
