"""Normalisations, and dropout."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import Float16Type, TensorType, f32, i1
from xdsl.ir import SSAValue

from lamina.dialects.core.constants import splat_attr
from lamina.dialects.nn.base import DYNAMIC
from lamina.dialects.onnx.types import element_type_of
from lamina.lowering.importing.emitter import Unsupported, axis_of, element, rank, shape
from lamina.lowering.onnx.node import Node
from lamina.lowering.onnx.rule_table import onnx_rule
from lamina.lowering.onnx.rules.shapes import to_shape


@onnx_rule("BatchNormalization")
def batch_normalization(node: Node) -> SSAValue | Sequence[SSAValue]:
    """Per channel, by the given mean and variance; in training mode by the batch's, which are updated."""
    x, scale, bias, mean, variance = (node.operand(i) for i in range(5))
    if not node.attribute("spatial", 1) or (
        node.opset < 14 and any(node.result_used(i) for i in range(1, 5))
    ):
        raise Unsupported("its training form before operator set 14 is not supported")
    kind = element(mean)
    scale, bias = node.cast(scale, kind), node.cast(bias, kind)
    attributes = {"epsilon": node.attribute("epsilon"), "axis": 1}
    wide = node.cast(x, kind)
    if not node.attribute("training_mode", 0):
        y = node.emit("batch_norm", wide, scale, bias, mean, variance, **attributes)
        return node.cast(y, element(x))
    axes = [d for d in range(rank(x)) if d != 1]
    batch_mean, batch_variance = moments(node, wide, axes, keepdims=False)
    y = node.emit("batch_norm", wide, scale, bias, batch_mean, batch_variance, **attributes)
    momentum = node.attribute("momentum")
    running = [
        node.emit(
            "add",
            node.emit("mul", old, node.constant_like(momentum, old)),
            node.emit("mul", new, node.constant_like(1 - momentum, new)),
        )
        for old, new in ((mean, batch_mean), (variance, batch_variance))
    ]
    return [node.cast(y, element(x)), *running]


def moments(node: Node, x: SSAValue, axes: list[int], keepdims: bool) -> tuple[SSAValue, SSAValue]:
    """Mean and biased variance over axes."""
    mean = node.emit("reduce_mean", x, axes=axes, keepdims=True)
    centred = node.emit("sub", x, mean)
    variance = node.emit("reduce_mean", node.emit("mul", centred, centred), axes=axes, keepdims=keepdims)
    return (mean if keepdims else node.emit("squeeze", mean, axes=axes)), variance


def normalized(node: Node, x: SSAValue, axes: list[int], epsilon: float) -> SSAValue:
    """``(x - mean) / sqrt(variance + epsilon)`` over axes."""
    mean, variance = moments(node, x, axes, keepdims=True)
    deviation = node.emit("sqrt", node.emit("add", variance, node.constant_like(epsilon, x)))
    return node.emit("div", node.emit("sub", x, mean), deviation)


def per_channel(node: Node, value: SSAValue, count: int) -> SSAValue:
    """A vector of channels, shaped to broadcast against ``[N, C, …]`` of ``count`` dimensions."""
    return node.emit("unsqueeze", value, axes=list(range(1, count - 1)))


def scaled(node: Node, x: SSAValue, scale: SSAValue, bias: SSAValue) -> SSAValue:
    """``x * scale + bias``."""
    return node.emit("add", node.emit("mul", x, scale), bias)


@onnx_rule("InstanceNormalization")
def instance_normalization(node: Node) -> SSAValue:
    """Over the spatial dimensions of each channel of each image."""
    x, scale, bias = (node.operand(i) for i in range(3))
    y = normalized(node, x, list(range(2, rank(x))), node.attribute("epsilon"))
    return scaled(node, y, *(per_channel(node, v, rank(x)) for v in (scale, bias)))


@onnx_rule("GroupNormalization", since=18)
def group_normalization_by_groups(node: Node) -> SSAValue:
    """Over groups of channels, with scale and bias per group."""
    return _group_normalization(node, scale_per_group=True)


@onnx_rule("GroupNormalization", since=21)
def group_normalization(node: Node) -> SSAValue:
    """Over groups of channels, with scale and bias per channel."""
    return _group_normalization(node, scale_per_group=False)


