"""LLVM IR text of constants: scalars, vectors, arrays and structs, in the exact (hexadecimal) spelling."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    VectorType,
)
from xdsl.dialects.llvm import LLVMArrayType, LLVMPointerType, LLVMStructType
from xdsl.ir import Attribute

from lamina.dialects.core.constants import as_array, is_splat
from lamina.dialects.core.diagnostics import error
from lamina.lowering.codegen.llvm_types import Types


def float_literal(value: float, kind: Attribute) -> str:
    """A floating-point value of a type, bit for bit: LLVM reads decimal text only where it is exact."""
    match kind:
        case Float64Type():
            return f"0x{int(np.float64(value).view(np.uint64)):016X}"
        case Float32Type():
            with np.errstate(over="ignore", invalid="ignore"):
                rounded = np.float64(np.float32(value))
            return f"0x{int(rounded.view(np.uint64)):016X}"
        case Float16Type():
            with np.errstate(over="ignore"):
                return f"0xH{int(np.float16(value).view(np.uint16)):04X}"
        case BFloat16Type():
            import ml_dtypes

            return f"0xR{int(np.asarray(value, ml_dtypes.bfloat16).view(np.uint16)):04X}"
        case _:
            raise error(f"constants of type '{kind}' are not supported in LLVM IR text")


def integer_literal(value: int, kind: Attribute) -> str:
    """An integer of a type, in the signed spelling; an i1 is ``true`` or ``false``."""
    width = kind.width.data if isinstance(kind, IntegerType) else 64
    if width == 1:
        return "true" if value & 1 else "false"
    half = 1 << (width - 1)
    return str(((value + half) & ((1 << width) - 1)) - half)


def literal(attribute: Attribute, kind: Attribute, types: Types) -> str:
    """The text of a constant attribute as a value of an llvm-level type (without the type in front)."""
    match attribute:
        case IntegerAttr():
            if isinstance(kind, LLVMPointerType):
                return (
                    "null" if attribute.value.data == 0 else f"inttoptr (i64 {attribute.value.data} to ptr)"
                )
            return _scalar(attribute.value.data, kind)
        case FloatAttr():
            return _scalar(attribute.value.data, kind)
        case StringAttr():
            return bytes_literal(attribute.data.encode())
        case UnitAttr():
            return "zeroinitializer"
        case DenseIntOrFPElementsAttr() | DenseResourceAttr():
            return _dense(attribute, kind, types)
        case ArrayAttr():
            return _aggregate(attribute, kind, types)
        case _ if (word := _WORDS.get(str(attribute))) is not None:
            return word
        case _:
            raise error(f"constant '{attribute}' of type '{kind}' has no LLVM IR counterpart")


_WORDS = {"#llvm.zero": "zeroinitializer", "#llvm.undef": "undef", "#llvm.poison": "poison"}


def _scalar(value: float | int, kind: Attribute) -> str:
    if isinstance(kind, IntegerType | IndexType):
        return integer_literal(int(value), kind)
    if isinstance(kind, VectorType):  # a scalar attribute of a vector type is a splat
        element = kind.element_type
        return f"splat ({Types().text(element)} {_scalar(value, element)})"
    return float_literal(float(value), kind)


def bytes_literal(data: bytes) -> str:
    """An array of bytes as ``c"…"``."""
    plain = (chr(b) if 32 <= b < 127 and b not in (34, 92) else f"\\{b:02X}" for b in data)
    return f'c"{"".join(plain)}"'


def _dense(attribute: Attribute, kind: Attribute, types: Types) -> str:
    """A dense attribute as vector or (nested) array."""
    array = as_array(attribute)
    if array.size and not np.ascontiguousarray(array).reshape(-1).view(np.uint8).any():
        return "zeroinitializer"
    element = _innermost(kind)
    if (
        isinstance(kind, VectorType)
        and len(kind.get_shape()) == 1
        and (is_splat(attribute) or array.size == 1)
    ):
        return f"splat ({types.text(element)} {_element_writer(element)(array.reshape(-1)[0])})"
    return _nested(array.reshape(-1), kind, types, _element_writer(element))


def _innermost(kind: Attribute) -> Attribute:
    """The element type below any arrays and vectors."""
    while isinstance(kind, LLVMArrayType | VectorType):
        kind = kind.type if isinstance(kind, LLVMArrayType) else kind.element_type
    return kind


def _element_writer(element: Attribute) -> Callable[[np.generic], str]:
    if isinstance(element, IntegerType | IndexType):
        return lambda value: integer_literal(int(value), element)
    return lambda value: float_literal(float(value), element)


def _nested(flat: np.ndarray, kind: Attribute, types: Types, write: Callable[[np.generic], str]) -> str:
    """The flat elements as a value of a nested array or vector type."""
    if isinstance(kind, LLVMArrayType):
        count, inner, brackets = kind.size.data, kind.type, "[]"
    elif isinstance(kind, VectorType):
        outer, *rest = kind.get_shape()
        inner = VectorType(kind.element_type, rest) if rest else kind.element_type
        count, brackets = outer, "[]" if rest else "<>"
    else:
        return write(flat[0])
    if not count:
        return "zeroinitializer"
    prefix = types.text(inner)
    if not isinstance(inner, LLVMArrayType | VectorType):
        return brackets[0] + ", ".join(f"{prefix} {write(v)}" for v in flat) + brackets[1]
    step = flat.size // count
    parts = (_nested(flat[i * step : (i + 1) * step], inner, types, write) for i in range(count))
    return brackets[0] + ", ".join(f"{prefix} {part}" for part in parts) + brackets[1]


def _aggregate(attribute: ArrayAttr[Attribute], kind: Attribute, types: Types) -> str:
    """An array attribute as struct (one attribute a field) or array."""
    if isinstance(kind, LLVMStructType):
        fields, brackets = list(kind.types.data), "{}"
    elif isinstance(kind, LLVMArrayType):
        fields, brackets = [kind.type] * kind.size.data, "[]"
    else:
        raise error(f"an array attribute cannot be a constant of type '{kind}'")
    parts = (f"{types.text(t)} {literal(a, t, types)}" for a, t in zip(attribute.data, fields, strict=True))
    return brackets[0] + " " + ", ".join(parts) + " " + brackets[1]
