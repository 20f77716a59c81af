"""Types of ONNX values that the builtin dialect has no type for."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition


@irdl_attr_definition
class AnyType(ParametrizedAttribute, TypeAttribute):
    """The element type of a tensor that the file does not tell and that no inference found."""

    name = "onnx.any"


@irdl_attr_definition
class StringType(ParametrizedAttribute, TypeAttribute):
    """The element type of tensors of strings."""

    name = "onnx.string"


@irdl_attr_definition
class SequenceType(ParametrizedAttribute, TypeAttribute):
    """A sequence of values of one type: ``!onnx.sequence<tensor<*xf32>>``."""

    name = "onnx.sequence"

    element: Attribute


@irdl_attr_definition
class OptionalType(ParametrizedAttribute, TypeAttribute):
    """A value or none: ``!onnx.optional<tensor<2xf32>>``."""

    name = "onnx.optional"

    element: Attribute


@irdl_attr_definition
class MapType(ParametrizedAttribute, TypeAttribute):
    """A map from integers or strings to values: ``!onnx.map<i64, tensor<*xf32>>``."""

    name = "onnx.map"

    key: Attribute
    element: Attribute


def unknown_type() -> UnrankedTensorType:
    """The type of a value about which nothing is known."""
    return UnrankedTensorType(AnyType())


def is_ranked_tensor(kind: Attribute) -> bool:
    """Whether a type is a tensor type of known rank and element type."""
    return isinstance(kind, TensorType) and not isinstance(kind.element_type, AnyType)
