"""llvm attributes that are lists of named fields: hints for loops, and what memory a function touches.

Upstream has one class for each; here they share a representation, and fields are not checked beyond their
syntax. The names of fields are upstream's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, StringAttr, i1, i32
from xdsl.ir import Attribute, Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

FieldValue = bool | int | str | Mapping[str, "FieldValue"]


class FieldsAttr(Data[DictionaryAttr]):
    """``#llvm.name<field = value, …>``: booleans, integers, words, attributes, or nested fields."""

    name: ClassVar[str]

    @classmethod
    def from_fields(cls, **fields: FieldValue) -> FieldsAttr:
        """The attribute of Python values: ``LoopAnnotationAttr.from_fields(unroll={"disable": True})``."""
        return cls(_dictionary(fields))

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> DictionaryAttr:
        return _parse_fields(parser)

    def print_parameter(self, printer: Printer) -> None:
        _print_fields(printer, self.data)


def _dictionary(fields: Mapping[str, FieldValue]) -> DictionaryAttr:
    return DictionaryAttr({name: _attribute(value) for name, value in fields.items()})


def _attribute(value: FieldValue) -> Attribute:
    match value:
        case bool():
            return IntegerAttr(int(value), i1)
        case int():
            return IntegerAttr(value, i32)
        case str():
            return StringAttr(value)
        case _:
            return _dictionary(value)


def _parse_fields(parser: AttrParser) -> DictionaryAttr:
    entries: dict[str, Attribute] = {}

    def parse_field() -> None:
        name = parser.parse_identifier()
        parser.parse_punctuation("=")
        entries[name] = _parse_value(parser)

    parser.parse_comma_separated_list(parser.Delimiter.ANGLE, parse_field)
    return DictionaryAttr(entries)


def _parse_value(parser: AttrParser) -> Attribute:
    if (truth := parser.parse_optional_boolean()) is not None:
        return IntegerAttr(int(truth), i1)
    if (attribute := parser.parse_optional_attribute()) is not None:
        return attribute
    if (word := parser.parse_optional_identifier()) is not None:
        return StringAttr(word)
    return _parse_fields(parser)


def _print_fields(printer: Printer, fields: DictionaryAttr) -> None:
    with printer.in_angle_brackets():
        printer.print_list(fields.data.items(), lambda field: _print_field(printer, *field))


def _print_field(printer: Printer, name: str, value: Attribute) -> None:
    printer.print_string(f"{name} = ")
    match value:
        case IntegerAttr() if value.type == i1:
            printer.print_string("true" if value.value.data else "false")
        case StringAttr():
            printer.print_string(value.data)
        case DictionaryAttr():
            _print_fields(printer, value)
        case _:
            printer.print_attribute(value)


@irdl_attr_definition
class LoopAnnotationAttr(FieldsAttr):
    """Hints for the loop that a branch closes, by group: ``vectorize = <width = 8 : i32>``."""

    name = "llvm.loop_annotation"


@irdl_attr_definition
class MemoryEffectsAttr(FieldsAttr):
    """What a function may do to each kind of memory: ``other = none, argMem = readwrite, …``."""

    name = "llvm.memory_effects"


def _group(group: str) -> type[Attribute]:
    """The class of one group of hints, which upstream prints as an attribute of its own."""
    members = {"name": f"llvm.loop_{group}", "__doc__": f"Hints on loops: {group}.", "__module__": __name__}
    return irdl_attr_definition(type(f"Loop{group.title().replace('_', '')}Attr", (FieldsAttr,), members))


_GROUPS = (
    *("vectorize", "interleave", "unroll", "unroll_and_jam", "licm"),
    *("distribute", "pipeline", "peeled", "unswitch"),
)

ATTRIBUTES: Sequence[type[Attribute]] = [LoopAnnotationAttr, MemoryEffectsAttr, *map(_group, _GROUPS)]
