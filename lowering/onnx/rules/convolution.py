"""Convolutions of one to three spatial dimensions, and their transposes."""

from __future__ import annotations

from functools import reduce
from typing import Any

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from lamina.dialects.nn.base import DYNAMIC
from lamina.lowering.importing.emitter import Unsupported, element, rank, shape, static_shape
from lamina.lowering.onnx.node import Node
from lamina.lowering.onnx.rule_table import onnx_rule
from lamina.lowering.onnx.rules._spatial import (
    Windows,
    pad,
    padded,
    same_halves,
    windows_of,
    with_unit_row,
    without_unit_row,
)
from lamina.lowering.onnx.rules.shapes import to_shape


@onnx_rule("Conv")
def conv(node: Node) -> SSAValue:
    """Cross-correlation."""
    return convolved(node, node.operand(0), node.operand(1), node.optional(2))


def convolved(node: Node, x: SSAValue, w: SSAValue, bias: SSAValue | None) -> SSAValue:
    """ONNX's Conv of the given operands with the node's attributes."""
    kernel = shape(w)[2:]
    if DYNAMIC in kernel:
        raise Unsupported("the kernel's extents are dynamic")
    if rank(x) != rank(w):
        raise Unsupported(f"its operand has rank {rank(x)}, its filter rank {rank(w)}")
    windows = windows_of(node, shape(x)[2:], kernel)
    return _convolved(node, x, w, bias, windows, node.attribute("group"))


def _convolved(
    node: Node, x: SSAValue, w: SSAValue, bias: SSAValue | None, windows: Windows, groups: int
) -> SSAValue:
    if any(n < 0 for n in (*windows.low, *windows.high)):
        x, windows = padded(node, x, windows), windows.without_padding()
    match windows.count:
        case 1:
            row, filters = with_unit_row(node, x), with_unit_row(node, w)
            return without_unit_row(node, _conv2d(node, row, filters, bias, windows.part(0, 1), groups))
        case 2:
            return _conv2d(node, x, w, bias, windows, groups)
        case 3:
            return _conv3d(node, x, w, bias, windows, groups)
        case count:
            raise Unsupported(f"a convolution over {count} dimensions is not supported")


def _conv2d(
    node: Node, x: SSAValue, w: SSAValue, bias: SSAValue | None, windows: Windows, groups: int
) -> SSAValue:
    attributes: dict[str, Any] = {**windows.attributes(), "groups": groups, "layout": "NCHW"}
    return node.emit("conv2d", x, w, bias, **attributes)


def _conv3d(
    node: Node, x: SSAValue, w: SSAValue, bias: SSAValue | None, windows: Windows, groups: int
) -> SSAValue:
    """The sum over the kernel's depth of 2-d convolutions of planes, which count as images of the batch."""
    x = pad(node, x, [0, 0, windows.low[0], 0, 0], [0, 0, windows.high[0], 0, 0])
    n, c, d, h, wd = static_shape(x)
    stride, dilation, taps = windows.strides[0], windows.dilations[0], windows.kernel[0]
    count = (d - (taps - 1) * dilation - 1) // stride + 1
    if count <= 0:
        raise Unsupported("the kernel is deeper than the padded operand")
    planes = node.emit("transpose", x, permutation=[0, 2, 1, 3, 4])
    parts: list[SSAValue] = []
    for tap in range(taps):
        first = tap * dilation
        ends = [n, first + (count - 1) * stride + 1, c, h, wd]
        images = node.emit("slice", planes, starts=[0, first, 0, 0, 0], ends=ends, steps=[1, stride, 1, 1, 1])
        images = node.emit("reshape", images, shape=[n * count, c, h, wd])
        filters = node.emit("squeeze", _tap(node, w, tap), axes=[2])
        parts.append(_conv2d(node, images, filters, bias if tap == 0 else None, windows.part(1, 3), groups))
    total = reduce(lambda a, b: node.emit("add", a, b), parts)
    _, o, oh, ow = shape(total)
    volume = node.emit("reshape", total, shape=[n, count, o, oh, ow])
    return node.emit("transpose", volume, permutation=[0, 2, 1, 3, 4])


def _tap(node: Node, w: SSAValue, tap: int) -> SSAValue:
    """One plane of a 3-d filter."""
    extents = list(shape(w))
    starts, ends = [0] * 5, extents
    starts[2], ends[2] = tap, tap + 1
    return node.emit("slice", w, starts=starts, ends=ends, steps=[1] * 5)


