"""Reading enumerations of dialects, ``<case>`` or ``<case,case>``, by the tables and xDSL's classes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from xdsl.ir import Attribute, SpacedOpaqueSyntaxAttribute

from lamina.dialects.core.ods.spec import table_of


class Form(NamedTuple):
    """How an attribute of a dialect is written after its name."""

    bracketed: bool
    """Whether its parameters stand in angle brackets of their own."""
    cases: tuple[str, ...] | None = None
    """The cases of an enumeration; None where it is something else, or where they are not known."""
    separator: str | None = None
    """What joins several cases, where that is allowed."""


BRACKETED = Form(True)


@cache
def form_of(name: str) -> Form:
    """The form of an attribute by its full name (``arith.fastmath``)."""
    table = table_of(name.partition(".")[0])
    entry = table.attributes.get(name) if table is not None else None
    if table is None or entry is None:
        return BRACKETED
    format = entry.get("format", "`<`")
    enum = table.enums.get(entry.get("enum", ""))
    cases = tuple(enum.cases) if enum is not None else None
    separator = enum.separator.strip() if enum is not None and enum.bits else None
    return Form(not format.startswith("$"), cases, separator)


def read_cases(reader: Any, name: str, form: Form) -> str:
    """The case, or the cases, of an enumeration; stands after them then."""
    if form.bracketed:
        reader.require("<")
    cases = [_case(reader, name, form.cases)]
    while form.separator is not None and reader.accept(form.separator):
        cases.append(_case(reader, name, form.cases))
    if form.bracketed:
        reader.require(">")
    return (form.separator or "").join(cases)


def _case(reader: Any, name: str, cases: Any) -> str:
    start = reader.at
    quoted = reader.optional_string()
    found = quoted.decode("utf-8", "replace") if quoted is not None else reader.optional_word()
    if found is None or (cases is not None and found not in cases):
        expected = f" to be one of: {', '.join(cases)}" if cases is not None else ""
        return reader.fail(f"expected {name.partition('.')[2]}{expected}", start)
    return found


@cache
def enum_reader(kind: Any) -> Callable[[Any], Attribute] | None:
    """A function that reads the cases of a class after its name; None for one with a syntax of its own."""
    # Heavy to import, and there is nothing to ask before some dialect has done so.
    from xdsl.dialects.utils.bit_enum_attribute import BitEnumAttribute
    from xdsl.dialects.utils.enum_attribute import EnumAttribute

    parser = getattr(getattr(kind, "parse_parameter", None), "__func__", None)
    if issubclass(kind, EnumAttribute):
        default: Any = EnumAttribute.parse_parameter
    elif issubclass(kind, BitEnumAttribute):
        default = BitEnumAttribute.parse_parameter
    else:
        return None
    form = form_of(kind.name)
    if parser is not default.__func__ and form.cases is None:
        return None
    if form.cases is None:
        form = Form(not issubclass(kind, SpacedOpaqueSyntaxAttribute))
    return _any_of(kind, form) if issubclass(kind, BitEnumAttribute) else _one_of(kind, form)


def _one_of(kind: Any, form: Form) -> Callable[[Any], Attribute]:
    cases = {case.value: kind(case) for case in kind.enum_type}
    form = Form(form.bracketed, tuple(cases))
    return lambda reader: cases[read_cases(reader, kind.name, form)]


def _any_of(kind: Any, form: Form) -> Callable[[Any], Attribute]:
    cases: dict[str, frozenset[Any]] = {case.value: frozenset((case,)) for case in kind.enum_type}
    if kind.none_value is not None:
        cases = {kind.none_value: frozenset(), **cases}
    if kind.all_value is not None:
        cases[kind.all_value] = frozenset(kind.enum_type)
    form = Form(form.bracketed, tuple(cases), form.separator or kind.separator_value)
    made: dict[str, Attribute] = {}

    def read(reader: Any) -> Attribute:
        text = read_cases(reader, kind.name, form)
        found = made.get(text)
        if found is None:
            flags = frozenset[Any]().union(*(cases[case] for case in text.split(form.separator)))
            found = made[text] = kind(flags)
        return found

    return read
