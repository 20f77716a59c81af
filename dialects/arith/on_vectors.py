"""Comparisons, choices and casts element by element: xDSL's own classes take and verify scalars only."""

from __future__ import annotations

from typing import Self, TypeVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, MemRefType, TensorType, VectorType, i1
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

OpT = TypeVar("OpT", bound=Operation)


def _shape(kind: Attribute) -> tuple[type[Attribute], tuple[int, ...]] | None:
    if isinstance(kind, VectorType | TensorType):
        return type(kind), tuple(kind.get_shape())
    return None


def _element(kind: Attribute) -> Attribute:
    return kind.element_type if isinstance(kind, VectorType | TensorType | MemRefType) else kind


def mask_of(kind: Attribute) -> Attribute:
    """The type of a condition for each element of a type: i1, or a vector or tensor of i1."""
    if isinstance(kind, VectorType):
        return VectorType(i1, kind.shape, kind.scalable_dims)
    return TensorType(i1, kind.get_shape()) if isinstance(kind, TensorType) else i1


class SelectOp(arith.SelectOp):
    """One of two values by an i1, or element by element by a vector of i1.

    `arith.select %cond, %a, %b : vector<8xi1>, vector<8xf32>`
    """

    def verify_(self) -> None:
        if not self.lhs.type == self.rhs.type == self.result.type:
            raise VerifyException("the two values and the result must have one type")
        if self.cond.type not in (i1, mask_of(self.result.type)):
            raise VerifyException(f"the condition must be i1 or {mask_of(self.result.type)}")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        if self.cond.type != i1:
            printer.print_attribute(self.cond.type)
            printer.print_string(", ")
        printer.print_attribute(self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        names = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_unresolved_operand)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        kinds = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_type)
        condition = kinds[0] if len(kinds) > 1 else i1
        operands = parser.resolve_operands(names, [condition, kinds[-1], kinds[-1]], parser.pos)
        return cls.create(operands=operands, result_types=[kinds[-1]], attributes=attributes)


class _Comparison(IRDLOperation):
    """A comparison whose result has the shape of its operands."""

    def verify_(self) -> None:
        lhs, rhs = (operand.type for operand in self.operands)
        if lhs != rhs:
            raise VerifyException("the operands must have one type")
        if self.results[0].type != mask_of(lhs):
            raise VerifyException(f"the result must be {mask_of(lhs)}")


class CmpIOp(_Comparison, arith.CmpiOp):
    """Comparison of integers: `arith.cmpi slt, %a, %b : vector<8xi32>`."""

    @classmethod
    def parse(cls, parser: Parser) -> arith.CmpiOp:
        return _with_mask(super().parse(parser))


class CmpFOp(_Comparison, arith.CmpfOp):
    """Comparison of floats: `arith.cmpf ogt, %a, %b : vector<8xf32>`."""

    @classmethod
    def parse(cls, parser: Parser) -> arith.CmpfOp:
        return _with_mask(super().parse(parser))


def _with_mask(op: OpT) -> OpT:
    """A parsed comparison with the result type that its operands ask for."""
    result = mask_of(op.operands[0].type)
    if result == op.results[0].type:
        return op
    operands = list(op.operands)
    op.drop_all_references()
    return type(op).create(
        operands=operands,
        result_types=[result],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
    )


class _Cast(IRDLOperation):
    """A cast of each element; the shape stays."""

    def verify_(self) -> None:
        source, result = self.operands[0].type, self.results[0].type
        if _shape(source) != _shape(result):
            raise VerifyException(f"cannot cast {source} to {result}: the shapes differ")
        reason = self.objection(_element(source), _element(result))
        if reason is not None:
            raise VerifyException(f"cannot cast {source} to {result}: {reason}")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        operand = parser.resolve_operand(name, parser.parse_type())
        parser.parse_keyword("to")
        return cls.create(operands=[operand], result_types=[parser.parse_type()], attributes=attributes)

    def objection(self, source: Attribute, result: Attribute) -> str | None:
        """Why an element type cannot be cast to another, or None."""
        raise NotImplementedError


def _bits(kind: Attribute) -> int | None:
    if isinstance(kind, IntegerType):
        return kind.width.data
    return kind.bitwidth if isinstance(kind, AnyFloat) else None


class _Extension(_Cast):
    def objection(self, source: Attribute, result: Attribute) -> str | None:
        if not isinstance(source, IntegerType) or not isinstance(result, IntegerType):
            return "both must be integers"
        return None if source.width.data < result.width.data else "the result must be wider"


class _Truncation(_Cast):
    def objection(self, source: Attribute, result: Attribute) -> str | None:
        if not isinstance(source, IntegerType) or not isinstance(result, IntegerType):
            return "both must be integers"
        return None if source.width.data > result.width.data else "the result must be narrower"


class _ToFloat(_Cast):
    def objection(self, source: Attribute, result: Attribute) -> str | None:
        if isinstance(source, IntegerType) and isinstance(result, AnyFloat):
            return None
        return "it goes from integers to floats"


class _ToInteger(_Cast):
    def objection(self, source: Attribute, result: Attribute) -> str | None:
        if isinstance(source, AnyFloat) and isinstance(result, IntegerType):
            return None
        return "it goes from floats to integers"


class _IndexCast(_Cast):
    def objection(self, source: Attribute, result: Attribute) -> str | None:
        kinds = {type(source), type(result)}
        return None if kinds == {IndexType, IntegerType} else "one must be index, one an integer"


class ExtSIOp(_Extension, arith.ExtSIOp):
    """Sign extension: `arith.extsi %x : vector<8xi8> to vector<8xi32>`."""


class ExtUIOp(_Extension, arith.ExtUIOp):
    """Zero extension: `arith.extui %x : vector<8xi1> to vector<8xi8>`."""


class TruncIOp(_Truncation, arith.TruncIOp):
    """The low bits: `arith.trunci %x : vector<8xi32> to vector<8xi8>`."""


class SIToFPOp(_ToFloat, arith.SIToFPOp):
    """Signed integer to float: `arith.sitofp %x : vector<8xi32> to vector<8xf32>`."""


class UIToFPOp(_ToFloat, arith.UIToFPOp):
    """Unsigned integer to float: `arith.uitofp %x : vector<8xi32> to vector<8xf32>`."""


class FPToSIOp(_ToInteger, arith.FPToSIOp):
    """Float to signed integer: `arith.fptosi %x : vector<8xf32> to vector<8xi32>`."""


class FPToUIOp(_ToInteger, arith.FPToUIOp):
    """Float to unsigned integer: `arith.fptoui %x : vector<8xf32> to vector<8xi32>`."""


class IndexCastOp(_IndexCast, arith.IndexCastOp):
    """Between index and integers: `arith.index_cast %x : vector<8xindex> to vector<8xi64>`."""


OPERATIONS: list[type[Operation]] = [
    SelectOp,
    CmpIOp,
    CmpFOp,
    ExtSIOp,
    ExtUIOp,
    TruncIOp,
    SIToFPOp,
    UIToFPOp,
    FPToSIOp,
    FPToUIOp,
    IndexCastOp,
]
BY_NAME: dict[str, type[Operation]] = {op.name: op for op in OPERATIONS}
"""What to make where an operation is carried over from scalars to vectors."""
