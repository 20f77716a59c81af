"""Quantised operators, by arithmetic: integers that stand for ``(q - zero point) * scale``."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import IntegerType, Signedness, TensorType, f32, i32
from xdsl.ir import Attribute, SSAValue

from lamina.dialects.nn.base import DYNAMIC
from lamina.dialects.nn.kinds import Kind, kind_of
from lamina.dialects.onnx.types import element_type_of
from lamina.lowering.importing.emitter import Unsupported, axis_of, element, rank, shape, static_shape
from lamina.lowering.onnx.node import Node
from lamina.lowering.onnx.rule_table import onnx_rule
from lamina.lowering.onnx.rules.convolution import convolved
from lamina.lowering.onnx.rules.linear import product

_UI8 = IntegerType(8, Signedness.UNSIGNED)


@onnx_rule("QuantizeLinear")
def quantize_linear(node: Node) -> SSAValue:
    """``saturate(round(x / scale) + zero point)``, per tensor, axis or block."""
    x, scale, zero = node.operand(0), node.operand(1), node.optional(2)
    kind: Attribute = _UI8 if zero is None else element(zero)
    if zero is None and node.attribute("output_dtype", 0):
        kind = element_type_of(node.attribute("output_dtype"))
    wide = node.cast(x, f32)
    scaled = node.emit("div", wide, node.cast(_spread(node, scale, x), f32))
    zero = None if zero is None else _spread(node, zero, x)
    return quantized(node, scaled, zero, kind)


def quantized(node: Node, scaled: SSAValue, zero: SSAValue | None, kind: Attribute) -> SSAValue:
    """Numbers in units of the scale, rounded half to even, moved by the zero point, saturated."""
    low, high = _limits(kind)
    rounded = node.emit("round", scaled)
    if zero is not None:
        rounded = node.emit("add", rounded, node.cast(zero, element(scaled)))
    clipped = node.emit("clip", rounded, min=float(low), max=float(high))
    return node.emit("cast", clipped, result_types=[TensorType(kind, shape(clipped))])


def _limits(kind: Attribute) -> tuple[int, int]:
    if kind_of(kind) is not Kind.INTEGER or not isinstance(kind, IntegerType):
        raise Unsupported(f"quantisation to {kind} is not supported")
    width = kind.width.data
    if kind.signedness.data is Signedness.UNSIGNED:
        return 0, 2**width - 1
    return -(2 ** (width - 1)), 2 ** (width - 1) - 1


def _spread(node: Node, parameter: SSAValue, x: SSAValue) -> SSAValue:
    """A scale or zero point, shaped to broadcast against x: of one element, per axis, or per block."""
    if rank(parameter) == 0:
        return parameter
    if shape(parameter) == (1,):
        return node.emit("reshape", parameter, shape=[])
    axis = axis_of(node.attribute("axis", 1), rank(x))
    if rank(parameter) == 1:
        behind = rank(x) - axis - 1
        return node.emit("unsqueeze", parameter, axes=list(range(1, behind + 1))) if behind else parameter
    block = node.attribute("block_size", 0)
    if not block:
        return parameter
    extents, wanted = static_shape(parameter), static_shape(x)
    apart = node.emit("unsqueeze", parameter, axes=[axis + 1])
    repeats = [block if d == axis + 1 else 1 for d in range(rank(apart))]
    joined = node.emit("tile", apart, repeats=repeats)
    joined = node.emit(
        "reshape", joined, shape=[n * block if d == axis else n for d, n in enumerate(extents)]
    )
    if extents[axis] * block == wanted[axis]:
        return joined
    return node.emit("slice", joined, starts=[0] * rank(x), ends=list(wanted), steps=[1] * rank(x))


@onnx_rule("DequantizeLinear")
def dequantize_linear(node: Node) -> SSAValue:
    """``(x - zero point) * scale``, per tensor, axis or block."""
    x, scale, zero = node.operand(0), node.operand(1), node.optional(2)
    scale = _spread(node, scale, x)
    if element(x) == i32 and zero is not None:
        x, zero = node.emit("sub", x, _spread(node, zero, x)), None
    wide = node.cast(x, f32)
    if zero is not None:
        wide = node.emit("sub", wide, node.cast(_spread(node, zero, x), f32))
    return node.cast(node.emit("mul", wide, node.cast(scale, f32)), element(scale))


@onnx_rule("DynamicQuantizeLinear")
def dynamic_quantize_linear(node: Node) -> list[SSAValue]:
    """To ui8, with scale and zero point from the range of the operand and 0."""
    x = node.operand(0)
    axes = list(range(rank(x)))
    zero = node.constant_like(0, x)
    low = node.emit("minimum", node.emit("reduce_min", x, axes=axes, keepdims=False), zero)
    high = node.emit("maximum", node.emit("reduce_max", x, axes=axes, keepdims=False), zero)
    scale = node.emit("div", node.emit("sub", high, low), node.constant_like(255, x))
    start = quantized(node, node.emit("div", node.emit("neg", low), scale), None, _UI8)
    y = quantized(node, node.emit("div", x, scale), start, _UI8)
    return [y, scale, start]


def _centred(node: Node, value: SSAValue, zero: SSAValue | None, axis: int | None = None) -> SSAValue:
    """Quantised numbers as i32 without their zero point, which may be one for each place of an axis."""
    wide = node.cast(value, i32)
    if zero is None:
        return wide
    wide_zero = node.cast(zero, i32)
    if shape(zero) == (1,):
        wide_zero = node.emit("reshape", wide_zero, shape=[])
    elif rank(zero) == 1 and axis is not None:
        behind = rank(value) - axis_of(axis, rank(value)) - 1
        wide_zero = (
            node.emit("unsqueeze", wide_zero, axes=list(range(1, behind + 1))) if behind else wide_zero
        )
    return node.emit("sub", wide, wide_zero)


@onnx_rule("MatMulInteger")
def matmul_integer(node: Node) -> SSAValue:
    """A product of quantised matrices in i32."""
    a = _centred(node, node.operand(0), node.optional(2), -2)
    return product(node, a, _centred(node, node.operand(1), node.optional(3), -1))


@onnx_rule("ConvInteger")
def conv_integer(node: Node) -> SSAValue:
    """A convolution of quantised tensors in i32."""
    x = _centred(node, node.operand(0), node.optional(2))
    return convolved(node, x, _centred(node, node.operand(1), node.optional(3), 0), None)


@onnx_rule("QLinearMatMul")
def qlinear_matmul(node: Node) -> SSAValue:
    """A product of quantised matrices, quantised again."""
    a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = (node.operand(i) for i in range(8))
    total = product(node, _centred(node, a, a_zero, -2), _centred(node, b, b_zero, -1))
    row_scale = _column(node, a_scale)
    return _requantized(node, total, row_scale, b_scale, y_scale, y_zero)


def _column(node: Node, scale: SSAValue) -> SSAValue:
    return node.emit("unsqueeze", scale, axes=[1]) if rank(scale) == 1 and shape(scale) != (1,) else scale


@onnx_rule("QLinearConv")
def qlinear_conv(node: Node) -> SSAValue:
    """A convolution of quantised tensors with an i32 bias, quantised again."""
    x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero = (node.operand(i) for i in range(8))
    total = convolved(node, _centred(node, x, x_zero), _centred(node, w, w_zero, 0), node.optional(8))
    if rank(w_scale) == 1 and shape(w_scale) != (1,):
        w_scale = node.emit("unsqueeze", w_scale, axes=list(range(1, rank(x) - 1)))
    return _requantized(node, total, x_scale, w_scale, y_scale, y_zero)


def _requantized(
    node: Node, total: SSAValue, scale: SSAValue, other: SSAValue, y_scale: SSAValue, y_zero: SSAValue
) -> SSAValue:
    """``saturate(round(total * scale * other / y_scale) + y_zero)``."""
    scales = [node.cast(_scalar(node, s), f32) for s in (scale, other, y_scale)]
    factor = node.emit("div", node.emit("mul", scales[0], scales[1]), scales[2])
    scaled = node.emit("mul", node.cast(total, f32), factor)
    return quantized(node, scaled, _scalar(node, y_zero), element(y_zero))


def _scalar(node: Node, value: SSAValue) -> SSAValue:
    """A parameter of one element as a scalar."""
    extents = shape(value)
    one = extents and DYNAMIC not in extents and int(np.prod(extents)) == 1
    return node.emit("reshape", value, shape=[]) if one else value
