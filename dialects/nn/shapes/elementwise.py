"""Result types of elementwise ops: broadcasting as in NumPy, with dynamic and zero-sized dimensions."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import Attribute, SSAValue

from lamina.dialects.nn.base import DYNAMIC, ShapeError, shape_rule
from lamina.dialects.nn.constant import ConstantOp
from lamina.dialects.nn.elementwise import BinaryOp, UnaryOp
from lamina.dialects.nn.kinds import Kind, require_kind, tensor_type


def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    """The shape that shapes broadcast to, as in NumPy. Raises :class:`ShapeError` where they do not.

    An unknown extent against a known one other than 1 is assumed to match it (or to be 1); against 1 it
    stays unknown.
    """
    rank = max(len(shape) for shape in shapes)
    aligned = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    result: list[int] = []
    for i, extents in enumerate(zip(*aligned, strict=True)):
        fixed = {n for n in extents if n not in (1, DYNAMIC)}
        if len(fixed) > 1:
            listed = " and ".join(shape_text(shape) for shape in shapes)
            raise ShapeError(
                f"operands of shapes {listed} do not broadcast: "
                f"dimension {i - rank} is {' and '.join(str(n) for n in sorted(fixed))}"
            )
        result.append(fixed.pop() if fixed else DYNAMIC if DYNAMIC in extents else 1)
    return tuple(result)


def shape_text(shape: Sequence[int]) -> str:
    """A shape as messages show it: ``[2, ?, 3]``."""
    return "[" + ", ".join("?" if n == DYNAMIC else str(n) for n in shape) + "]"


def equal_elements(a: SSAValue, b: SSAValue) -> Attribute:
    """The one element type of two tensors. Raises :class:`ShapeError` where they differ."""
    first, second = tensor_type(a).element_type, tensor_type(b).element_type
    if first != second:
        raise ShapeError(f"expects operands of one element type, got {first} and {second}")
    return first


@shape_rule(
    *("nn.add", "nn.sub", "nn.mul", "nn.div", "nn.mod", "nn.rem", "nn.pow", "nn.maximum", "nn.minimum"),
    *("nn.equal", "nn.not_equal", "nn.less", "nn.less_equal", "nn.greater", "nn.greater_equal"),
    *("nn.logical_and", "nn.logical_or", "nn.logical_xor"),
    *("nn.bitwise_and", "nn.bitwise_or", "nn.bitwise_xor", "nn.shift_left", "nn.shift_right"),
)
def binary(op: BinaryOp) -> list[TensorType]:
    """Broadcast shapes; the operands' element type, or i1 for comparisons."""
    element = equal_elements(*op.operands)
    require_kind("its operands", element, op.ELEMENTS)
    shape = broadcast_shapes(*(tensor_type(v).get_shape() for v in op.operands))
    return [TensorType(i1 if op.GIVES_BOOLEAN else element, shape)]


@shape_rule(
    *("nn.neg", "nn.abs", "nn.sign", "nn.exp", "nn.expm1", "nn.log", "nn.log1p", "nn.sqrt", "nn.rsqrt"),
    *("nn.reciprocal", "nn.floor", "nn.ceil", "nn.round", "nn.sin", "nn.cos", "nn.tan", "nn.asin"),
    *("nn.acos", "nn.atan", "nn.sinh", "nn.cosh", "nn.asinh", "nn.acosh", "nn.atanh", "nn.tanh", "nn.erf"),
    *("nn.isnan", "nn.isinf", "nn.logical_not", "nn.bitwise_not"),
)
def unary(op: UnaryOp) -> list[TensorType]:
    """The operand's type, with i1 elements for predicates."""
    kind = tensor_type(op.operands[0])
    require_kind("its operand", kind.element_type, op.ELEMENTS)
    return [TensorType(i1, kind.get_shape()) if op.GIVES_BOOLEAN else kind]


@shape_rule("nn.select")
def select(op: BinaryOp) -> list[TensorType]:
    """The three shapes broadcast; the element type is that of the values."""
    condition, on_true, on_false = op.operands
    require_kind("its condition", tensor_type(condition).element_type, Kind.BOOLEAN)
    element = equal_elements(on_true, on_false)
    require_kind("its values", element, Kind.ANY)
    return [TensorType(element, broadcast_shapes(*(tensor_type(v).get_shape() for v in op.operands)))]


@shape_rule("nn.cast")
def cast(op: UnaryOp) -> list[TensorType]:
    """The operand's shape; the element type is the op's own choice, so it comes from the result."""
    source = tensor_type(op.operands[0])
    require_kind("its operand", source.element_type, Kind.ANY)
    result = op.results[0].type if op.results else None
    if not isinstance(result, TensorType):
        raise ShapeError("needs its result type, which says the element type to convert to")
    require_kind("its result", result.element_type, Kind.ANY)
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
