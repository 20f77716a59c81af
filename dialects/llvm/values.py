"""llvm operations on scalar and vector values: casts, comparison, selection, elements, poison.

``llvm.fcmp``, ``llvm.select`` and ``llvm.mlir.zero`` replace xDSL's, which know no vectors.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import (
    I1,
    AnyFloatConstr,
    IntegerAttr,
    SignlessIntegerConstraint,
    VectorType,
    i1,
    i64,
)
from xdsl.dialects.llvm import FastMathAttr, FCmpPredicateFlag, GenericCastOp
from xdsl.ir import Attribute
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoMemoryEffect, Pure
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class FPToSIOp(GenericCastOp):
    """Float to signed integer, toward zero; poison where the value does not fit."""

    name = "llvm.fptosi"


@irdl_op_definition
class FPToUIOp(GenericCastOp):
    """Float to unsigned integer, toward zero; poison where the value does not fit."""

    name = "llvm.fptoui"


@irdl_op_definition
class UIToFPOp(GenericCastOp):
    """Unsigned integer to float, rounded to nearest even."""

    name = "llvm.uitofp"


@irdl_op_definition
class AddrSpaceCastOp(GenericCastOp):
    """Pointer to another address space."""

    name = "llvm.addrspacecast"


@irdl_op_definition
class PoisonOp(IRDLOperation):
    """A value of any type that must not be observed."""

    name = "llvm.mlir.poison"
    res = result_def()
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($res)"


@irdl_op_definition
class ZeroOp(IRDLOperation):
    """All zero bits of any llvm type, vectors and scalars included."""

    name = "llvm.mlir.zero"
    res = result_def()
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($res)"


@irdl_op_definition
class FreezeOp(IRDLOperation):
    """The operand, or some fixed value where the operand is poison or undef."""

    T: ClassVar = VarConstraint("T", AnyAttr())
    name = "llvm.freeze"
    val = operand_def(T)
    res = result_def(T)
    traits = traits_def(NoMemoryEffect())
    assembly_format = "$val attr-dict `:` type($val)"


@irdl_op_definition
class ExtractElementOp(IRDLOperation):
    """One element of a vector; poison where the position is out of bounds."""

    T: ClassVar = VarConstraint("T", AnyAttr())
    name = "llvm.extractelement"
    vector = operand_def(VectorType.constr(T))
    position = operand_def(SignlessIntegerConstraint)
    res = result_def(T)
    traits = traits_def(NoMemoryEffect())
    assembly_format = "$vector `[` $position `:` type($position) `]` attr-dict `:` type($vector)"


@irdl_op_definition
class SelectOp(IRDLOperation):
    """``lhs`` where the condition is true, else ``rhs``; a vector condition selects by element."""

    T: ClassVar = VarConstraint("T", AnyAttr())
    name = "llvm.select"
    cond = operand_def(I1 | VectorType[I1])
    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$cond `,` $lhs `,` $rhs attr-dict `:` type($cond) `,` type($res)"


@irdl_op_definition
class FCmpOp(IRDLOperation):
    """IEEE comparison of floats or vectors of floats by an ordered or unordered predicate."""

    T: ClassVar = VarConstraint("T", AnyFloatConstr | VectorType.constr(AnyFloatConstr))
    name = "llvm.fcmp"
    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(I1 | VectorType[I1])
    predicate = prop_def(IntegerAttr[i64])
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)

    @classmethod
    def parse(cls, parser: Parser) -> FCmpOp:
        predicate = IntegerAttr(FCmpPredicateFlag(parser.parse_str_literal()).to_int(), i64)
        lhs = parser.parse_unresolved_operand()
        parser.parse_characters(",")
        rhs = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        flags = attributes.pop("fastmathFlags", FastMathAttr(None))
        parser.parse_characters(":")
        operand_type = parser.parse_type()
        return cls.create(
            operands=parser.resolve_operands([lhs, rhs], [operand_type, operand_type], parser.pos),
            result_types=[boolean_like(operand_type)],
            properties={"predicate": predicate, "fastmathFlags": flags},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(f' "{FCmpPredicateFlag.from_int(self.predicate.value.data)}" ')
        printer.print_ssa_value(self.lhs)
        printer.print_string(", ")
        printer.print_ssa_value(self.rhs)
        shown: dict[str, Attribute] = dict(self.attributes)
        if self.fastmathFlags.data:
            shown["fastmathFlags"] = self.fastmathFlags
        printer.print_op_attributes(shown)
        printer.print_string(" : ")
        printer.print_attribute(self.lhs.type)

    def verify_(self) -> None:
        if self.res.type != boolean_like(self.lhs.type):
            raise VerifyException(
                f"result type {self.res.type} does not fit operands of type {self.lhs.type}"
            )


def boolean_like(type: Attribute) -> Attribute:
    """i1 for a scalar type, the vector of i1 of the same shape for a vector type."""
    return VectorType(i1, type.shape, type.scalable_dims) if isinstance(type, VectorType) else i1


OPERATIONS = [
    FPToSIOp,
    FPToUIOp,
    UIToFPOp,
    AddrSpaceCastOp,
    PoisonOp,
    ZeroOp,
    FreezeOp,
    ExtractElementOp,
    SelectOp,
    FCmpOp,
]
