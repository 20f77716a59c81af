"""llvm loads and stores with all their flags, and addresses.

``llvm.load``, ``llvm.store`` and ``llvm.getelementptr`` replace xDSL's, which lack `nontemporal`,
`invariant`, `volatile` or the no-wrap flags.
"""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    SignlessIntegerConstraint,
    StringAttr,
    UnitAttr,
    VectorType,
    i32,
    i64,
)
from xdsl.dialects.llvm import ATOMIC_ORDERING_KEYWORDS, LLVMPointerType
from xdsl.dialects.utils import parse_dynamic_index_list_without_types, print_dynamic_index_list
from xdsl.ir import Attribute
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

ORDERINGS = {keyword: number for number, keyword in ATOMIC_ORDERING_KEYWORDS.items()}
NO_WRAP_FLAGS = {"inbounds": 3, "nusw": 2, "nuw": 4}
POINTER_LIKE = base(LLVMPointerType) | VectorType.constr(LLVMPointerType)
USE_OPERAND = -2147483648
"""Stands for an SSA index in ``rawConstantIndices``."""


class MemoryAccess(IRDLOperation, ABC):
    """What loads and stores share: ``[volatile] operands [atomic ordering] [flags] {attributes}``."""

    alignment = opt_prop_def(IntegerAttr[IntegerType])
    ordering = prop_def(IntegerAttr[IntegerType], default_value=IntegerAttr(0, i64))
    syncscope = opt_prop_def(StringAttr)
    volatile_ = opt_prop_def(UnitAttr)
    nontemporal = opt_prop_def(UnitAttr)

    def print_flags(self, printer: Printer) -> None:
        if ordering := self.ordering.value.data:
            printer.print_string(" atomic")
            print_scope(printer, self.syncscope)
            printer.print_string(f" {ATOMIC_ORDERING_KEYWORDS[ordering]}")

    def print_attributes(self, printer: Printer) -> None:
        shown: dict[str, Attribute] = dict(self.attributes)
        shown |= {
            name: self.properties[name] for name in ("alignment", "nontemporal") if name in self.properties
        }
        printer.print_op_attributes(shown)

    @staticmethod
    def parse_flags(parser: Parser, properties: dict[str, Attribute]) -> None:
        properties["ordering"] = IntegerAttr(0, i64)
        if parser.parse_optional_keyword("atomic") is not None:
            parse_scope(parser, properties)
            properties["ordering"] = parse_ordering(parser)

    @staticmethod
    def parse_attributes(parser: Parser, properties: dict[str, Attribute]) -> dict[str, Attribute]:
        attributes = parser.parse_optional_attr_dict()
        properties |= {
            name: attributes.pop(name) for name in ("alignment", "nontemporal") if name in attributes
        }
        return attributes


def print_scope(printer: Printer, scope: StringAttr | None) -> None:
    """``syncscope("…")`` where there is one."""
    if scope is not None:
        printer.print_string(" syncscope(")
        printer.print_attribute(scope)
        printer.print_string(")")


def parse_scope(parser: Parser, properties: dict[str, Attribute]) -> None:
    """The reverse of :func:`print_scope`."""
    if parser.parse_optional_keyword("syncscope") is not None:
        with parser.in_parens():
            properties["syncscope"] = parser.parse_attribute()


def parse_ordering(parser: Parser) -> IntegerAttr:
    """An atomic ordering's keyword, as upstream's number."""
    keyword = parser.parse_identifier()
    if keyword not in ORDERINGS:
        parser.raise_error(f"unknown atomic ordering '{keyword}'")
    return IntegerAttr(ORDERINGS[keyword], i64)


@irdl_op_definition
class LoadOp(MemoryAccess):
    """The value of the result's type at an address."""

    name = "llvm.load"
    ptr = operand_def(LLVMPointerType)
    dereferenced_value = result_def()
    invariant = opt_prop_def(UnitAttr)

    def print(self, printer: Printer) -> None:
        printer.print_string(" volatile " if self.volatile_ is not None else " ")
        printer.print_ssa_value(self.ptr)
        self.print_flags(printer)
        if self.invariant is not None:
            printer.print_string(" invariant")
        self.print_attributes(printer)
        printer.print_string(" : ")
        printer.print_attribute(self.ptr.type)
        printer.print_string(" -> ")
        printer.print_attribute(self.dereferenced_value.type)

    @classmethod
    def parse(cls, parser: Parser) -> LoadOp:
        properties: dict[str, Attribute] = {}
        if parser.parse_optional_keyword("volatile") is not None:
            properties["volatile_"] = UnitAttr()
        pointer = parser.parse_unresolved_operand()
        cls.parse_flags(parser, properties)
        if parser.parse_optional_keyword("invariant") is not None:
            properties["invariant"] = UnitAttr()
        attributes = cls.parse_attributes(parser, properties)
        parser.parse_punctuation(":")
        pointer_type = parser.parse_type()
        parser.parse_punctuation("->")
        return cls.create(
            operands=[parser.resolve_operand(pointer, pointer_type)],
            result_types=[parser.parse_type()],
            properties=properties,
            attributes=attributes,
        )


