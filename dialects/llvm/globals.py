"""``llvm.mlir.global`` with upstream's visibilities and attributes, which xDSL's form lacks."""

from __future__ import annotations

from typing import Self

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, Region, TypedAttribute
from xdsl.parser import Parser
from xdsl.printer import Printer

_LINKAGES = (
    "private",
    "internal",
    "available_externally",
    "linkonce",
    "weak",
    "common",
    "appending",
    "extern_weak",
    "linkonce_odr",
    "weak_odr",
    "external",
)
_VISIBILITIES = {"hidden": 1, "protected": 2}
_UNNAMED = {"local_unnamed_addr": 1, "unnamed_addr": 2}
_IN_FRONT = ("linkage", "visibility_", "thread_local_", "unnamed_addr", "constant", "sym_name", "value")


class GlobalOp(llvm.GlobalOp):
    """A global variable, as ``llvm.mlir.global private hidden constant @name(1 : i32) : i32``."""

    def print(self, printer: Printer) -> None:
        words = [self.linkage.linkage.data]
        words += [word for word, number in _VISIBILITIES.items() if _number(self, "visibility_") == number]
        words += ["thread_local"] if "thread_local_" in self.properties else []
        words += [word for word, number in _UNNAMED.items() if _number(self, "unnamed_addr") == number]
        words += ["constant"] if "constant" in self.properties else []
        printer.print_string(f" {' '.join(words)} ")
        printer.print_symbol_name(self.sym_name)
        printer.print_string("(")
        if self.value is not None:
            printer.print_attribute(self.value)
        printer.print_string(")")
        reserved = ("global_type", *_IN_FRONT)
        printer.print_op_attributes(self.properties | self.attributes, reserved_attr_names=reserved)
        printer.print_string(" : ")
        printer.print_attribute(self.global_type)
        if self.body.blocks:
            printer.print_string(" ")
            printer.print_region(self.body)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        linkage = parser.parse_optional_keyword_in(_LINKAGES) or "external"
        properties: dict[str, Attribute] = {"linkage": llvm.LinkageAttr(linkage)}
        visibility = parser.parse_optional_keyword_in(_VISIBILITIES)
        if visibility:
            properties["visibility_"] = IntegerAttr(_VISIBILITIES[visibility], i64)
        if parser.parse_optional_keyword("thread_local"):
            properties["thread_local_"] = UnitAttr()
        unnamed = parser.parse_optional_keyword_in(_UNNAMED)
        if unnamed:
            properties["unnamed_addr"] = IntegerAttr(_UNNAMED[unnamed], i64)
        if parser.parse_optional_keyword("constant"):
            properties["constant"] = UnitAttr()
        properties["sym_name"] = parser.parse_symbol_name()
        parser.parse_punctuation("(")
        if parser.parse_optional_punctuation(")") is None:
            properties["value"] = parser.parse_attribute()
            parser.parse_punctuation(")")
        attributes = parser.parse_optional_attr_dict()
        known = cls.get_irdl_definition().properties
        properties |= {name: attributes.pop(name) for name in list(attributes) if name in known}
        properties.setdefault("addr_space", IntegerAttr(0, i32))
        properties["global_type"] = _type_of(parser, properties.get("value"))
        region = parser.parse_optional_region() or Region()
        return cls.create(properties=properties, attributes=attributes, regions=[region])


def _number(op: llvm.GlobalOp, name: str) -> int:
    attribute = op.properties.get(name)
    return attribute.value.data if isinstance(attribute, IntegerAttr) else 0


def _type_of(parser: Parser, value: Attribute | None) -> Attribute:
    """The type after the colon, or the one that follows from the value."""
    if parser.parse_optional_punctuation(":") is not None:
        return parser.parse_type()
    if isinstance(value, StringAttr):
        return llvm.LLVMArrayType(len(value.data.encode()), IntegerType(8))
    if not isinstance(value, TypedAttribute):
        parser.raise_error("expected ':' and the type of the global")
    return value.get_type()


OPERATIONS: list[type[Operation]] = [GlobalOp]
