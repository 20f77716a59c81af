"""What xDSL's memref dialect lacks of upstream's: assembly forms, and globals of any constant."""

from __future__ import annotations

from typing import Self, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    IntegerAttr,
    MemRefType,
    StringAttr,
    TensorType,
    UnitAttr,
)
from xdsl.ir import Attribute, Operation
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from lamina.dialects.core.literals import LiteralParser
from lamina.dialects.core.writing.writer import Writer

_Value = UnitAttr | DenseIntOrFPElementsAttr | DenseResourceAttr


def _parse_value(parser: Parser, kind: MemRefType) -> Attribute:
    """The value of a global: upstream leaves out its type, which follows from the memref's."""
    if parser.parse_optional_keyword("uninitialized"):
        return UnitAttr()
    type = TensorType(kind.element_type, kind.get_shape())
    if parser.parse_optional_keyword("dense_resource"):
        parser.parse_punctuation("<")
        start = parser.pos
        if isinstance(parser, LiteralParser):
            key = parser.parse_resource_handle()
            parser.parse_punctuation(">")
            return parser.resource_attribute(key, type, start)
        key = parser.parse_identifier()
        parser.parse_punctuation(">")
        return DenseResourceAttr.from_params(key, type)
    parser.parse_keyword("dense")
    return parser.parse_dense_int_or_fp_elements_attr(type)  # pyright: ignore[reportArgumentType]


class GlobalOp(memref.GlobalOp):
    """A global buffer. Its value may be any constant (also ``dense_resource``), or uninitialised.

    `memref.global "private" constant @name : memref<4xf32> = dense<0.0> {alignment = 64 : i64}`
    """

    def verify_(self) -> None:
        if not isinstance(self.properties.get("sym_name"), StringAttr):
            raise VerifyException("needs a symbol name")
        kind = self.properties.get("type")
        if not isinstance(kind, MemRefType) or not kind.has_static_shape():
            raise VerifyException("needs a memref type of static shape")
        value = self.properties.get("initial_value")
        if value is None or isinstance(value, UnitAttr):
            return
        if not isinstance(value, DenseIntOrFPElementsAttr | DenseResourceAttr):
            raise VerifyException("the initial value must be a dense constant")
        held = value.type
        same = (
            isinstance(held, TensorType)
            and tuple(held.get_shape()) == tuple(kind.get_shape())
            and held.element_type == kind.element_type
        )
        if not same:
            raise VerifyException(f"the initial value has type {held}, which does not fit {kind}")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        if "sym_visibility" in self.properties:
            printer.print_attribute(self.properties["sym_visibility"])
            printer.print_string(" ")
        if "constant" in self.properties:
            printer.print_string("constant ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(" : ")
        printer.print_attribute(self.properties["type"])
        value = cast(_Value | None, self.properties.get("initial_value"))
        if value is not None:
            printer.print_string(" = ")
            if isinstance(value, UnitAttr):
                printer.print_string("uninitialized")
            elif isinstance(printer, Writer):
                printer.put(printer.attribute_without_type_text(value))
            else:
                value.print_without_type(printer)
        extra: dict[str, Attribute] = dict(self.attributes)
        if "alignment" in self.properties:
            extra["alignment"] = self.properties["alignment"]
        printer.print_op_attributes(extra)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        properties: dict[str, Attribute] = {}
        visibility = parser.parse_optional_str_literal()
        if visibility is not None:
            properties["sym_visibility"] = StringAttr(visibility)
        if parser.parse_optional_keyword("constant"):
            properties["constant"] = UnitAttr()
        properties["sym_name"] = parser.parse_symbol_name()
        parser.parse_punctuation(":")
        kind = parser.parse_type()
        if not isinstance(kind, MemRefType):
            parser.raise_error("expected a memref type")
        properties["type"] = kind
        if parser.parse_optional_punctuation("="):
            properties["initial_value"] = _parse_value(parser, kind)
        attributes = parser.parse_optional_attr_dict()
        alignment = attributes.pop("alignment", None)
        if isinstance(alignment, IntegerAttr):
            properties["alignment"] = alignment
        return cls.create(properties=properties, attributes=attributes)


class CopyOp(memref.CopyOp):
    """`memref.copy %source, %target : memref<4xf32> to memref<4xf32>`"""

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        _print_types(printer, self.source.type, self.destination.type)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        names = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        attributes = parser.parse_optional_attr_dict()
        operands = parser.resolve_operands(names, _parse_types(parser), parser.pos)
        return cls.create(operands=operands, attributes=attributes)


class CastOp(memref.CastOp):
    """`memref.cast %source : memref<4xf32> to memref<?xf32>`"""

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        printer.print_op_attributes(self.attributes)
        _print_types(printer, self.source.type, self.dest.type)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        source, target = _parse_types(parser)
        operand = parser.resolve_operand(name, source)
        return cls.create(operands=[operand], result_types=[target], attributes=attributes)


def _print_types(printer: Printer, source: Attribute, target: Attribute) -> None:
    printer.print_string(" : ")
    printer.print_attribute(source)
    printer.print_string(" to ")
    printer.print_attribute(target)


def _parse_types(parser: Parser) -> tuple[Attribute, Attribute]:
    parser.parse_punctuation(":")
    source = parser.parse_type()
    parser.parse_keyword("to")
    return source, parser.parse_type()


OPERATIONS: list[type[Operation]] = [GlobalOp, CopyOp, CastOp]
ATTRIBUTES: list[type[Attribute]] = []
