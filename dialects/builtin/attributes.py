"""Attributes of the builtin dialect that xDSL has no class for."""

from __future__ import annotations

from xdsl.dialects.builtin import ArrayAttr, BytesAttr, DenseIntOrFPElementsAttr, IntAttr, StringAttr
from xdsl.ir import Attribute, BuiltinAttribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.printer import Printer


def _print_type(printer: Printer, type: Attribute) -> None:
    printer.print_string(" : ")
    printer.print_attribute(type)


@irdl_attr_definition
class TypedStringAttr(ParametrizedAttribute, BuiltinAttribute):
    """A string with a type other than none: ``"text" : i32``."""

    name = "builtin.typed_string"
    value: StringAttr
    type: Attribute

    def print_builtin(self, printer: Printer) -> None:
        printer.print_attribute(self.value)
        _print_type(printer, self.type)


@irdl_attr_definition
class TypedDialectAttr(ParametrizedAttribute, BuiltinAttribute):
    """An attribute of a dialect with a type behind it: ``#d.name<…> : i32``."""

    name = "builtin.typed_dialect_attribute"
    value: Attribute
    type: Attribute

    def print_builtin(self, printer: Printer) -> None:
        printer.print_attribute(self.value)
        _print_type(printer, self.type)


@irdl_attr_definition
class DenseStringAttr(ParametrizedAttribute, BuiltinAttribute):
    """Elements that are strings: ``dense<["a", "b"]> : tensor<2x!d.string>``. A splat holds one."""

    name = "builtin.dense_string"
    type: Attribute
    values: ArrayAttr[StringAttr]

    def print_builtin(self, printer: Printer) -> None:
        shape = () if len(self.values.data) == 1 else self.type.get_shape()  # pyright: ignore[reportAttributeAccessIssue]
        printer.print_string("dense<")
        _print_nested(printer, list(self.values.data), shape)
        printer.print_string(">")
        _print_type(printer, self.type)


def _print_nested(printer: Printer, values: list[StringAttr], shape: tuple[int, ...]) -> None:
    if not shape:
        for value in values:
            printer.print_attribute(value)
        return
    size = len(values) // shape[0] if shape[0] else 0
    with printer.in_square_brackets():
        rows = [values[i * size : (i + 1) * size] for i in range(shape[0])]
        printer.print_list(rows, lambda row: _print_nested(printer, row, shape[1:]))


@irdl_attr_definition
class SparseElementsAttr(ParametrizedAttribute, BuiltinAttribute):
    """``sparse<indices, values> : type``: the elements that are not zero.

    ``indices`` is of i64 and shape [elements, rank], ``values`` of shape [elements]; both may be splats, and
    are held without the text's shorter forms.
    """

    name = "builtin.sparse_elements"
    indices: DenseIntOrFPElementsAttr
    values: Attribute
    type: Attribute

    def print_builtin(self, printer: Printer) -> None:
        printer.print_string("sparse<")
        if len(self.indices.data.data):
            self.indices.print_without_type(printer)
            printer.print_string(", ")
            self.values.print_without_type(printer)  # pyright: ignore[reportAttributeAccessIssue]
        printer.print_string(">")
        _print_type(printer, self.type)


@irdl_attr_definition
class DistinctAttr(ParametrizedAttribute, BuiltinAttribute):
    """``distinct[0]<value>``: an attribute that is equal to no other with the same value.

    ``identity`` tells those of one process apart; the number in a text is only that text's.
    """

    name = "builtin.distinct"
    identity: IntAttr
    value: Attribute

    def print_builtin(self, printer: Printer) -> None:
        printer.print_string(f"distinct[{self.identity.data}]<")
        printer.print_attribute(self.value)
        printer.print_string(">")


@irdl_attr_definition
class FileLineColRangeLoc(ParametrizedAttribute, BuiltinAttribute):
    """A location that is a range of a file: ``loc("f":1:2 to 3:4)``."""

    name = "builtin.file_line_range_loc"
    filename: StringAttr
    line: IntAttr
    column: IntAttr
    end_line: IntAttr
    end_column: IntAttr

    def print_builtin(self, printer: Printer) -> None:
        with printer.in_location():
            printer.print_attribute(self.filename)
            printer.print_string(f":{self.line.data}:{self.column.data} to ")
            if self.end_line != self.line:
                printer.print_string(str(self.end_line.data))
            printer.print_string(f":{self.end_column.data}")


@irdl_attr_definition
class FloatBitsAttr(ParametrizedAttribute, BuiltinAttribute):
    """A float attribute of f80 or f128 whose value is no Python float: ``0x…  : f80``."""

    name = "builtin.float_bits"
    bits: BytesAttr
    """The value, little-endian."""
    type: Attribute

    def print_builtin(self, printer: Printer) -> None:
        printer.print_string(f"0x{self.bits.data[::-1].hex().upper()}")
        _print_type(printer, self.type)