@onnx_rule("ConvTranspose")
def conv_transpose(node: Node) -> SSAValue:
    """The gradient of a convolution: a convolution of the spread operand with the turned filter.

    The operand is spread by the strides. Padding of the result turns into ``(k - 1) * dilation - pad`` of
    the operand; output_padding is added at the high end.
    """
    x, w, bias = node.operand(0), node.operand(1), node.optional(2)
    groups, count = node.attribute("group"), rank(x) - 2
    kernel = node.attribute("kernel_shape", shape(w)[2:])
    strides = node.attribute("strides", (1,) * count)
    dilations = node.attribute("dilations", (1,) * count)
    reach = [(k - 1) * d for k, d in zip(kernel, dilations, strict=True)]
    low, high, extra = _result_padding(node, shape(x)[2:], reach, strides)
    spread = _spread(node, x, strides)
    spread = pad(
        node,
        spread,
        [0, 0, *(r - n for r, n in zip(reach, low, strict=True))],
        [0, 0, *(r - n + e for r, n, e in zip(reach, high, extra, strict=True))],
    )
    ones, zeros = (1,) * count, (0,) * count
    windows = Windows(tuple(kernel), ones, tuple(dilations), zeros, zeros)
    return _convolved(node, spread, _turned(node, w, groups), bias, windows, groups)


def _result_padding(
    node: Node, spatial: tuple[int, ...], reach: list[int], strides: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """What is cut off the full result, before and after, and what is added at the end."""
    count = len(spatial)
    extra = tuple(node.attribute("output_padding", (0,) * count))
    pads = tuple(node.attribute("pads", (0,) * 2 * count))
    mode, wanted = node.attribute("auto_pad", "NOTSET"), node.attribute("output_shape")
    if wanted is None and mode in ("NOTSET", "VALID"):
        return (
            (pads[:count], pads[count:], extra) if mode == "NOTSET" else ((0,) * count, (0,) * count, extra)
        )
    if wanted is None:
        totals = [r + 1 + e - s for r, e, s in zip(reach, extra, strides, strict=True)]
        totals = [max(total, 0) for total in totals]
    else:
        if DYNAMIC in spatial:
            raise Unsupported("its output_shape needs the input's extents, which are dynamic")
        full = [s * (n - 1) + e + r + 1 for n, e, r, s in zip(spatial, extra, reach, strides, strict=True)]
        totals = [f - w for f, w in zip(full, wanted[-count:], strict=True)]
    low, high = same_halves(totals, upper=mode == "SAME_UPPER")
    return low, high, extra


def _spread(node: Node, x: SSAValue, strides: tuple[int, ...]) -> SSAValue:
    """x with ``stride - 1`` zeros between its elements, one axis after the other."""
    for axis, stride in enumerate(strides, start=2):
        if stride == 1:
            continue
        apart = node.emit("unsqueeze", x, axes=[axis + 1])
        high = [0] * rank(apart)
        high[axis + 1] = stride - 1
        apart = node.emit("pad", apart, low=[0] * rank(apart), high=high, mode="constant")
        merged = merge_axes(node, apart, axis)
        # The zeros behind the last element are none of the spread operand's.
        ends = [2**63 - 1] * rank(merged)
        ends[axis] = -(stride - 1)
        x = node.emit("slice", merged, starts=[0] * rank(merged), ends=ends, steps=[1] * rank(merged))
    return x


def merge_axes(node: Node, x: SSAValue, axis: int) -> SSAValue:
    """x with an axis and the one behind it as one."""
    extents = shape(x)
    pair = extents[axis : axis + 2]
    merged = DYNAMIC if DYNAMIC in pair else pair[0] * pair[1]
    target = [*extents[:axis], merged, *extents[axis + 2 :]]
    if target.count(DYNAMIC) <= 1:
        return to_shape(node, x, target)
    sizes = node.emit("shape_of", x)
    parts = [
        node.emit("slice", sizes, starts=[0], ends=[axis], steps=[1]),
        node.integers([-1]),
        node.emit("slice", sizes, starts=[axis + 2], ends=[len(extents)], steps=[1]),
    ]
    parts = [part for part in parts if shape(part) != (0,)]
    kind = TensorType(element(x), target)
    return node.emit("dynamic_reshape", x, node.emit("concat", *parts, axis=0), result_types=[kind])


def _turned(node: Node, w: SSAValue, groups: int) -> SSAValue:
    """A transposed convolution's filter ``[C, O/G, k…]`` as a convolution's ``[O, C/G, k…]``, reversed."""
    c, o, *kernel = static_shape(w, "the filter")
    reverse = [-1] * len(kernel)
    w = node.emit(
        "slice",
        w,
        starts=[0, 0, *reverse],
        ends=[c, o, *[-(2**63)] * len(kernel)],
        steps=[1, 1, *reverse],
    )
    w = node.emit("reshape", w, shape=[groups, c // groups, o, *kernel])
    w = node.emit("transpose", w, permutation=[0, 2, 1, *range(3, 3 + len(kernel))])
    return node.emit("reshape", w, shape=[groups * o, c // groups, *kernel])
