"""Reading attributes: the builtin ones by their first character or word, and dictionaries of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

from immutabledict import immutabledict
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    NoneType,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
)
from xdsl.ir import Attribute

from lamina.dialects.core.later import regex
from lamina.dialects.core.making import FALSE, TRUE, array_of, string_attr, unchecked
from lamina.dialects.core.reading.affine import AffineReader
from lamina.dialects.core.reading.cursor import WORD
from lamina.dialects.core.reading.extended import ExtendedReader
from lamina.dialects.core.reading.locations import LocationReader
from lamina.dialects.core.reading.sparse import SparseReader
from lamina.dialects.core.reading.special import SpecialReader
from lamina.dialects.core.reading.types import BLANK, TYPE_SLICE

UNIT: Any = UnitAttr()
_NO_NESTED = array_of(())
_MOST_NESTED = 1000


class AttributeReader(SparseReader, SpecialReader, ExtendedReader, LocationReader, AffineReader):
    """Reads types and attributes of every kind."""

    _attribute_depth = 0

    def attribute(self, type: Attribute | None = None) -> Any:
        """An attribute, or fail; a number, string or constant takes ``type``, then no type follows it."""
        found = self.optional_attribute(type)
        return found if found is not None else self.fail("expected attribute value")

    def optional_attribute(self, type: Attribute | None = None) -> Any:
        """An attribute, or None where the text does not go on with one."""
        read = _BY_CHARACTER.get(self.text[self.at : self.at + 1])
        if read is not None:
            return read(self, type)
        word = WORD.match(self.text, self.at)
        if word is not None:
            special = _BY_WORD.get(word.group())
            if special is not None:
                return self._by_word(word, special, type)
        return self.optional_type()

    def _by_word(self, word: re.Match[str], read: _ReadsByWord, type: Attribute | None) -> Attribute:
        """What follows a word; short maps and splats are found again by their text."""
        start = self.at
        short = _SHORT.match(self.text, start) if type is None else None
        if short is not None:
            known = self.type_cache.get(short[1])
            if known is not None:
                self.at = short.end()
                return known
        self.advance(word.end())
        found = read(self, type, start)
        if short is not None and self.at == short.end():
            self.type_cache[short[1]] = found
        return found

    def integer_attr(self, type: Any) -> IntegerAttr:
        """An integer literal, also ``true`` and ``false``, as an attribute of an integer type or index."""
        start = self.at
        found = self.attribute(type)
        return found if isinstance(found, IntegerAttr) else self.fail("expected integer value", start)

    def string_attr(self) -> StringAttr:
        """A string literal as an attribute."""
        return string_attr(self.string())

    def symbol(self) -> SymbolRefAttr:
        """``@name`` or ``@outer::@inner``."""
        root = string_attr(self.symbol_name())
        nested = _NO_NESTED
        if self.text.startswith("::", self.at):
            names: list[Attribute] = []
            while self.accept("::"):
                name = self.optional_symbol_name()
                if name is None:
                    self.fail("expected nested symbol reference identifier")
                names.append(string_attr(name))
            nested = array_of(names)
        return unchecked(SymbolRefAttr, root_reference=root, nested_references=nested)

    def optional_symbol(self) -> SymbolRefAttr | None:
        """A symbol, or None where the text does not go on with one."""
        return self.symbol() if self.text.startswith("@", self.at) else None

    # Dictionaries.

    def attr_dict(self) -> dict[str, Attribute]:
        """``{a = 1, b}``; empty where there are no braces."""
        return self._dictionary_entries() if self.text.startswith("{", self.at) else {}

    def attr_dict_with_keyword(self) -> dict[str, Attribute]:
        """``attributes {a = 1}``; empty where the word does not stand there."""
        if not self.accept("attributes"):
            return {}
        if not self.text.startswith("{", self.at):
            self.fail("expected '{' in attribute dictionary")
        return self._dictionary_entries()

    def properties(self) -> dict[str, Attribute]:
        """``<{a = 1}>``, the inherent attributes of the generic form; empty where they are missing."""
        if not self.accept("<"):
            return {}
        if not self.text.startswith("{", self.at):
            self.fail("expected '{' in attribute dictionary")
        entries = self._dictionary_entries()
        self.require(">")
        return entries

    def _dictionary_entries(self) -> dict[str, Attribute]:
        self._descend()
        self.advance(self.at + 1)
        entries: dict[str, Attribute] = {}
        if not self.text.startswith("}", self.at):
            self._dictionary_entry(entries)
            while self.accept(","):
                self._dictionary_entry(entries)
        if not self.accept("}"):
            self.fail("expected '}' in attribute dictionary")
        self._attribute_depth -= 1
        return entries

    def _dictionary_entry(self, entries: dict[str, Attribute]) -> None:
        start = self.at
        word = _ENTRY.match(self.text, start)
        if word is not None:
            name = word[1]
            self.at = word.end()
            if word[2] and name not in entries:
                entries[name] = self.attribute()
                return
        elif self.text.startswith('"', start):
            name = self.string()
            if not name:
                self.fail("expected valid attribute name", start)
        else:
            self.fail("expected attribute name")
        if name in entries:
            self.fail(f"duplicate key '{name}' in dictionary attribute", start)
        entries[name] = self.attribute() if self.accept("=") else UNIT

    def _descend(self) -> None:
        self._attribute_depth += 1
        if self._attribute_depth > _MOST_NESTED:
            self.fail(f"more than {_MOST_NESTED} nested attributes")

    # What begins with a certain character.

    def _string(self, kind: Attribute | None) -> Attribute:
        text = self.string_attr()
        if kind is None and self.accept(":"):
            kind = self.type()
        if kind is None or kind.__class__ is NoneType:
            return text
        from lamina.dialects.builtin.attributes import TypedStringAttr

        return unchecked(TypedStringAttr, value=text, type=kind)

    def _array(self, kind: Attribute | None) -> ArrayAttr:
        self._descend()
        self.advance(self.at + 1)
        items: list[Attribute] = []
        if not self.text.startswith("]", self.at):
            items.append(self.attribute())
            while self.text.startswith(",", self.at):
                self.advance(self.at + 1)
                items.append(self.attribute())
        if not self.accept("]"):
            self.fail("expected ',' or ']'")
        self._attribute_depth -= 1
        return array_of(items)

    def _dictionary(self, kind: Attribute | None) -> DictionaryAttr:
        return unchecked(DictionaryAttr, data=immutabledict(self._dictionary_entries()))

    def _symbol(self, kind: Attribute | None) -> SymbolRefAttr:
        return self.symbol()

    def _extended(self, kind: Attribute | None) -> Attribute:
        start = self.at
        found = self.extended("#")
        if not self.text.startswith(":", self.at) or self.text.startswith("::", self.at):
            return found
        symbol = WORD.match(self.text, start + 1)
        if symbol is None or "." not in symbol.group():
            return found
        # An attribute of a dialect may have its type behind it.
        self.advance(self.at + 1)
        of = self.type()
        own = getattr(found, "type", None)
        if own is not None:
            return found if own == of else self.fail("attribute type different than expected", start)
        from lamina.dialects.builtin.attributes import TypedDialectAttr

        return unchecked(TypedDialectAttr, value=found, type=of)

    def _type(self, kind: Attribute | None) -> Attribute:
        return self.type()

    # What begins with a certain word, which stands at `start`.

    def _dense(self, kind: Attribute | None, start: int) -> Attribute:
        return self.dense(kind, start)

    def _sparse(self, kind: Attribute | None, start: int) -> Attribute:
        return self.sparse(kind, start)

    def _dense_array(self, kind: Attribute | None, start: int) -> Attribute:
        return self.dense_array(start)

    def _dense_resource(self, kind: Attribute | None, start: int) -> Attribute:
        return self.dense_resource(kind)

    def _affine_map(self, kind: Attribute | None, start: int) -> Attribute:
        return self.affine_map_attribute()

    def _affine_set(self, kind: Attribute | None, start: int) -> Attribute:
        return self.affine_set_attribute()

    def _location(self, kind: Attribute | None, start: int) -> Attribute:
        return self.location()


_ENTRY = regex(rf"([A-Za-z_][\w$.]*+){BLANK}(=)?+{BLANK}", re.ASCII)
_SHORT = regex(
    rf"(affine_map<(?:->|[^<>])*+>|dense<[\w.+\-]{{1,40}}>{BLANK}:{BLANK}{TYPE_SLICE}){BLANK}", re.ASCII
)
"""A map, or a splat with its type, all of whose text decides what it is."""
_ReadsByCharacter = Callable[[Any, Attribute | None], Attribute]
_BY_CHARACTER: dict[str, _ReadsByCharacter] = {
    '"': AttributeReader._string,
    "@": AttributeReader._symbol,
    "#": AttributeReader._extended,
    "[": AttributeReader._array,
    "{": AttributeReader._dictionary,
    "!": AttributeReader._type,
    "(": AttributeReader._type,
    **dict.fromkeys("-0123456789", cast("_ReadsByCharacter", AttributeReader.number)),
}
_ReadsByWord = Callable[[Any, "Attribute | None", int], Attribute]
_BY_WORD: dict[str, _ReadsByWord] = {
    "true": lambda reader, kind, start: TRUE,
    "false": lambda reader, kind, start: FALSE,
    "unit": lambda reader, kind, start: UNIT,
    "dense": AttributeReader._dense,
    "sparse": AttributeReader._sparse,
    "array": AttributeReader._dense_array,
    "dense_resource": AttributeReader._dense_resource,
    "affine_map": AttributeReader._affine_map,
    "affine_set": AttributeReader._affine_set,
    "loc": AttributeReader._location,
    "opaque": AttributeReader.opaque,
    "strided": AttributeReader.strided,
    "distinct": AttributeReader.distinct,
}
