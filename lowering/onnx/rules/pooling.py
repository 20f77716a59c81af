"""Pooling over windows and over all of an image."""

from __future__ import annotations

from typing import Any

from xdsl.ir import SSAValue

from lamina.lowering.importing.emitter import Unsupported, rank, shape, static_shape
from lamina.lowering.onnx.node import Node
from lamina.lowering.onnx.rule_table import onnx_rule
from lamina.lowering.onnx.rules._spatial import Windows, windows_of, with_unit_row, without_unit_row


@onnx_rule("MaxPool")
def max_pool(node: Node) -> SSAValue:
    """The largest element of each window."""
    if node.result_used(1):
        raise Unsupported("its second result, the indices, is not supported")
    return _pooled(node, "max_pool2d", node.operand(0), {})


@onnx_rule("AveragePool")
def average_pool(node: Node) -> SSAValue:
    """The mean of each window, with or without the padding in the divisor."""
    include = bool(node.attribute("count_include_pad", 0))
    return _pooled(node, "avg_pool2d", node.operand(0), {"count_include_pad": include})


@onnx_rule("LpPool")
def lp_pool(node: Node) -> SSAValue:
    """The p-norm of each window: the mean of \\|x\\|^p including all padding, times the window's size."""
    x, p = node.operand(0), node.attribute("p")
    if node.attribute("ceil_mode", 0):
        raise Unsupported("ceil_mode is not supported")
    powers = node.emit("pow", node.emit("abs", x), node.constant_like(p, x))
    means = _pooled(node, "avg_pool2d", powers, {"count_include_pad": True})
    size = 1
    for extent in node.attribute("kernel_shape"):
        size *= extent
    sums = node.emit("mul", means, node.constant_like(size, x))
    return node.emit("pow", sums, node.constant_like(1.0 / p, x))


def _pooled(node: Node, name: str, x: SSAValue, extra: dict[str, Any]) -> SSAValue:
    """Windows over 1, 2 or 3 spatial dimensions; means and maxima over 3 are taken one after the other."""
    windows = windows_of(node, shape(x)[2:], node.attribute("kernel_shape"))
    extra = {**extra, "ceil_mode": bool(node.attribute("ceil_mode", 0))}
    match windows.count:
        case 1:
            return without_unit_row(
                node, _pool2d(node, name, with_unit_row(node, x), windows.part(0, 1), extra)
            )
        case 2:
            return _pool2d(node, name, x, windows, extra)
        case 3:
            return _pool3d(node, name, x, windows, extra)
        case count:
            raise Unsupported(f"pooling over {count} dimensions is not supported")


def _pool2d(node: Node, name: str, x: SSAValue, windows: Windows, extra: dict[str, Any]) -> SSAValue:
    return node.emit(name, x, kernel=list(windows.kernel), **windows.attributes(), **extra)


def _pool3d(node: Node, name: str, x: SSAValue, windows: Windows, extra: dict[str, Any]) -> SSAValue:
    """First over height and width of each plane, then over the depth."""
    n, c, d, h, w = static_shape(x)
    planes = node.emit("reshape", x, shape=[n, c * d, h, w])
    planes = _pool2d(node, name, planes, windows.part(1, 3), extra)
    height, width = shape(planes)[2:]
    columns = node.emit("reshape", planes, shape=[n, c, d, height * width])
    turned = node.emit("transpose", columns, permutation=[0, 1, 3, 2])
    turned = _pool2d(node, name, turned, windows.part(0, 1), extra)
    columns = node.emit("transpose", turned, permutation=[0, 1, 3, 2])
    return node.emit("reshape", columns, shape=[n, c, shape(columns)[2], height, width])


def spatial_axes(x: SSAValue) -> list[int]:
    """The axes behind batch and channels."""
    return list(range(2, rank(x)))


@onnx_rule("GlobalAveragePool")
def global_average_pool(node: Node) -> SSAValue:
    """The mean over all spatial dimensions, which stay with extent 1."""
    x = node.operand(0)
    return node.emit("reduce_mean", x, axes=spatial_axes(x), keepdims=True)


@onnx_rule("GlobalMaxPool")
def global_max_pool(node: Node) -> SSAValue:
    """The maximum over all spatial dimensions, which stay with extent 1."""
    x = node.operand(0)
    return node.emit("reduce_max", x, axes=spatial_axes(x), keepdims=True)


@onnx_rule("GlobalLpPool")
def global_lp_pool(node: Node) -> SSAValue:
    """The p-norm over all spatial dimensions, which stay with extent 1."""
    x, p = node.operand(0), node.attribute("p")
    powers = node.emit("pow", node.emit("abs", x), node.constant_like(p, x))
    sums = node.emit("reduce_sum", powers, axes=spatial_axes(x), keepdims=True)
    return node.emit("pow", sums, node.constant_like(1.0 / p, x))


@onnx_rule("LRN")
def local_response_normalization(node: Node) -> SSAValue:
    """``x / (bias + alpha / size * sum of x^2 over size channels)^beta``."""
    x, size = node.operand(0), node.attribute("size")
    extents = static_shape(x)
    columns = 1
    for extent in extents[2:]:
        columns *= extent
    image = node.emit("reshape", node.emit("mul", x, x), shape=[extents[0], 1, extents[1], columns])
    means = node.emit(
        "avg_pool2d",
        image,
        kernel=[size, 1],
        strides=[1, 1],
        pads=[(size - 1) // 2, 0, size // 2, 0],
        dilations=[1, 1],
        count_include_pad=True,
    )
    means = node.emit("reshape", means, shape=list(extents))
    scaled = node.emit("mul", means, node.constant_like(node.attribute("alpha"), x))
    base = node.emit("add", scaled, node.constant_like(node.attribute("bias"), x))
    return node.emit("div", x, node.emit("pow", base, node.constant_like(node.attribute("beta"), x)))
