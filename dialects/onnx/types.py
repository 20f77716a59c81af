"""Types of ONNX values that the builtin dialect has no type for."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import (
    BFloat16Type,
    ComplexType,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E4M3FNUZType,
    Float8E5M2FNUZType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    Signedness,
    UnrankedTensorType,
)
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition

from lamina.dialects.core.diagnostics import error


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


_ELEMENT_TYPES: Mapping[int, Attribute] = {
    1: Float32Type(),
    2: IntegerType(8, Signedness.UNSIGNED),
    3: IntegerType(8),
    4: IntegerType(16, Signedness.UNSIGNED),
    5: IntegerType(16),
    6: IntegerType(32),
    7: IntegerType(64),
    8: StringType(),
    9: IntegerType(1),
    10: Float16Type(),
    11: Float64Type(),
    12: IntegerType(32, Signedness.UNSIGNED),
    13: IntegerType(64, Signedness.UNSIGNED),
    14: ComplexType(Float32Type()),
    15: ComplexType(Float64Type()),
    16: BFloat16Type(),
    17: Float8E4M3FNType(),
    18: Float8E4M3FNUZType(),
    19: Float8E5M2Type(),
    20: Float8E5M2FNUZType(),
    21: IntegerType(4, Signedness.UNSIGNED),
    22: IntegerType(4),
    23: Float4E2M1FNType(),
    24: Float8E8M0FNUType(),
    25: IntegerType(2, Signedness.UNSIGNED),
    26: IntegerType(2),
}


def element_type_of(data_type: int) -> Attribute:
    """The element type for a value of ``TensorProto.DataType``; 0 (undefined) is ``!onnx.any``."""
    if data_type == 0:
        return AnyType()
    element = _ELEMENT_TYPES.get(data_type)
    if element is None:
        raise error(
            f"tensor element type {data_type} is none of ONNX's", hint="the file is damaged or too new"
        )
    return element
