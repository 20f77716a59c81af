"""Operators that work element by element, with NumPy's broadcasting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from xdsl.dialects.builtin import AnyFloat, IntegerType, TensorType, i32
from xdsl.ir import Attribute, SSAValue

from lamina.dialects.onnx.types import element_type_of
from lamina.lowering.importing.emitter import Unsupported, element, shape
from lamina.lowering.onnx.node import Node
from lamina.lowering.onnx.rule_table import onnx_rule

_UNARY = {
    "Abs": "abs",
    "Acos": "acos",
    "Acosh": "acosh",
    "Asin": "asin",
    "Asinh": "asinh",
    "Atan": "atan",
    "Atanh": "atanh",
    "BitwiseNot": "bitwise_not",
    "Ceil": "ceil",
    "Cos": "cos",
    "Cosh": "cosh",
    "Erf": "erf",
    "Exp": "exp",
    "Floor": "floor",
    "IsNaN": "isnan",
    "Log": "log",
    "Neg": "neg",
    "Not": "logical_not",
    "Reciprocal": "reciprocal",
    "Round": "round",
    "Sign": "sign",
    "Sin": "sin",
    "Sinh": "sinh",
    "Sqrt": "sqrt",
    "Tan": "tan",
    "Tanh": "tanh",
}
_BINARY = {
    "Add": "add",
    "And": "logical_and",
    "BitwiseAnd": "bitwise_and",
    "BitwiseOr": "bitwise_or",
    "BitwiseXor": "bitwise_xor",
    "Div": "div",
    "Equal": "equal",
    "Greater": "greater",
    "GreaterOrEqual": "greater_equal",
    "Less": "less",
    "LessOrEqual": "less_equal",
    "Mul": "mul",
    "Or": "logical_or",
    "Sub": "sub",
    "Xor": "logical_xor",
}
_VARIADIC = {"Max": "maximum", "Min": "minimum", "Sum": "add"}


def _unary(name: str) -> Callable[[Node], SSAValue]:
    return lambda node: node.emit(name, node.operand(0))


def _binary(name: str) -> Callable[[Node], SSAValue]:
    return lambda node: node.emit(name, node.operand(0), node.operand(1))


def _variadic(name: str) -> Callable[[Node], SSAValue]:
    return lambda node: combined(node, name, node.all_operands())


for _op_type, _name in _UNARY.items():
    onnx_rule(_op_type)(_unary(_name))
for _op_type, _name in _BINARY.items():
    onnx_rule(_op_type)(_binary(_name))
for _op_type, _name in _VARIADIC.items():
    onnx_rule(_op_type)(_variadic(_name))


def combined(node: Node, name: str, values: Sequence[SSAValue]) -> SSAValue:
    """Values joined from the left by a binary op."""
    return reduce(lambda a, b: node.emit(name, a, b), values)


@onnx_rule("Mean")
def mean(node: Node) -> SSAValue:
    """The sum of the operands, divided by their number."""
    values = node.all_operands()
    total = combined(node, "add", values)
    return node.emit("div", total, node.constant_like(len(values), total))


@onnx_rule("Pow")
def power(node: Node) -> SSAValue:
    """The base's type is the result's; integers with an exponent that is a float are computed as floats."""
    base, exponent = node.operand(0), node.operand(1)
    kind = element(base)
    wide: Attribute = kind
    if isinstance(element(exponent), AnyFloat) and not isinstance(kind, AnyFloat):
        wide = element(exponent)
    result = node.emit("pow", node.cast(base, wide), node.cast(exponent, wide))
    return node.cast(result, kind)


@onnx_rule("Mod")
def modulo(node: Node) -> SSAValue:
    """With fmod the sign of the dividend, as in C; else that of the divisor, as in Python."""
    return node.emit("rem" if node.attribute("fmod") else "mod", node.operand(0), node.operand(1))


@onnx_rule("BitShift")
def bit_shift(node: Node) -> SSAValue:
    """A shift of unsigned integers."""
    left = node.attribute("direction") == "LEFT"
    return node.emit("shift_left" if left else "shift_right", node.operand(0), node.operand(1))


@onnx_rule("IsInf")
def is_infinite(node: Node) -> SSAValue:
    """Infinities of both signs, or of the sign that the attributes leave."""
    x = node.operand(0)
    result = node.emit("isinf", x)
    zero = node.constant_like(0, x)
    if not node.attribute("detect_negative"):
        result = node.emit("logical_and", result, node.emit("greater", x, zero))
    if not node.attribute("detect_positive"):
        result = node.emit("logical_and", result, node.emit("less", x, zero))
    return result


@onnx_rule("Where")
def where(node: Node) -> SSAValue:
    """A choice by a condition; all three operands broadcast."""
    return node.emit("select", node.operand(0), node.operand(1), node.operand(2))


@onnx_rule("Cast")
def cast(node: Node) -> SSAValue:
    """A conversion to the element type that an attribute names."""
    return _converted(node, element_type_of(node.attribute("to")))


@onnx_rule("CastLike")
def cast_like(node: Node) -> SSAValue:
    """A conversion to another operand's element type."""
    return _converted(node, element(node.operand(1)))


def _converted(node: Node, kind: Attribute) -> SSAValue:
    if not isinstance(kind, AnyFloat | IntegerType):
        raise Unsupported(f"a conversion to {kind} has no counterpart")
    x = node.operand(0)
    if isinstance(kind, IntegerType) and 1 < kind.width.data < 8 and isinstance(element(x), AnyFloat):
        x = node.cast(x, i32)  # ONNX wraps where nn.cast of a float saturates
    return x if element(x) == kind else node.emit("cast", x, result_types=[TensorType(kind, shape(x))])


@onnx_rule("Clip")
def clip_by_attributes(node: Node) -> SSAValue:
    """Bounds as attributes, each optional."""
    bounds = {name: node.attribute(name) for name in ("min", "max") if node.has(name)}
    return node.emit("clip", node.operand(0), **bounds) if bounds else node.operand(0)


@onnx_rule("Clip", since=11)
def clip(node: Node) -> SSAValue:
    """Bounds as scalar operands, each optional; constants become attributes."""
    x = node.operand(0)
    given = {name: i for i, name in ((1, "min"), (2, "max")) if node.optional(i) is not None}
    constants = {name: node.constant(i) for name, i in given.items()}
    if None not in constants.values():
        number = float if isinstance(element(x), AnyFloat) else int
        bounds: dict[str, Any] = {name: number(a.item()) for name, a in constants.items() if a is not None}
        return node.emit("clip", x, **bounds) if bounds else x
    for index, name in ((1, "maximum"), (2, "minimum")):
        bound = node.optional(index)
        if bound is not None:
            x = node.emit(name, x, node.emit("reshape", bound, shape=[]))
    return x
