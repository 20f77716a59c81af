"""Operations of math that xDSL lacks, under upstream's names and syntax."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar, Self

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import I1, AnyFloatConstr, VectorType, i1
from xdsl.dialects.math import FloatingPointLikeUnaryMathOperation
from xdsl.ir import Attribute, Operation
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure, SameOperandsAndResultType
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class ErfcOp(FloatingPointLikeUnaryMathOperation):
    """One minus the error function, accurate where that is small."""

    name = "math.erfc"
    traits = traits_def(Pure(), SameOperandsAndResultType())


class ClassTest(IRDLOperation, ABC):
    """Whether a float, or each element of a vector, is of a class: i1."""

    T: ClassVar = VarConstraint("T", AnyFloatConstr | VectorType.constr(AnyFloatConstr))
    operand = operand_def(T)
    result = result_def(I1 | VectorType[I1])
    fastmath = prop_def(FastMathFlagsAttr, default_value=FastMathFlagsAttr("none"))
    traits = traits_def(Pure())

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.operand)
        flags = {"fastmath": self.fastmath} if self.fastmath.data else {}
        printer.print_op_attributes(self.attributes | flags)
        printer.print_string(" : ")
        printer.print_attribute(self.operand.type)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        flags = attributes.pop("fastmath", FastMathFlagsAttr("none"))
        parser.parse_punctuation(":")
        type = parser.parse_type()
        return cls.create(
            operands=[parser.resolve_operand(name, type)],
            result_types=[_boolean_like(type)],
            properties={"fastmath": flags},
            attributes=attributes,
        )

    def verify_(self) -> None:
        if self.result.type != _boolean_like(self.operand.type):
            raise VerifyException(f"result type {self.result.type} does not fit {self.operand.type}")


def _boolean_like(type: Attribute) -> Attribute:
    return VectorType(i1, type.shape, type.scalable_dims) if isinstance(type, VectorType) else i1


@irdl_op_definition
class IsNaNOp(ClassTest):
    """Is it a NaN?"""

    name = "math.isnan"


@irdl_op_definition
class IsInfOp(ClassTest):
    """Is it an infinity?"""

    name = "math.isinf"


@irdl_op_definition
class IsFiniteOp(ClassTest):
    """Is it neither a NaN nor an infinity?"""

    name = "math.isfinite"


@irdl_op_definition
class IsNormalOp(ClassTest):
    """Is it none of zero, subnormal, infinity and NaN?"""

    name = "math.isnormal"


OPERATIONS: list[type[Operation]] = [ErfcOp, IsNaNOp, IsInfOp, IsFiniteOp, IsNormalOp]
ATTRIBUTES: list[type[Attribute]] = []
