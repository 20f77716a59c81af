"""Constants of converted types."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
    i32,
)
from xdsl.dialects.llvm import ConstantOp
from xdsl.ir import Attribute, SSAValue

from lamina.dialects.core.constants import splat_attr
from lamina.dialects.llvm.values import PoisonOp
from lamina.lowering.llvm._addresses import index_list
from lamina.lowering.llvm._conversion import Conversion, Maker
from lamina.lowering.llvm._types import bit_width, convert_type


def converted_attribute(value: Attribute) -> Attribute | None:
    """A constant's attribute with its type converted (``index`` to i64); None for other constants."""
    match value:
        case IntegerAttr():
            return IntegerAttr(value.value.data, convert_type(value.type)) if _is_index(value.type) else value  # pyright: ignore[reportArgumentType, reportCallIssue]
        case FloatAttr():
            return value
        case DenseIntOrFPElementsAttr() if isinstance(value.type, VectorType):
            if not _is_index(value.type.element_type):
                return value
            return DenseIntOrFPElementsAttr(convert_type(value.type), value.data)  # pyright: ignore[reportArgumentType]
        case _:
            return None


def _is_index(type: Attribute) -> bool:
    return isinstance(type, IndexType)


def splat(conversion: Conversion, value: int | float, type: Attribute) -> SSAValue:
    """A constant of a converted scalar or vector type with one value everywhere."""
    if not isinstance(type, VectorType):
        return conversion.constant(value, type)
    if bit_width(type.element_type) > 64:  # wider than any dtype that could hold the constant
        return broadcast(conversion, conversion.constant(value, type.element_type), type)
    return conversion.shared((value, type), lambda: (ConstantOp, type, {"value": splat_attr(value, type)}))


def vector_of(conversion: Conversion, values: list[int], type: VectorType[IntegerType]) -> SSAValue:
    """A constant integer vector with the given elements."""

    def make() -> Maker:
        return ConstantOp, type, {"value": DenseIntOrFPElementsAttr.from_list(type, values)}

    return conversion.shared((*values, type), make)


def poison(conversion: Conversion, type: Attribute) -> SSAValue:
    """A value of a type that nobody observes."""
    return conversion.shared(("poison", type), lambda: (PoisonOp, type, {}))


def length(type: Attribute) -> int:
    """The number of elements of a converted vector type."""
    assert isinstance(type, VectorType)
    return type.element_count()


def broadcast(conversion: Conversion, scalar: SSAValue, type: Attribute) -> SSAValue:
    """A vector with one value in every lane."""
    empty = poison(conversion, type)
    first = conversion.emit(llvm.InsertElementOp, (empty, scalar, conversion.constant(0, i32)), type)
    count = length(type)
    return first if count == 1 else shuffle(conversion, first, empty, [0] * count)


def shuffle(conversion: Conversion, a: SSAValue, b: SSAValue, mask: Sequence[int]) -> SSAValue:
    """The lanes of two vectors, one after the other, at the mask's positions."""
    assert isinstance(a.type, VectorType)
    result = a.type if length(a.type) == len(mask) else VectorType(a.type.element_type, [len(mask)])
    return conversion.emit(llvm.ShuffleVectorOp, (a, b), result, {"mask": index_list(tuple(mask))})
