"""Reading what begins with ``#`` or ``!``: aliases, and attributes and types of dialects."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import UnregisteredAttr
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from lamina.dialects.core.later import regex
from lamina.dialects.core.making import array_of, string_attr
from lamina.dialects.core.ods.spec import table_of
from lamina.dialects.core.reading.bodies import BodyReader
from lamina.dialects.core.reading.cursor import WORD
from lamina.dialects.core.reading.enums import BRACKETED, enum_reader, form_of, read_cases
from lamina.dialects.core.reading.types import BLANK, TYPE_SLICE
from lamina.dialects.core.wording import innermost_message

_SYMBOL = regex(r"[#!]([0-9]++|[A-Za-z$._\-][\w$.\-]*+)", re.ASCII)
_SLICE = regex(rf"([#!]{TYPE_SLICE.removeprefix('!?')}){BLANK}", re.ASCII)
_ALIAS = regex(r"^[ \t]*([#!][A-Za-z0-9_$.\-]+)[ \t]*=", re.MULTILINE | re.ASCII)
_ALIAS_USE = regex(r"[#!][A-Za-z0-9_$][\w$\-]*+(?![.<])", re.ASCII)
_PRETTY = regex(r"([A-Za-z_][\w$.]*+)(<.*>)?+", re.ASCII | re.DOTALL)

ParsesExtended = Callable[[Any, str], Attribute]
_SYNTAX: dict[str, ParsesExtended] = {}


def attribute_syntax(*names: str) -> Callable[[ParsesExtended], ParsesExtended]:
    """Register a function that reads attributes (``#d.name``) or types (``!d.name``) of a dialect.

    It is called with the reader, which stands after the name, and the name without its sigil. Modules
    ``dialects/<dialect>/attributes.py`` are imported when the dialect is first met.
    """

    def register(read: ParsesExtended) -> ParsesExtended:
        _SYNTAX.update(dict.fromkeys(names, read))
        return read

    return register


@cache
def load_attributes(dialect: str) -> None:
    """Import what registers the syntax of a dialect's attributes, if there is such a module."""
    folder = Path(__file__).resolve().parents[2] / dialect
    if (folder / "attributes.py").is_file():
        importlib.import_module(f"lamina.dialects.{dialect}.attributes")


class ExtendedReader(BodyReader):
    """Reads aliases, and attributes and types of dialects."""

    ctx: Context
    """The dialects that are known."""
    attribute_aliases: dict[str, Attribute]
    """The attribute or type for each alias that was read, with its sigil."""
    _ahead: dict[str, int] | None
    _skipped: dict[int, int]
    """For each definition of an alias that was read before its turn, where it ends."""

    def start(self, text: str, name: str) -> None:
        super().start(text, name)
        self.attribute_aliases = {}
        self._ahead = None
        self._skipped = {}

    def extended(self, sigil: str) -> Attribute:
        """An alias, or an attribute or type of a dialect: ``#alias``, ``#d.name<…>``, ``#d<name<…>>``."""
        slice = _SLICE.match(self.text, self.at)
        if slice is not None:
            known = self.type_cache.get(slice[1])
            if known is not None:
                self.at = slice.end()
                return known
        found = self._extended_anew(sigil)
        if slice is not None and self.at == slice.end():
            self.type_cache[slice[1]] = found
        return found

    def _extended_anew(self, sigil: str) -> Attribute:
        start = self.at
        symbol = _SYMBOL.match(self.text, start)
        if symbol is None:
            what = "an attribute" if sigil == "#" else "a type"
            self.fail(f"expected the name of {what} after '{sigil}'")
        name, end = symbol[1], symbol.end()
        dialect, dot, _ = name.partition(".")
        if dot and dialect:
            self.advance(end)
            return self._of_dialect(sigil, dialect, name, start)
        if self.text.startswith("<", end):
            return self._opaque_form(sigil, name, start, end)
        known = self.attribute_aliases.get(symbol.group())
        if known is None:
            known = self._alias_ahead(symbol.group())
        if known is None:
            self.fail(f"undefined symbol alias id '{name}'", start)
        self.advance(end)
        return known

    # Aliases.

    def alias_definition(self) -> None:
        """``#name = attribute`` or ``!name = type``."""
        start, text = self.at, self.text
        symbol = _SYMBOL.match(text, start)
        if symbol is None:
            self.fail("expected the name of an alias")
        if start in self._skipped:
            self.at = self._skipped[start]
            return
        alias = symbol.group()
        what = "attribute" if alias.startswith("#") else "type"
        if alias in self.attribute_aliases:
            self.fail(f"redefinition of {what} alias id '{alias[1:]}'", start)
        if "." in alias:
            names = "attribute names" if what == "attribute" else "type names"
            self.fail(f"{names} with a '.' are reserved for dialect-defined names", start)
        self.advance(symbol.end())
        if not self.accept("="):
            self.fail(f"expected '=' in {what} alias definition")
        self.attribute_aliases[alias] = self.attribute() if what == "attribute" else self.type()

    def _definitions_ahead(self) -> dict[str, int]:
        """Where each alias is defined that has not been asked for before its definition."""
        if self._ahead is None:
            self._ahead = {found[1]: found.start(1) for found in _ALIAS.finditer(self.text)}
        return self._ahead

    def _alias_ahead(self, alias: str) -> Attribute | None:
        """The value of an alias that is defined after its use, as upstream prints those of locations."""
        definition = self._definitions_ahead().pop(alias, None)
        if definition is None:
            return None
        back, self.at = self.at, definition
        self.alias_definition()
        self._skipped[definition], self.at = self.at, back
        return self.attribute_aliases[alias]

    # Attributes and types of dialects.

    def stripped_attribute(self, name: str) -> Attribute:
        """An attribute of this name (``vector.kind``) without the name, as it stands in an op: ``<add>``.

        It may also stand there in full.
        """
        if self.text.startswith("#", self.at):
            return self.extended("#")
        return self._of_dialect("#", name.partition(".")[0], name, self.at)

    def optional_stripped_attribute(self, name: str) -> Attribute | None:
        """The same, or None where it does not stand here."""
        form = form_of(name)
        if self.text.startswith("#", self.at):
            return self.extended("#")
        if form.bracketed:
            return self.stripped_attribute(name) if self.text.startswith("<", self.at) else None
        word = WORD.match(self.text, self.at)
        if word is None or (form.cases is not None and word.group() not in form.cases):
            return None
        return self.stripped_attribute(name)

    def _of_dialect(self, sigil: str, dialect: str, name: str, start: int) -> Attribute:
        """What follows a name with a dialect, read by whoever knows it."""
        load_attributes(dialect)
        read = _SYNTAX.get(sigil + name)
        if read is not None:
            return read(self, name)
        kind = self._known_class(sigil, dialect, name)
        if kind is not None:
            return self._of_class(kind, sigil, name, start)
        table = table_of(dialect)
        if table is not None and name in (table.types if sigil == "!" else table.attributes):
            return self.of_table(sigil, name)
        if table is None and self.ctx.allow_unregistered:
            return self._unregistered(sigil, name)
        what = "type" if sigil == "!" else "attribute"
        if table is None and self.ctx.get_optional_dialect(dialect) is None:
            message = f"{what} {sigil}{name} is of the dialect '{dialect}', which is not registered"
            self.fail(message, start, "--allow-unregistered-dialect accepts it")
        return self.fail(f"unknown {what} `{name[len(dialect) + 1 :]}` in dialect `{dialect}`", start)

    def _known_class(self, sigil: str, dialect: str, name: str) -> type[Attribute] | None:
        """The class of a registered attribute or type, or None."""
        if self.ctx.get_optional_dialect(dialect) is None:
            return None
        loaded = self.ctx._loaded_types if sigil == "!" else self.ctx._loaded_attrs  # pyright: ignore[reportPrivateUsage]
        kind = loaded.get(name)
        return None if kind is None or issubclass(kind, UnregisteredAttr) else kind

    def _of_class(self, kind: type[Attribute], sigil: str, name: str, start: int) -> Attribute:
        read = enum_reader(kind)
        try:
            return read(self) if read is not None else self.bridged_attribute(kind, sigil == "!")
        except VerifyException as problem:
            return self.fail(innermost_message(problem), start)

    def bridged_attribute(self, kind: type[Attribute], is_type: bool) -> Attribute:
        """An attribute or type read by the parser of its xDSL class."""
        raise NotImplementedError

    def _opaque_form(self, sigil: str, dialect: str, start: int, opening: int) -> Attribute:
        """``#d<name<…>>``, which is ``#d.name<…>``, or text that only an unregistered dialect may have."""
        word = WORD.match(self.text, opening + 1)
        known = self.ctx.get_optional_dialect(dialect) is not None or table_of(dialect) is not None
        if known and word is not None:
            self.advance(word.end())
            found = self._of_dialect(sigil, dialect, f"{dialect}.{word.group()}", start)
            self.require(">")
            return found
        end = self.balanced(opening)
        body = self.text[opening + 1 : end - 1]
        if not self.ctx.allow_unregistered:
            message = f"'{sigil}{dialect}<…>' is of a dialect that is not registered"
            self.fail(message, start, "--allow-unregistered-dialect accepts it")
        if _PRETTY.fullmatch(body) and word is not None:
            self.advance(word.end())
            found = self._unregistered(sigil, f"{dialect}.{word.group()}")
        else:
            kind = UnregisteredAttr.with_name_and_type(f"{dialect}.", sigil == "!")
            found = kind(f"{dialect}.", sigil == "!", True, body)
        self.advance(end)
        return found

    def _unregistered(self, sigil: str, name: str) -> Attribute:
        """An attribute whose text is kept as it is; aliases within it are held as what they stand for."""
        body = ""
        if self.text.startswith("<", self.at):
            opening = self.at
            end = self.balanced(opening)
            body = self.text[opening + 1 : end - 1]
            if any(map(self._is_alias, _ALIAS_USE.findall(body))):
                return self.of_parts(sigil, name, self._is_alias)
            self.advance(end)
            if not body:
                # Brackets with nothing in them are kept as well.
                name += "<>"
        is_type = sigil == "!"
        kind: Any = self.ctx.get_optional_type(name) if is_type else self.ctx.get_optional_attr(name)
        return kind(name, is_type, False, body)

    def _is_alias(self, symbol: str) -> bool:
        """Whether an alias is defined, with its sigil, be it later in the text."""
        return symbol in self.attribute_aliases or symbol in self._definitions_ahead()

    def of_table(self, sigil: str, name: str) -> Attribute:
        """An attribute or type that only the table of its dialect knows."""
        from lamina.dialects.core.ods.attributes import OdsAttribute, SpacedOdsAttribute

        attr_name = string_attr(name)
        form = form_of(name) if sigil == "#" else BRACKETED
        if form.cases is not None or not form.bracketed:
            body = array_of((string_attr(read_cases(self, name, form)),))
            return (OdsAttribute if form.bracketed else SpacedOdsAttribute)(attr_name, body)
        return self.of_parts(sigil, name)
