"""Lowering of ops that exist for derivatives."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from lamina.dialects.core.diagnostics import error
from lamina.dialects.nn.base import NnOp
from lamina.dialects.nn.convolution import Conv2dFilterGradientOp
from lamina.dialects.nn.shapes._windows import channels_last, windows
from lamina.lowering.linalg._builder import PARALLEL, REDUCTION, LinalgBuilder, dims, element
from lamina.lowering.linalg._contraction import contract, narrowed
from lamina.lowering.linalg._padding import axis_of
from lamina.lowering.linalg._reshape import collapse
from lamina.lowering.linalg.rules import linalg_rule
from lamina.lowering.linalg.rules.convolution import pad_images, split_dim


@linalg_rule("nn.stop_gradient")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    return operands[0]


@linalg_rule("nn.conv2d_filter_gradient")
def _(op: Conv2dFilterGradientOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    """A product of input and cotangent, summed over images and places: loops kh, kw, c, o, then n, i, j.

    The loop over output channels is innermost in both of what it reads and writes (channels-last), as the
    vectoriser wants it.
    """
    x, grad = operands
    last, groups = channels_last(op), op.attribute("groups")
    first = 1 if last else 2
    sizes = builder.sizes(x)
    rows, columns = windows(op, op.attribute("kernel"))
    axes = (axis_of(builder, rows, sizes[first]), axis_of(builder, columns, sizes[first + 1]))
    x = pad_images(builder, x, axes, first, 0)
    kernel = (rows.size, columns.size)
    channels = 3 if last else 1
    depth, count = builder.sizes(x)[channels], builder.sizes(grad)[channels]
    if groups == 1:
        result = [*kernel, depth, count] if last else [count, depth, *kernel]
        c, o = dims(2, 2) if last else [dims(4)[1], dims(4)[0]]
        n, i, j = dims(3, 4)
        place = [axes[0].position(5, 0 if last else 2), axes[1].position(6, 1 if last else 3)]
        image = [n, *place, c] if last else [n, c, *place]
        other = [n, i, j, o] if last else [n, o, i, j]
        iterators = [PARALLEL] * 4 + [REDUCTION] * 3
        product = contract(builder, (x, image), (grad, other), result, dims(4), iterators)
        return narrowed(builder, product, element(operands[0].type))
    if not isinstance(depth, int) or not isinstance(count, int):
        raise error("has groups of an unknown number of channels", op, hint="run nn-set-shapes")
    x, grad = split_dim(builder, x, channels, groups), split_dim(builder, grad, channels, groups)
    parts = [depth // groups, groups, count // groups]
    result = [*kernel, *parts] if last else [parts[1], parts[2], parts[0], *kernel]
    g, c, o = (dims(5)[k] for k in ((3, 2, 4) if last else (0, 2, 1)))
    n, i, j = dims(3, 5)
    place = [axes[0].position(6, 0 if last else 3), axes[1].position(7, 1 if last else 4)]
    image = [n, *place, g, c] if last else [n, g, c, *place]
    other = [n, i, j, g, o] if last else [n, g, o, i, j]
    product = contract(builder, (x, image), (grad, other), result, dims(5), [PARALLEL] * 5 + [REDUCTION] * 3)
    merged = [[0], [1], [2], [3, 4]] if last else [[0, 1], [2], [3], [4]]
    return narrowed(builder, collapse(builder, product, merged), element(operands[0].type))
