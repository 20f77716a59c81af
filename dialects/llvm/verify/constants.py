"""``llvm.mlir.constant`` and ``zero``: the value fits the type."""

from __future__ import annotations

import math
from typing import Any

from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    VectorType,
)
from xdsl.dialects.llvm import LLVMArrayType, LLVMStructType
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.verifying.groups import attribute
from lamina.dialects.core.verifying.registry import verifies


@verifies("llvm.mlir.constant")
def verify_constant(op: Operation) -> None:
    """Integers, floats, strings, elements, and arrays of numbers for structures and arrays."""
    value, type = attribute(op, "value"), op.results[0].type
    if isinstance(value, StringAttr):
        array = isinstance(type, LLVMArrayType) and str(type.type) == "i8"
        if not array or type.size.data != len(value.data.encode("utf-8", "surrogateescape")):  # pyright: ignore[reportAttributeAccessIssue]
            length = len(value.data.encode("utf-8", "surrogateescape"))
            raise error(f"expected array type of {length} i8 elements for the string constant", op)
    elif isinstance(type, LLVMStructType):
        _check_struct(op, value, type)
    elif type.name == "llvm.target":
        raise error("does not support target extension type.", op)
    elif isinstance(value, IntegerAttr):
        if not isinstance(type, IntegerType):
            raise error("expected integer type", op)
    elif isinstance(value, FloatAttr):
        _check_float(op, value, type)
    elif isinstance(value, DenseIntOrFPElementsAttr | DenseResourceAttr):
        _check_elements(op, value, type)
    elif isinstance(value, ArrayAttr):
        if not isinstance(type, LLVMArrayType):
            raise error("expected array or struct type for array attribute", op)
        _check_array(op, value, type, 0)
    elif value.name in ("symbol_ref", "dictionary", "unit", "affine_map"):
        raise error("only supports integer, float, string or elements attributes", op)


def _check_float(op: Operation, value: FloatAttr, type: Any) -> None:
    if isinstance(type, IntegerType):
        if type.width.data != value.type.bitwidth:
            raise error(f"expected integer type of width {value.type.bitwidth}", op)
    elif not isinstance(type, AnyFloat):
        raise error("expected float type", op)
    elif type != value.type:
        raise error("attribute and type have different float semantics", op)


def _check_elements(op: Operation, value: Any, type: Any) -> None:
    if not isinstance(type, VectorType | LLVMArrayType):
        raise error("expected vector or array type", op)
    if isinstance(type, VectorType) and any(type.get_scalable_dims()):
        data = getattr(value, "data", None)
        whole = getattr(data, "data", b"")
        element = value.get_element_type()
        if isinstance(value, DenseResourceAttr) or len(whole) != element.compile_time_size:
            raise error("expected a splat operation for scalable vectors", op)
    innermost = type
    while isinstance(innermost, LLVMArrayType):
        innermost = innermost.type
    if isinstance(innermost, VectorType):
        innermost = innermost.element_type
    element = value.get_element_type()
    if isinstance(type, VectorType) and value.type.get_shape() and not any(type.get_scalable_dims()):
        counts = [math.prod(shaped.get_shape()) for shaped in (type, value.type)]
        if counts[0] != counts[1]:
            message = f"type and attribute have a different number of elements: {counts[0]} vs. {counts[1]}"
            raise error(message, op)
    if isinstance(element, AnyFloat):
        if isinstance(innermost, IntegerType) and innermost.width.data != element.bitwidth:
            raise error(f"expected integer type of width {element.bitwidth}", op)
        if isinstance(innermost, AnyFloat) and innermost != element:
            raise error("attribute and type have different float semantics", op)
    if isinstance(element, IntegerType) and not isinstance(innermost, IntegerType):
        raise error("expected integer element type for integer elements attribute", op)


def _check_struct(op: Operation, value: Any, type: LLVMStructType) -> None:
    types = type.types.data
    if isinstance(value, ArrayAttr):
        if len(value.data) != len(types):
            raise error(f"expected array attribute of size {len(types)}", op)
        for number, (element, wanted) in enumerate(zip(value.data, types, strict=True)):
            if not isinstance(wanted, IntegerType | AnyFloat):
                raise error("expected struct element types to be floating point type or integer type", op)
            if not isinstance(element, IntegerAttr | FloatAttr):
                raise error("expected element of array attribute to be floating point or integer", op)
            if element.type != wanted:
                raise error(f"struct element at index {number} is of wrong type", op)
        return
    if value.name.endswith("zero") or "llvm.zero" in str(value) or "undef" in str(value):
        return
    raise error(f"expected array attribute for struct type, got '{value}'", op)


def _check_array(op: Operation, value: ArrayAttr[Any], type: LLVMArrayType, dimension: int) -> None:
    if len(value.data) != type.size.data:
        message = (
            f"array attribute size does not match array type size in dimension {dimension}: "
            f"{len(value.data)} vs. {type.size.data}"
        )
        raise error(message, op)
    inner = type.type
    for number, element in enumerate(value.data):
        plain = "llvm.zero" in str(element) or "llvm.undef" in str(element)
        if isinstance(inner, LLVMArrayType):
            if isinstance(element, ArrayAttr):
                _check_array(op, element, inner, dimension + 1)
            elif not plain:
                message = (
                    f"nested attribute for sub-array in dimension {dimension + 1} at index {number} must be "
                    "a zero, or undef, or array attribute"
                )
                raise error(message, op)
        elif isinstance(inner, LLVMStructType):
            if isinstance(element, ArrayAttr) and len(element.data) != len(inner.types.data):
                message = (
                    f"nested array attribute size for struct element at index {number} must match struct "
                    f"size: {len(element.data)} vs. {len(inner.types.data)}"
                )
                raise error(message, op)
        elif isinstance(element, IntegerAttr | FloatAttr | ArrayAttr):
            raise error("for array with an array attribute must have a struct element type", op)
