"""How an attribute stands in an assembly format, by its kind: keywords, symbols, numbers without type."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.irdl import VerificationContext
from xdsl.utils.exceptions import VerifyException

from lamina.dialects.core.ods.spec import AttributeSpec, AttrKind, EnumSpec, OpSpec, Table, table_of

_TYPES: dict[str, Any] = {"i1": i1, "i8": i8, "i16": i16, "i32": i32, "i64": i64, "index": IndexType()}


class AttributeForm(NamedTuple):
    """The functions for one attribute of an op: read it (or None where it is not there), and write it."""

    read: Callable[[Any], Any]
    read_optional: Callable[[Any], Any]
    write: Callable[[Any, Any], None]


def attribute_form(spec: OpSpec, attribute: AttributeSpec, qualified: bool = False) -> AttributeForm:
    """The form of an attribute in the format of an op."""
    table = table_of(spec.name.partition(".")[0])
    assert table is not None
    kind = table.attr_kinds[attribute.kind]
    if not qualified and kind.storage in ("enum", "dialect") and kind.attribute:
        return _body_form(kind, table)
    if kind.property and kind.attribute:
        return _keyword_form(kind, table, _holds_number(spec.name, attribute.name))
    make = _FORMS.get(kind.storage)
    return make(kind, table) if make else _any_form(kind)


def _any_form(kind: AttrKind) -> AttributeForm:
    type = _TYPES.get(kind.type or "")
    return AttributeForm(
        lambda p: p.attribute(type),
        lambda p: p.optional_attribute(type),
        lambda w, value: w.attribute(value, type),
    )


def _symbol(kind: AttrKind, table: Table) -> AttributeForm:
    return AttributeForm(
        lambda p: p.symbol(),
        lambda p: p.symbol() if p.text.startswith("@", p.at) else None,
        lambda w, value: w.attribute(value),
    )


def _symbol_name(kind: AttrKind, table: Table) -> AttributeForm:
    def optional(p: Any) -> Any:
        name = p.optional_symbol_name()
        return StringAttr(name) if name is not None else None

    return AttributeForm(
        lambda p: StringAttr(p.symbol_name()), optional, lambda w, value: w.symbol(value.data)
    )


def _string(kind: AttrKind, table: Table) -> AttributeForm:
    def optional(p: Any) -> Any:
        return p.string_attr() if p.text.startswith('"', p.at) else None

    return AttributeForm(lambda p: p.string_attr(), optional, lambda w, value: w.attribute(value))


def _unit(kind: AttrKind, table: Table) -> AttributeForm:
    def read(p: Any) -> Any:
        return UnitAttr() if p.accept("unit") else None

    return AttributeForm(lambda p: read(p) or p.fail("expected 'unit'"), read, lambda w, value: w.put("unit"))


def _enum_integer(kind: AttrKind, table: Table) -> AttributeForm:
    enum = table.enums[kind.enum or ""]
    type = _TYPES[kind.type or "i32"]

    def optional(p: Any) -> Any:
        number = read_case(p, enum)
        return None if number is None else IntegerAttr(number, type)

    def required(p: Any) -> Any:
        found = optional(p)
        return fail_for_case(p, enum) if found is None else found

    return AttributeForm(
        required,
        optional,
        lambda w, value: w.put(case_text(enum, value.value.data)),
    )


def _type(kind: AttrKind, table: Table) -> AttributeForm:
    return AttributeForm(lambda p: p.type(), lambda p: p.optional_type(), lambda w, value: w.type(value))


def _dense_array(kind: AttrKind, table: Table) -> AttributeForm:
    """``[1, 2, 3]``, without the type."""
    element = _TYPES.get(kind.type or "")
    if element is None:
        return _any_form(kind)

    def optional(p: Any) -> Any:
        if not p.accept("["):
            return p.attribute() if p.sees("array") else None
        numbers: list[int] = []
        while not p.sees("]"):
            if element is i1 and (p.sees("true") or p.sees("false")):
                numbers.append(-int(p.word() == "true"))
            else:
                numbers.append(p.integer("an integer in the list"))
            if not p.accept(","):
                break
        p.require("]")
        return DenseArrayBase.from_list(element, numbers)

    def write(w: Any, value: Any) -> None:
        if not isinstance(value, DenseArrayBase):
            w.attribute(value)
        elif element is i1:
            w.put(f"[{', '.join('true' if n else 'false' for n in value.get_values())}]")
        else:
            w.put(f"[{', '.join(str(n) for n in value.get_values())}]")

    def required(p: Any) -> Any:
        found = optional(p)
        return p.fail("expected '['") if found is None else found

    return AttributeForm(required, optional, write)


def _body_form(kind: AttrKind, table: Table) -> AttributeForm:
    """An attribute of a dialect stands without its name: ``<add>``, ``fast``."""
    mnemonic = kind.attribute or ""

    def optional(p: Any) -> Any:
        return p.optional_stripped_attribute(mnemonic)

    def read(p: Any) -> Any:
        return p.stripped_attribute(mnemonic)

    return AttributeForm(read, optional, lambda w, value: w.stripped_attribute(value))


@cache
def _holds_number(op_name: str, name: str) -> bool:
    """Whether the class of an op holds the cases of an enumeration as a number."""
    from lamina.dialects.core.ods.classes import class_of

    definition: Any = class_of(op_name)
    held = definition.get_irdl_definition().properties.get(name)
    if held is None:
        return False
    try:
        held.constr.verify(IntegerAttr(0, i32), VerificationContext())
    except VerifyException:
        return False
    return True


def _keyword_form(kind: AttrKind, table: Table, as_number: bool) -> AttributeForm:
    """A word and the cases after it, as ``overflow<nsw>`` for ``#llvm.overflow<nsw>``."""
    mnemonic = kind.attribute or ""
    word = mnemonic.rpartition(".")[2]
    enum = table.enums[kind.enum or ""]

    def cases(p: Any) -> Any:
        p.require("<")
        number = read_case(p, enum)
        if number is None:
            return fail_for_case(p, enum)
        p.require(">")
        return IntegerAttr(number, i32)

    def optional(p: Any) -> Any:
        if not p.accept(word):
            return None
        return cases(p) if as_number else p.stripped_attribute(mnemonic)

    def read(p: Any) -> Any:
        found = optional(p)
        return p.fail(f"expected '{word}'") if found is None else found

    def write(w: Any, value: Any) -> None:
        w.put(word)
        if isinstance(value, IntegerAttr):
            w.put(f"<{case_text(enum, value.value.data)}>")
        else:
            w.stripped_attribute(value)

    return AttributeForm(read, optional, write)