def _group_normalization(node: Node, scale_per_group: bool) -> SSAValue:
    x, scale, bias = (node.operand(i) for i in range(3))
    groups, extents = node.attribute("num_groups"), shape(x)
    if extents[1] == DYNAMIC:
        raise Unsupported("its operand's shape is dynamic")
    grouped = [extents[0], groups, extents[1] // groups, *extents[2:]]
    wide = node.cast(x, f32 if isinstance(element(x), Float16Type) else element(x))
    y = to_shape(node, wide, grouped)
    y = normalized(node, y, list(range(2, len(grouped))), node.attribute("epsilon"))
    parameters = [node.cast(v, element(wide)) for v in (scale, bias)]
    if scale_per_group:
        y = scaled(node, y, *(per_channel(node, v, len(grouped)) for v in parameters))
    y = to_shape(node, y, extents)
    if not scale_per_group:
        y = scaled(node, y, *(per_channel(node, v, len(extents)) for v in parameters))
    return node.cast(y, element(x))


@onnx_rule("LayerNormalization")
def layer_normalization(node: Node) -> SSAValue | Sequence[SSAValue]:
    """Over the last axes; further results are the mean and the inverse deviation."""
    x, scale, bias = node.operand(0), node.operand(1), node.optional(2)
    axis, epsilon = axis_of(node.attribute("axis"), rank(x)), node.attribute("epsilon")
    y = node.emit("layer_norm", x, scale, bias, axis=axis, epsilon=epsilon)
    if not (node.result_used(1) or node.result_used(2)):
        return y
    wide = node.cast(x, element_type_of(node.attribute("stash_type")))
    mean, variance = moments(node, wide, list(range(axis, rank(x))), keepdims=True)
    deviation = node.emit("rsqrt", node.emit("add", variance, node.constant_like(epsilon, wide)))
    return [y, mean, deviation]


@onnx_rule("RMSNormalization")
def rms_normalization(node: Node) -> SSAValue:
    """``x / sqrt(mean of x^2 + epsilon) * scale`` over the last axes."""
    x, scale = node.operand(0), node.operand(1)
    axes = list(range(axis_of(node.attribute("axis"), rank(x)), rank(x)))
    wide = node.cast(x, element_type_of(node.attribute("stash_type")))
    squares = node.emit("reduce_mean", node.emit("mul", wide, wide), axes=axes, keepdims=True)
    root = node.emit("sqrt", node.emit("add", squares, node.constant_like(node.attribute("epsilon"), wide)))
    y = node.cast(node.emit("div", wide, root), element(scale))
    return node.emit("mul", y, scale)


@onnx_rule("LpNormalization")
def lp_normalization(node: Node) -> SSAValue:
    """x over its 1-norm or 2-norm along an axis; 0 where the norm is 0."""
    x = node.operand(0)
    axes = [node.attribute("axis")]
    if node.attribute("p") == 1:
        norm = node.emit("reduce_sum", node.emit("abs", x), axes=axes, keepdims=True)
    else:
        norm = node.emit("sqrt", node.emit("reduce_sum", node.emit("mul", x, x), axes=axes, keepdims=True))
    zero = node.constant_like(0, x)
    return node.emit("select", node.emit("equal", norm, zero), zero, node.emit("div", x, norm))


@onnx_rule("MeanVarianceNormalization")
def mean_variance_normalization(node: Node) -> SSAValue:
    """Zero mean and unit variance over axes."""
    return normalized(node, node.operand(0), list(node.attribute("axes")), 1e-9)


@onnx_rule("Dropout")
def dropout(node: Node) -> SSAValue | Sequence[SSAValue]:
    """The operand, outside of training; the mask is all true."""
    training, ratio = node.constant(2), node.constant(1)
    active = node.optional(2) is not None and (training is None or bool(training))
    if active and not (ratio is not None and float(ratio) == 0):
        raise Unsupported("dropout in training mode is random")
    x = node.operand(0)
    if not node.result_used(1):
        return x
    if DYNAMIC in shape(x):
        kept = node.emit("equal", x, x)
        return [x, node.emit("logical_or", kept, node.constant_of(np.array(True)))]
    return [x, node.constant_of(splat_attr(True, TensorType(i1, shape(x))))]
