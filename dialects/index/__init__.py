"""The index dialect of MLIR 22, which xDSL lacks: arithmetic on ``index``, as wide as the target decides."""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import BoolAttr, IndexType, IntegerAttr, IntegerType, i1
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Dialect, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.str_enum import StrEnum

INDEX = IndexType()


class Predicate(StrEnum):
    """Comparisons, in the order of ``llvm.icmp``'s."""

    EQ = "eq"
    NE = "ne"
    SLT = "slt"
    SLE = "sle"
    SGT = "sgt"
    SGE = "sge"
    ULT = "ult"
    ULE = "ule"
    UGT = "ugt"
    UGE = "uge"


@irdl_attr_definition
class PredicateAttr(EnumAttribute[Predicate], SpacedOpaqueSyntaxAttribute):
    """``#index<cmp_predicate slt>``."""

    name = "index.cmp_predicate"


class BinaryIndexOp(IRDLOperation, ABC):
    """``(index, index) -> index``."""

    lhs = operand_def(IndexType)
    rhs = operand_def(IndexType)
    result = result_def(IndexType)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict"


_BINARY = {
    "add": "Sum, wrapping.",
    "sub": "Difference, wrapping.",
    "mul": "Product, wrapping.",
    "divs": "Signed quotient, toward zero.",
    "divu": "Unsigned quotient.",
    "ceildivs": "Signed quotient, toward plus infinity.",
    "ceildivu": "Unsigned quotient, upward.",
    "floordivs": "Signed quotient, toward minus infinity.",
    "rems": "Signed remainder, with the dividend's sign.",
    "remu": "Unsigned remainder.",
    "maxs": "Signed maximum.",
    "maxu": "Unsigned maximum.",
    "mins": "Signed minimum.",
    "minu": "Unsigned minimum.",
    "shl": "Shift to the left.",
    "shrs": "Shift to the right, filling with the sign.",
    "shru": "Shift to the right, filling with zeros.",
    "and": "Bitwise and.",
    "or": "Bitwise or.",
    "xor": "Bitwise exclusive or.",
}


def _binary(short: str, doc: str) -> type[IRDLOperation]:
    members = {"name": f"index.{short}", "__doc__": doc, "__module__": __name__}
    return irdl_op_definition(type(f"{short.title()}Op", (BinaryIndexOp,), members))


BINARY_OPERATIONS = {f"index.{short}": _binary(short, doc) for short, doc in _BINARY.items()}


class IndexCast(IRDLOperation, ABC):
    """Between ``index`` and an integer type: extended or truncated."""

    input = operand_def(IndexType | IntegerType)
    output = result_def(IndexType | IntegerType)
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `to` type($output)"


@irdl_op_definition
class CastSOp(IndexCast):
    """Extends by the sign."""

    name = "index.casts"


@irdl_op_definition
class CastUOp(IndexCast):
    """Extends by zeros."""

    name = "index.castu"


@irdl_op_definition
class CmpOp(IRDLOperation):
    """A comparison: ``index.cmp slt(%a, %b)``."""

    name = "index.cmp"
    pred = prop_def(PredicateAttr)
    lhs = operand_def(IndexType)
    rhs = operand_def(IndexType)
    result = result_def(i1)
    traits = traits_def(Pure())

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.pred.data.value}")
        with printer.in_parens():
            printer.print_list((self.lhs, self.rhs), printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> CmpOp:
        predicate = PredicateAttr(parser.parse_str_enum(Predicate))
        names = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        attributes = parser.parse_optional_attr_dict()
        return cls.create(
            operands=parser.resolve_operands(names, [INDEX, INDEX], parser.pos),
            result_types=[i1],
            properties={"pred": predicate},
            attributes=attributes,
        )


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """A constant: ``index.constant 42``."""

    name = "index.constant"
    value = prop_def(IntegerAttr[IndexType])
    result = result_def(IndexType)
    traits = traits_def(Pure())

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.value.value.data}")
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> ConstantOp:
        value = IntegerAttr(parser.parse_integer(), INDEX)
        attributes = parser.parse_optional_attr_dict()
        return cls.create(result_types=[INDEX], properties={"value": value}, attributes=attributes)


@irdl_op_definition
class BoolConstantOp(IRDLOperation):
    """A constant of type i1: ``index.bool.constant true``."""

    name = "index.bool.constant"
    value = prop_def(BoolAttr)
    result = result_def(i1)
    traits = traits_def(Pure())

    def print(self, printer: Printer) -> None:
        printer.print_string(" true" if self.value.value.data else " false")
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> BoolConstantOp:
        value = BoolAttr.from_bool(parser.parse_boolean())
        attributes = parser.parse_optional_attr_dict()
        return cls.create(result_types=[i1], properties={"value": value}, attributes=attributes)


@irdl_op_definition
class SizeOfOp(IRDLOperation):
    """The number of bits of ``index``."""

    name = "index.sizeof"
    result = result_def(IndexType)
    traits = traits_def(Pure())
    assembly_format = "attr-dict"


Index = Dialect(
    "index",
    [*BINARY_OPERATIONS.values(), CastSOp, CastUOp, CmpOp, ConstantOp, BoolConstantOp, SizeOfOp],
    [PredicateAttr],
)