def default_texts(spec: OpSpec) -> dict[str, str]:
    """The default value of each attribute of an op that has one, as attribute text."""
    table = table_of(spec.name.partition(".")[0])
    assert table is not None
    found: dict[str, str] = {}
    for attribute in spec.attributes:
        if attribute.default is None:
            continue
        kind = table.attr_kinds[attribute.kind]
        text = attribute.default
        if kind.property and kind.attribute and kind.enum and not _holds_number(spec.name, attribute.name):
            number = int(text.partition(":")[0])
            text = f"#{kind.attribute}<{case_text(table.enums[kind.enum], number)}>"
        found[attribute.name] = text
    return found


_FORMS: dict[str, Callable[[AttrKind, Table], AttributeForm]] = {
    "symbol": _symbol,
    "symbol-name": _symbol_name,
    "unit": _unit,
    "string": _string,
    "enum-integer": _enum_integer,
    "type": _type,
    "dense-array": _dense_array,
}


def read_case(p: Any, enum: EnumSpec) -> int | None:
    """The number of the case (for bits: of all cases joined by the separator) that stands here, or None."""
    start = p.at
    word = p.optional_word()
    if word is None:
        quoted = p.optional_string()
        word = quoted.decode() if quoted is not None else None
    if word is None or word not in enum.cases:
        p.at = start
        return None
    number = enum.cases[word]
    separator = enum.separator.strip()
    while enum.bits and p.accept(separator):
        word = p.word(f"one of {', '.join(enum.cases)}")
        if word not in enum.cases:
            fail_for_case(p, enum)
        number |= enum.cases[word]
    return number


def fail_for_case(p: Any, enum: EnumSpec) -> Any:
    """Fail with the cases that would be right."""
    p.fail(f"expected ::{enum.name} to be one of: {', '.join(enum.cases)}")


def case_text(enum: EnumSpec, number: int) -> str:
    """The text of a number of an enumeration."""
    for text, value in enum.cases.items():
        if value == number:
            return text
    parts: list[str] = []
    rest = number
    for text, value in sorted(enum.cases.items(), key=lambda case: -case[1]):
        if value and rest & value == value:
            parts.append(text)
            rest &= ~value
    order = list(enum.cases)
    # Names of several bits come first, as upstream's.
    parts.sort(key=lambda text: (-enum.cases[text].bit_count(), order.index(text)))
    return enum.separator.join(parts) if not rest else str(number)
