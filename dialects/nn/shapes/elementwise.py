"""Result types of elementwise ops: broadcasting as in NumPy, with dynamic and zero-sized dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import SSAValue

from lamina.dialects.core.dtypes import numpy_dtype
from lamina.dialects.nn.activation_parameters import AxisOp
from lamina.dialects.nn.base import ShapeError, shape_rule
from lamina.dialects.nn.comparison import SelectOp
from lamina.dialects.nn.constant import ConstantOp
from lamina.dialects.nn.elementwise import BinaryOp, UnaryOp
from lamina.dialects.nn.kinds import Kind, require_kind
from lamina.dialects.nn.shapes._checks import broadcast, same_element, shape_of, type_of


def broadcast_all(values: Sequence[SSAValue]) -> tuple[int, ...]:
    """The shape that the shapes of tensors broadcast to."""
    return reduce(broadcast, (shape_of(v, f"operand {i}") for i, v in enumerate(values)))


def operand_type(op: UnaryOp | AxisOp) -> TensorType:
    """The type of the operand, whose elements are of a kind that the op takes."""
    kind = type_of(op.operands[0], "operand 0")
    require_kind("its operand", kind.element_type, op.ELEMENTS)
    return kind


@shape_rule(
    *("nn.add", "nn.sub", "nn.mul", "nn.div", "nn.mod", "nn.rem", "nn.pow", "nn.maximum", "nn.minimum"),
    *("nn.equal", "nn.not_equal", "nn.less", "nn.less_equal", "nn.greater", "nn.greater_equal"),
    *("nn.logical_and", "nn.logical_or", "nn.logical_xor"),
    *("nn.bitwise_and", "nn.bitwise_or", "nn.bitwise_xor", "nn.shift_left", "nn.shift_right"),
)
def binary(op: BinaryOp) -> list[TensorType]:
    """Broadcast shapes; the operands' element type, or i1 for comparisons."""
    element = same_element(op, op.operands)
    require_kind("its operands", element, op.ELEMENTS)
    return [TensorType(i1 if op.GIVES_BOOLEAN else element, broadcast_all(op.operands))]


@shape_rule(
    *("nn.neg", "nn.abs", "nn.sign", "nn.exp", "nn.expm1", "nn.log", "nn.log1p", "nn.sqrt", "nn.rsqrt"),
    *("nn.reciprocal", "nn.floor", "nn.ceil", "nn.round", "nn.sin", "nn.cos", "nn.tan", "nn.asin"),
    *("nn.acos", "nn.atan", "nn.sinh", "nn.cosh", "nn.asinh", "nn.acosh", "nn.atanh", "nn.tanh", "nn.erf"),
    *("nn.isnan", "nn.isinf", "nn.logical_not", "nn.bitwise_not"),
)
def unary(op: UnaryOp) -> list[TensorType]:
    """The operand's type, with i1 elements for predicates."""
    kind = operand_type(op)
    return [TensorType(i1, kind.get_shape()) if op.GIVES_BOOLEAN else kind]


@shape_rule("nn.select")
def select(op: SelectOp) -> list[TensorType]:
    """The three shapes broadcast; the element type is that of the values."""
    condition, on_true, on_false = op.operands
    require_kind("its condition", type_of(condition, "the condition").element_type, Kind.BOOLEAN)
    element = same_element(op, [on_true, on_false])
    require_kind("its values", element, Kind.ANY)
    return [TensorType(element, broadcast_all(op.operands))]


@shape_rule("nn.cast")
def cast(op: UnaryOp) -> list[TensorType]:
    """The operand's shape; the element type is the op's own choice, so it comes from the result."""
    source = type_of(op.operands[0], "the operand")
    require_kind("its operand", source.element_type, Kind.ANY)
    result = op.results[0].type if op.results else None
    if not isinstance(result, TensorType):
        raise ShapeError("needs its result type, which says the element type to convert to")
    require_kind("its result", result.element_type, Kind.ANY)
    return [TensorType(result.element_type, source.get_shape())]


@shape_rule("nn.bitcast")
def bitcast(op: UnaryOp) -> list[TensorType]:
    """The operand's shape; the element type is the result's, of the same width."""
    source = type_of(op.operands[0], "the operand")
    result = op.results[0].type if op.results else None
    if not isinstance(result, TensorType):
        raise ShapeError("needs its result type, which says the element type of the bits")
    for what, kind in (("its operand", source), ("its result", result)):
        require_kind(what, kind.element_type, Kind.NUMBER)
    widths = [numpy_dtype(kind.element_type).itemsize for kind in (source, result)]
    if widths[0] != widths[1]:
        raise ShapeError(f"elements of {source.element_type} and {result.element_type} differ in width")
    return [TensorType(result.element_type, source.get_shape())]


@shape_rule("nn.constant")
def constant(op: ConstantOp) -> list[TensorType]:
    """The type that the value carries."""
    kind = op.value.type
    if not isinstance(kind, TensorType):
        raise ShapeError(f"expects a value of tensor type, got {kind}")
    if not kind.has_static_shape():
        raise ShapeError(f"expects a value of static shape, got {kind}")
    require_kind("its value", kind.element_type, Kind.ANY)
    return [kind]
