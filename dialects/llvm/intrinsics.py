"""Elementwise llvm intrinsics on integers, floats, and vectors of them.

The families differ in operands, flags and syntax only, so a class is a name and a line of meaning.
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import (
    I1,
    AnyFloatConstr,
    BoolAttr,
    IntegerAttr,
    SignlessIntegerConstraint,
    VectorType,
    i32,
)
from xdsl.dialects.llvm import FastMathAttr, LLVMStructType
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import NoMemoryEffect, Pure

FLOAT_LIKE = AnyFloatConstr | VectorType.constr(AnyFloatConstr)
INTEGER_LIKE = SignlessIntegerConstraint | VectorType.constr(SignlessIntegerConstraint)
CALL_LIKE = "`(` operands `)` attr-dict `:` functional-type(operands, results)"


class UnaryFloatIntrinsic(IRDLOperation, ABC):
    """``T -> T`` on floats, with fastmath flags."""

    T: ClassVar = VarConstraint("T", FLOAT_LIKE)
    arg = operand_def(T)
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = CALL_LIKE


class BinaryFloatIntrinsic(IRDLOperation, ABC):
    """``(T, T) -> T`` on floats, with fastmath flags."""

    T: ClassVar = VarConstraint("T", FLOAT_LIKE)
    a = operand_def(T)
    b = operand_def(T)
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = CALL_LIKE


class UnaryIntegerIntrinsic(IRDLOperation, ABC):
    """``T -> T`` on integers."""

    T: ClassVar = VarConstraint("T", INTEGER_LIKE)
    arg = operand_def(T)
    res = result_def(T)
    traits = traits_def(Pure())
    assembly_format = CALL_LIKE


class BinaryIntegerIntrinsic(IRDLOperation, ABC):
    """``(T, T) -> T`` on integers."""

    T: ClassVar = VarConstraint("T", INTEGER_LIKE)
    a = operand_def(T)
    b = operand_def(T)
    res = result_def(T)
    traits = traits_def(Pure())
    assembly_format = CALL_LIKE


class OverflowIntrinsic(IRDLOperation, ABC):
    """``(T, T) -> struct<(T, i1)>``: the wrapped result, and whether it wrapped. Generic syntax."""

    T: ClassVar = VarConstraint("T", INTEGER_LIKE)
    a = operand_def(T)
    b = operand_def(T)
    res = result_def(LLVMStructType)
    traits = traits_def(Pure())


def _named(base: type[IRDLOperation], class_name: str, op_name: str, doc: str) -> type[IRDLOperation]:
    return irdl_op_definition(
        type(class_name, (base,), {"name": op_name, "__doc__": doc, "__module__": __name__})
    )


_UNARY_FLOAT = {
    "tan": "Tangent.",
    "asin": "Inverse sine.",
    "acos": "Inverse cosine.",
    "atan": "Inverse tangent.",
    "sinh": "Hyperbolic sine.",
    "cosh": "Hyperbolic cosine.",
    "tanh": "Hyperbolic tangent.",
    "exp10": "Ten to the power of the operand.",
    "log10": "Logarithm to base ten.",
    "trunc": "Nearest integral value toward zero.",
    "round": "Nearest integral value, halves away from zero.",
    "roundeven": "Nearest integral value, halves to even.",
    "rint": "Nearest integral value in the current rounding mode, may raise inexact.",
    "nearbyint": "Nearest integral value in the current rounding mode.",
    "canonicalize": "The canonical encoding of the operand.",
}
_BINARY_FLOAT = {
    "maximum": "IEEE-754-2019 maximum: NaN propagates, -0 < +0.",
    "minimum": "IEEE-754-2019 minimum: NaN propagates, -0 < +0.",
    "atan2": "Angle of the point (b, a).",
}
_UNARY_INTEGER = {
    "ctpop": "Number of one bits.",
    "bswap": "Bytes in reverse order.",
    "bitreverse": "Bits in reverse order.",
}
_BINARY_INTEGER = {
    "smax": "Signed maximum.",
    "smin": "Signed minimum.",
    "umax": "Unsigned maximum.",
    "umin": "Unsigned minimum.",
    "sadd.sat": "Signed sum, saturating.",
    "uadd.sat": "Unsigned sum, saturating.",
    "ssub.sat": "Signed difference, saturating.",
    "usub.sat": "Unsigned difference, saturating.",
}
_OVERFLOW = {
    f"{sign}{operation}.with.overflow": f"{text} {operation} with a carry flag."
    for sign, text in (("s", "Signed"), ("u", "Unsigned"))
    for operation in ("add", "sub", "mul")
}
_FAMILIES = {
    UnaryFloatIntrinsic: _UNARY_FLOAT,
    BinaryFloatIntrinsic: _BINARY_FLOAT,
    UnaryIntegerIntrinsic: _UNARY_INTEGER,
    BinaryIntegerIntrinsic: _BINARY_INTEGER,
    OverflowIntrinsic: _OVERFLOW,
}

BY_NAME: dict[str, type[IRDLOperation]] = {
    f"llvm.intr.{short}": _named(base, short.title().replace(".", "") + "Op", f"llvm.intr.{short}", doc)
    for base, names in _FAMILIES.items()
    for short, doc in names.items()
}
"""The intrinsics above by full operation name, for example ``llvm.intr.tanh``."""


@irdl_op_definition
class FMulAddOp(IRDLOperation):
    """``a * b + c``, fused where that is faster on the target."""

    T: ClassVar = VarConstraint("T", FLOAT_LIKE)
    name = "llvm.intr.fmuladd"
    a = operand_def(T)
    b = operand_def(T)
    c = operand_def(T)
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = CALL_LIKE


@irdl_op_definition
class PowIOp(IRDLOperation):
    """A float to an integral power."""

    T: ClassVar = VarConstraint("T", FLOAT_LIKE)
    name = "llvm.intr.powi"
    val = operand_def(T)
    power = operand_def(SignlessIntegerConstraint)
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = CALL_LIKE


@irdl_op_definition
class AbsOp(IRDLOperation):
    """Absolute value of an integer; the least one maps to itself, or to poison. Generic syntax."""

    T: ClassVar = VarConstraint("T", INTEGER_LIKE)
    name = "llvm.intr.abs"
    arg = operand_def(T)
    res = result_def(T)
    is_int_min_poison = prop_def(BoolAttr)
    traits = traits_def(Pure())


class CountZeros(IRDLOperation, ABC):
    """Number of zeros at one end; the width for zero, or poison. Generic syntax."""

    T: ClassVar = VarConstraint("T", INTEGER_LIKE)
    arg = operand_def(T)
    res = result_def(T)
    is_zero_poison = prop_def(BoolAttr)
    traits = traits_def(Pure())


@irdl_op_definition
class CountLeadingZerosOp(CountZeros):
    """Zeros above the highest one bit."""

    name = "llvm.intr.ctlz"


@irdl_op_definition
class CountTrailingZerosOp(CountZeros):
    """Zeros below the lowest one bit."""

    name = "llvm.intr.cttz"


@irdl_op_definition
class IsFPClassOp(IRDLOperation):
    """Whether a float is of a class in LLVM's bit mask (3: NaN, 516: infinity …). Generic syntax."""

    name = "llvm.intr.is.fpclass"
    arg = operand_def(FLOAT_LIKE)
    res = result_def(I1 | VectorType[I1])
    bit = prop_def(IntegerAttr[i32])
    traits = traits_def(NoMemoryEffect())


class FunnelShift(IRDLOperation, ABC):
    """``(T, T, T) -> T``: the concatenation of a and b, shifted by c modulo the width."""

    T: ClassVar = VarConstraint("T", INTEGER_LIKE)
    a = operand_def(T)
    b = operand_def(T)
    c = operand_def(T)
    res = result_def(T)
    traits = traits_def(Pure())
    assembly_format = CALL_LIKE


@irdl_op_definition
class FunnelShiftLeftOp(FunnelShift):
    """The high half after a shift to the left."""

    name = "llvm.intr.fshl"


@irdl_op_definition
class FunnelShiftRightOp(FunnelShift):
    """The low half after a shift to the right."""

    name = "llvm.intr.fshr"


OPERATIONS = [
    *BY_NAME.values(),
    FMulAddOp,
    PowIOp,
    AbsOp,
    CountLeadingZerosOp,
    CountTrailingZerosOp,
    IsFPClassOp,
    FunnelShiftLeftOp,
    FunnelShiftRightOp,
]
