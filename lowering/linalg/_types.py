"""Types of ``nn`` and what they become: tensors of bool are held as bytes, signs live in the operations."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    FunctionType,
    IntegerType,
    Signedness,
    StringAttr,
    TensorType,
    UnrankedTensorType,
    i1,
    i8,
)
from xdsl.ir import Attribute


def converted_element(element: Attribute) -> Attribute:
    """An element type at the level of linalg: i1 becomes i8, ``ui<N>`` and ``si<N>`` become ``i<N>``."""
    if isinstance(element, IntegerType):
        return i8 if element == i1 else IntegerType(element.width.data)
    return element


def converted_type(kind: Attribute) -> Attribute:
    """The type at the level of linalg of a value at the level of nn. Scalar i1 stays i1."""
    match kind:
        case TensorType():
            element = converted_element(kind.element_type)
            return kind if element == kind.element_type else TensorType(element, kind.shape, kind.encoding)
        case UnrankedTensorType():
            return UnrankedTensorType(converted_element(kind.element_type))
        case IntegerType() if kind.signedness.data is not Signedness.SIGNLESS:
            return IntegerType(kind.width.data)
        case FunctionType():
            inputs = [converted_type(t) for t in kind.inputs]
            return FunctionType.from_lists(inputs, [converted_type(t) for t in kind.outputs])
        case _:
            return kind


def dtype_note(kind: Attribute) -> StringAttr | None:
    """The ``nn.dtype`` of an argument or result whose element type changes, or None."""
    if isinstance(kind, TensorType) and converted_element(kind.element_type) != kind.element_type:
        return StringAttr(str(kind.element_type))
    return None


def element_of(kind: Attribute) -> Attribute:
    """The element type of a tensor type; a scalar's type is its own."""
    return kind.element_type if isinstance(kind, TensorType) else kind


def is_bool(element: Attribute) -> bool:
    """Whether an ``nn`` element type is bool."""
    return element == i1


def is_unsigned(element: Attribute) -> bool:
    """Whether an ``nn`` element type is compared and divided without a sign."""
    return isinstance(element, IntegerType) and (
        element.signedness.data is Signedness.UNSIGNED or element == i1
    )


def is_half(element: Attribute) -> bool:
    """Whether arithmetic on an element type is done in f32 and rounded after each operation."""
    return isinstance(element, Float16Type | BFloat16Type)
