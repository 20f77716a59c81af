"""Looking through unrealized casts, at constants, and into lists of integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    BFloat16Type,
    DenseArrayBase,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    UnrealizedConversionCastOp,
)
from xdsl.ir import Attribute, Operation, SSAValue


def is_cast_to(op: Operation, type: Attribute) -> bool:
    """Whether an operation is an unrealized cast of one value to the type."""
    return isinstance(op, UnrealizedConversionCastOp) and len(op.results) == 1 and op.results[0].type == type


def cast_source(value: SSAValue, wanted: Attribute) -> SSAValue | None:
    """The value of the wanted type that ``value`` was cast from, if it was."""
    owner = value.owner
    if isinstance(owner, UnrealizedConversionCastOp) and len(owner.operands) == 1:
        source = owner.operands[0]
        if source.type == wanted:
            return source
    return None


def constant_integer(value: SSAValue) -> int | None:
    """The value of an integer or index constant, seen through casts; None if it is none."""
    owner = value.owner
    while isinstance(owner, UnrealizedConversionCastOp) and len(owner.operands) == 1:
        owner = owner.operands[0].owner
    if isinstance(owner, Operation) and owner.name in ("arith.constant", "llvm.mlir.constant"):
        attribute = owner.properties.get("value")
        if isinstance(attribute, IntegerAttr):
            return attribute.value.data
    return None


def integers(attribute: Attribute) -> list[int]:
    """The values of an ``array<i64: …>`` attribute."""
    return [int(value) for value in cast(DenseArrayBase[IntegerType], attribute).get_values()]


def mixed(static: Attribute, dynamic: Sequence[SSAValue]) -> list[int | SSAValue]:
    """A list in which placeholders of a static list stand for the operands, in order."""
    operands = iter(dynamic)
    return [next(operands) if value == DYNAMIC_INDEX else value for value in integers(static)]


_FLOATS = (BFloat16Type, Float16Type, Float32Type, Float64Type)


def scalar_attribute(value: int | float, type: Attribute) -> Attribute:
    """The attribute of a scalar constant."""
    if isinstance(type, IntegerType):
        return IntegerAttr(int(value), type)
    assert isinstance(type, _FLOATS)
    return FloatAttr(value, type)
