"""Reading enumerations of xDSL's dialects, ``#d.name<case>``, without their own parser."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from xdsl.dialects.utils.bit_enum_attribute import BitEnumAttribute
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import Attribute


@cache
def enum_reader(kind: type[Attribute]) -> Callable[[Any], Attribute] | None:
    """A function that reads ``<case>`` or ``<case,case>`` for a class, or None where it has a syntax of its own."""
    parser = getattr(kind, "parse_parameter", None)
    own = getattr(parser, "__func__", None)
    if issubclass(kind, EnumAttribute) and own is EnumAttribute.parse_parameter.__func__:  # pyright: ignore[reportFunctionMemberAccess]
        return _one_of(kind)
    if issubclass(kind, BitEnumAttribute) and own is BitEnumAttribute.parse_parameter.__func__:  # pyright: ignore[reportFunctionMemberAccess]
        return _any_of(kind)
    return None


def _one_of(kind: Any) -> Callable[[Any], Attribute]:
    cases = {case.value: kind(case) for case in kind.enum_type}

    def read(reader: Any) -> Attribute:
        reader.require("<")
        found = cases[_case(reader, kind, cases)]
        reader.require(">")
        return found

    return read


def _any_of(kind: Any) -> Callable[[Any], Attribute]:
    cases: dict[str, frozenset[Any]] = {case.value: frozenset((case,)) for case in kind.enum_type}
    if kind.none_value is not None:
        cases = {kind.none_value: frozenset(), **cases}
    if kind.all_value is not None:
        cases[kind.all_value] = frozenset(kind.enum_type)

    def read(reader: Any) -> Attribute:
        reader.require("<")
        flags = cases[_case(reader, kind, cases)]
        while reader.accept(kind.separator_value):
            flags |= cases[_case(reader, kind, cases)]
        reader.require(">")
        return kind(flags)

    return read


def _case(reader: Any, kind: type[Attribute], cases: dict[str, Any]) -> str:
    start = reader.at
    quoted = reader.optional_string()
    found = quoted.decode("utf-8", "replace") if quoted is not None else reader.optional_word()
    if found not in cases:
        reader.fail(f"expected {kind.name} to be one of: {', '.join(cases)}", start)
    return found