@irdl_op_definition
class StoreOp(MemoryAccess):
    """A value written to an address."""

    name = "llvm.store"
    value = operand_def()
    ptr = operand_def(LLVMPointerType)

    def print(self, printer: Printer) -> None:
        printer.print_string(" volatile " if self.volatile_ is not None else " ")
        printer.print_ssa_value(self.value)
        printer.print_string(", ")
        printer.print_ssa_value(self.ptr)
        self.print_flags(printer)
        self.print_attributes(printer)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)
        printer.print_string(", ")
        printer.print_attribute(self.ptr.type)

    @classmethod
    def parse(cls, parser: Parser) -> StoreOp:
        properties: dict[str, Attribute] = {}
        if parser.parse_optional_keyword("volatile") is not None:
            properties["volatile_"] = UnitAttr()
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        pointer = parser.parse_unresolved_operand()
        cls.parse_flags(parser, properties)
        attributes = cls.parse_attributes(parser, properties)
        parser.parse_punctuation(":")
        value_type = parser.parse_type()
        parser.parse_punctuation(",")
        pointer_type = parser.parse_type()
        return cls.create(
            operands=[
                parser.resolve_operand(value, value_type),
                parser.resolve_operand(pointer, pointer_type),
            ],
            properties=properties,
            attributes=attributes,
        )


@irdl_op_definition
class GEPOp(IRDLOperation):
    """An address inside what a pointer points to, or a vector of them.

    Indices are operands, or integers in ``rawConstantIndices``; the no-wrap flags are upstream's bit mask.
    """

    name = "llvm.getelementptr"
    ptr = operand_def(POINTER_LIKE)
    dynamicIndices = var_operand_def(SignlessIntegerConstraint | VectorType.constr(SignlessIntegerConstraint))
    res = result_def(POINTER_LIKE)
    rawConstantIndices = prop_def(DenseArrayBase.constr(i32))
    elem_type = prop_def()
    noWrapFlags = prop_def(IntegerAttr[i32], default_value=IntegerAttr(0, i32))
    traits = traits_def(Pure())

    def print(self, printer: Printer) -> None:
        if text := no_wrap_text(self.noWrapFlags.value.data):
            printer.print_string(f" {text}")
        printer.print_string(" ")
        printer.print_ssa_value(self.ptr)
        indices = self.rawConstantIndices.iter_values()
        print_dynamic_index_list(printer, USE_OPERAND, self.dynamicIndices, indices)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)
        printer.print_string(", ")
        printer.print_attribute(self.elem_type)

    @classmethod
    def parse(cls, parser: Parser) -> GEPOp:
        flags = parse_no_wrap(parser)
        pointer = parser.parse_unresolved_operand()
        indices, constants = parse_dynamic_index_list_without_types(parser, USE_OPERAND)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        function_type = parser.parse_function_type()
        parser.parse_punctuation(",")
        element_type = parser.parse_type()
        operands = parser.resolve_operands([pointer, *indices], function_type.inputs.data, parser.pos)
        return cls.create(
            operands=operands,
            result_types=function_type.outputs.data,
            properties={
                "elem_type": element_type,
                "noWrapFlags": IntegerAttr(flags, i32),
                "rawConstantIndices": DenseArrayBase.from_list(i32, constants),
            },
            attributes=attributes,
        )


def no_wrap_text(flags: int) -> str:
    """``inbounds|nuw`` for the bits of a getelementptr's flags."""
    names = ["inbounds"] if flags & 1 else (["nusw"] if flags & 2 else [])
    return "|".join([*names, *(["nuw"] if flags & 4 else [])])


def parse_no_wrap(parser: Parser) -> int:
    """The reverse of :func:`no_wrap_text`; 0 where no flag stands."""
    flags = 0
    while (keyword := parser.parse_optional_keyword_in(NO_WRAP_FLAGS)) is not None:
        flags |= NO_WRAP_FLAGS[keyword]
        if parser.parse_optional_punctuation("|") is None:
            break
    return flags


OPERATIONS = [LoadOp, StoreOp, GEPOp]
