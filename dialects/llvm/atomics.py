"""llvm fences and atomic read-modify-write operations."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, StringAttr, UnitAttr, i1, i64
from xdsl.dialects.llvm import ATOMIC_ORDERING_KEYWORDS, LLVMPointerType, LLVMStructType
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def
from xdsl.parser import Parser
from xdsl.printer import Printer

from lamina.dialects.llvm.memory import parse_ordering, parse_scope, print_scope

RMW_KINDS = (
    *("xchg", "add", "sub", "_and", "nand", "_or", "_xor", "max", "min", "umax", "umin"),
    *("fadd", "fsub", "fmax", "fmin", "uinc_wrap", "udec_wrap", "usub_cond", "usub_sat"),
    *("fmaximum", "fminimum"),
)
"""Keywords of ``llvm.atomicrmw`` in the order of upstream's numbers."""


@irdl_op_definition
class FenceOp(IRDLOperation):
    """Orders memory accesses of this thread as seen by others."""

    name = "llvm.fence"
    ordering = prop_def(IntegerAttr[i64])
    syncscope = opt_prop_def(StringAttr)

    def print(self, printer: Printer) -> None:
        print_scope(printer, self.syncscope)
        printer.print_string(f" {ATOMIC_ORDERING_KEYWORDS[self.ordering.value.data]}")
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> FenceOp:
        properties: dict[str, Attribute] = {}
        parse_scope(parser, properties)
        properties["ordering"] = parse_ordering(parser)
        return cls.create(properties=properties, attributes=parser.parse_optional_attr_dict())


@irdl_op_definition
class AtomicRMWOp(IRDLOperation):
    """Reads an address, writes a function of the old value and an operand, returns the old value."""

    name = "llvm.atomicrmw"
    ptr = operand_def(LLVMPointerType)
    val = operand_def()
    res = result_def()
    bin_op = prop_def(IntegerAttr[i64])
    ordering = prop_def(IntegerAttr[i64])
    syncscope = opt_prop_def(StringAttr)
    alignment = opt_prop_def(IntegerAttr[i64])
    volatile_ = opt_prop_def(UnitAttr)

    def print(self, printer: Printer) -> None:
        printer.print_string(" volatile " if self.volatile_ is not None else " ")
        printer.print_string(f"{RMW_KINDS[self.bin_op.value.data]} ")
        printer.print_ssa_value(self.ptr)
        printer.print_string(", ")
        printer.print_ssa_value(self.val)
        print_scope(printer, self.syncscope)
        printer.print_string(f" {ATOMIC_ORDERING_KEYWORDS[self.ordering.value.data]}")
        alignment = {} if self.alignment is None else {"alignment": self.alignment}
        printer.print_op_attributes(self.attributes | alignment)
        printer.print_string(" : ")
        printer.print_attribute(self.ptr.type)
        printer.print_string(", ")
        printer.print_attribute(self.val.type)

    @classmethod
    def parse(cls, parser: Parser) -> AtomicRMWOp:
        properties: dict[str, Attribute] = {}
        if parser.parse_optional_keyword("volatile") is not None:
            properties["volatile_"] = UnitAttr()
        kind = parser.parse_identifier()
        if kind not in RMW_KINDS:
            parser.raise_error(f"unknown atomic operation '{kind}'")
        properties["bin_op"] = IntegerAttr(RMW_KINDS.index(kind), i64)
        pointer = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        value = parser.parse_unresolved_operand()
        parse_scope(parser, properties)
        properties["ordering"] = parse_ordering(parser)
        attributes = parser.parse_optional_attr_dict()
        if "alignment" in attributes:
            properties["alignment"] = attributes.pop("alignment")
        parser.parse_punctuation(":")
        pointer_type = parser.parse_type()
        parser.parse_punctuation(",")
        value_type = parser.parse_type()
        return cls.create(
            operands=[
                parser.resolve_operand(pointer, pointer_type),
                parser.resolve_operand(value, value_type),
            ],
            result_types=[value_type],
            properties=properties,
            attributes=attributes,
        )


@irdl_op_definition
class CmpXchgOp(IRDLOperation):
    """Writes ``val`` where the address holds ``cmp``: the old value, and whether it was written."""

    name = "llvm.cmpxchg"
    ptr = operand_def(LLVMPointerType)
    cmp = operand_def()
    val = operand_def()
    res = result_def(LLVMStructType)
    success_ordering = prop_def(IntegerAttr[i64])
    failure_ordering = prop_def(IntegerAttr[i64])
    syncscope = opt_prop_def(StringAttr)
    alignment = opt_prop_def(IntegerAttr[i64])
    weak = opt_prop_def(UnitAttr)
    volatile_ = opt_prop_def(UnitAttr)

    def print(self, printer: Printer) -> None:
        printer.print_string(
            "".join(f" {word}" for word, on in (("weak", self.weak), ("volatile", self.volatile_)) if on)
        )
        printer.print_string(" ")
        printer.print_list((self.ptr, self.cmp, self.val), printer.print_ssa_value)
        print_scope(printer, self.syncscope)
        for ordering in (self.success_ordering, self.failure_ordering):
            printer.print_string(f" {ATOMIC_ORDERING_KEYWORDS[ordering.value.data]}")
        alignment = {} if self.alignment is None else {"alignment": self.alignment}
        printer.print_op_attributes(self.attributes | alignment)
        printer.print_string(" : ")
        printer.print_list((self.ptr.type, self.val.type), printer.print_attribute)

    @classmethod
    def parse(cls, parser: Parser) -> CmpXchgOp:
        words = {"weak": "weak", "volatile": "volatile_"}
        properties: dict[str, Attribute] = {
            name: UnitAttr()
            for word, name in words.items()
            if parser.parse_optional_keyword(word) is not None
        }
        names = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        parse_scope(parser, properties)
        properties["success_ordering"] = parse_ordering(parser)
        properties["failure_ordering"] = parse_ordering(parser)
        attributes = parser.parse_optional_attr_dict()
        if "alignment" in attributes:
            properties["alignment"] = attributes.pop("alignment")
        parser.parse_punctuation(":")
        pointer_type = parser.parse_type()
        parser.parse_punctuation(",")
        value_type = parser.parse_type()
        return cls.create(
            operands=parser.resolve_operands(names, [pointer_type, value_type, value_type], parser.pos),
            result_types=[LLVMStructType.from_type_list([value_type, i1])],
            properties=properties,
            attributes=attributes,
        )


OPERATIONS = [FenceOp, AtomicRMWOp, CmpXchgOp]
