"""Activation functions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.ir import SSAValue

from lamina.dialects.nn.base import DYNAMIC
from lamina.lowering.importing.emitter import Unsupported, axis_of, element, rank, shape
from lamina.lowering.onnx.node import Node
from lamina.lowering.onnx.rule_table import onnx_rule
from lamina.lowering.onnx.rules.shapes import to_shape

_FUNCTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "Celu": ("celu", ("alpha",)),
    "Elu": ("elu", ("alpha",)),
    "Gelu": ("gelu", ("approximate",)),
    "HardSigmoid": ("hard_sigmoid", ("alpha", "beta")),
    "HardSwish": ("hard_swish", ()),
    "LeakyRelu": ("leaky_relu", ("alpha",)),
    "Relu": ("relu", ()),
    "Selu": ("selu", ("alpha", "gamma")),
    "Sigmoid": ("sigmoid", ()),
    "Softplus": ("softplus", ()),
    "Softsign": ("softsign", ()),
    "ThresholdedRelu": ("thresholded_relu", ("alpha",)),
}
"""The `nn` op of a function and the attributes that both have under the same names."""


def _function(name: str, attributes: tuple[str, ...]) -> Callable[[Node], SSAValue]:
    return lambda node: node.emit(name, node.operand(0), **{a: node.attribute(a) for a in attributes})


for _op_type, (_name, _attributes) in _FUNCTIONS.items():
    onnx_rule(_op_type)(_function(_name, _attributes))


@onnx_rule("PRelu")
def prelu(node: Node) -> SSAValue:
    """x where positive, else slope * x; the slope broadcasts to x."""
    return node.emit("prelu", node.operand(0), node.operand(1))


@onnx_rule("Mish")
def mish(node: Node) -> SSAValue:
    """x * tanh(softplus(x))."""
    x = node.operand(0)
    return node.emit("mul", x, node.emit("tanh", node.emit("softplus", x)))


@onnx_rule("Swish")
def swish(node: Node) -> SSAValue:
    """x * sigmoid(alpha * x)."""
    x, alpha = node.operand(0), node.attribute("alpha")
    if alpha == 1:
        return node.emit("silu", x)
    scaled = node.emit("mul", x, node.constant_like(alpha, x))
    return node.emit("mul", x, node.emit("sigmoid", scaled))


@onnx_rule("Shrink")
def shrink(node: Node) -> SSAValue:
    """x + bias below -lambd, x - bias above lambd, else 0."""
    x = node.operand(0)
    bias, bound = (node.constant_like(node.attribute(name), x) for name in ("bias", "lambd"))
    zero = node.constant_like(0, x)
    below = node.emit("less", x, node.constant_like(-node.attribute("lambd"), x))
    above = node.emit("greater", x, bound)
    inner = node.emit("select", above, node.emit("sub", x, bias), zero)
    return node.emit("select", below, node.emit("add", x, bias), inner)


@onnx_rule("Softmax", since=13)
def softmax(node: Node) -> SSAValue:
    """Along one axis."""
    return node.emit("softmax", node.operand(0), axis=node.attribute("axis"))


@onnx_rule("LogSoftmax", since=13)
def log_softmax(node: Node) -> SSAValue:
    """Along one axis."""
    return node.emit("log_softmax", node.operand(0), axis=node.attribute("axis"))


@onnx_rule("Softmax")
def flattening_softmax(node: Node) -> SSAValue:
    """Before operator set 13: over all elements from the axis on."""
    return _over_trailing_axes(node, "softmax")


@onnx_rule("LogSoftmax")
def flattening_log_softmax(node: Node) -> SSAValue:
    """Before operator set 13: over all elements from the axis on."""
    return _over_trailing_axes(node, "log_softmax")


@onnx_rule("Hardmax")
def flattening_hardmax(node: Node) -> SSAValue:
    """Before operator set 13: over all elements from the axis on."""
    x, axis, extents = node.operand(0), *_trailing(node)
    matrix = _flattened(node, x, axis)
    return to_shape(node, _one_hot_maximum(node, matrix, 1), extents)


@onnx_rule("Hardmax", since=13)
def hardmax(node: Node) -> SSAValue:
    """1 at the first maximum along an axis, else 0."""
    return _one_hot_maximum(node, node.operand(0), axis_of(node.attribute("axis"), rank(node.operand(0))))


def _trailing(node: Node) -> tuple[int, tuple[int, ...]]:
    x = node.operand(0)
    axis = node.attribute("axis")
    return (axis if axis == rank(x) else axis_of(axis, rank(x))), shape(x)


def _over_trailing_axes(node: Node, name: str) -> SSAValue:
    """A softmax along the axis where it spans one dimension, else of the flattened matrix."""
    x, axis, extents = node.operand(0), *_trailing(node)
    if all(n == 1 for n in extents[axis + 1 :]) and axis < len(extents):
        return node.emit(name, x, axis=axis)
    if extents.count(DYNAMIC) > 1 or DYNAMIC in extents[axis:]:
        return _spelled_out(node, x, list(range(axis, len(extents))), logarithm=name == "log_softmax")
    return to_shape(node, node.emit(name, _flattened(node, x, axis), axis=1), extents)


def _flattened(node: Node, x: SSAValue, axis: int) -> SSAValue:
    extents = shape(x)
    if extents.count(DYNAMIC) > 1 or DYNAMIC in extents[axis:]:
        raise Unsupported("the dimensions from its axis on are dynamic")
    columns = int(np.prod(extents[axis:], dtype=np.int64))
    rows = DYNAMIC if DYNAMIC in extents else int(np.prod(extents[:axis], dtype=np.int64))
    return to_shape(node, x, [rows, columns])


def _spelled_out(node: Node, x: SSAValue, axes: list[int], logarithm: bool) -> SSAValue:
    """A softmax over several axes of unknown extent."""
    shifted = node.emit("sub", x, node.emit("reduce_max", x, axes=axes, keepdims=True))
    exponentials = node.emit("exp", shifted)
    total = node.emit("reduce_sum", exponentials, axes=axes, keepdims=True)
    if logarithm:
        return node.emit("sub", shifted, node.emit("log", total))
    return node.emit("div", exponentials, total)


def _one_hot_maximum(node: Node, x: SSAValue, axis: int) -> SSAValue:
    extent = shape(x)[axis]
    if extent == DYNAMIC:
        raise Unsupported(f"axis {axis} is dynamic")
    place = node.emit("argmax", x, axis=axis, keepdims=True)
    places = np.arange(extent).reshape([extent] + [1] * (rank(x) - axis - 1))
    return node.cast(node.emit("equal", place, node.constant_of(places)), element(x))
