"""The ``{-# … #-}`` section of IR text: the data of its resources, read into the process-wide table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn
from weakref import WeakKeyDictionary

from xdsl.dialects.builtin import DenseResourceAttr
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.hexadecimal import digits_into
from lamina.dialects.core.later import regex
from lamina.dialects.core.reading.cursor import STRING, Cursor

if TYPE_CHECKING:
    import numpy as np

_HEADER_BYTES = 4
"""A blob starts with its alignment, as a little-endian 32-bit number."""
_WHERE = " in the resources of the file"
_FEW = 100
"""Braces at the end of a text that may be part of its resources."""
_OPENING = "{-#"
_PIECE_OF_LINE = regex(r'"(?:[^"\\\n]++|\\.)*+"?|//[^\n]*+|\{-#')
"""What may hide the start of a section, and the start itself."""
_VALUE = regex(r"[^,}\n]*+")


_external: WeakKeyDictionary[Operation, str] = WeakKeyDictionary()


def take_resources(text: str, name: str) -> tuple[str, dict[str, str], str]:
    """Put the text's resource blobs into the table.

    Returns the text without them (of as many lines), the key in the table for each key in the text, and the
    entries of its ``external_resources`` as they stand.
    Raises :class:`LaminaError` at the place where a section is malformed or cut off.
    """
    rest = start = len(text)
    pieces: list[str] = []
    section: _Section | None = None
    while (start := _section_before(text, start)) >= 0:
        if section is None:
            section = _Section()
            section.start(text, name)
        end = section.read(start)
        lines = section.line_and_column(end)[0] - section.line_and_column(start)[0]
        pieces += [text[end:rest], "\n" * lines]
        rest = start
    if section is None:
        return text, {}, ""
    return "".join([text[:rest], *reversed(pieces)]), section.keys, "\n    , ".join(section.external)


def _section_before(text: str, end: int) -> int:
    """Where the last ``{-#`` before ``end`` stands that is part of no string and no comment, or -1."""
    at = end
    while (at := _opening_before(text, at)) >= 0:
        line = text.rfind("\n", 0, at) + 1
        pieces = [found.start() for found in _PIECE_OF_LINE.finditer(text, line, at + len(_OPENING))]
        starts = [start for start in pieces if text.startswith(_OPENING, start)]
        if starts:
            return starts[-1]
        at = line
    return -1


def _opening_before(text: str, end: int) -> int:
    """Where the last ``{-#`` before ``end`` stands, or -1; one character is found far quicker than three."""
    at = end
    for _ in range(_FEW):
        at = text.rfind("{", 0, at)
        if at < 0 or text.startswith(_OPENING, at):
            return at
    return text.rfind(_OPENING, 0, at)


def keep_external(root: Operation, entries: str) -> None:
    """Remember the entries for tools that a text had, to write them again with the module.

    A reproducer's is about the run that wrote it, and ends with that.
    """
    if entries and not entries.startswith("mlir_reproducer"):
        _external[root] = entries


def external_of(root: Operation) -> str:
    """The entries for tools of the text that a module was read from."""
    return _external.get(root, "")


def require_resources(root: Operation) -> None:
    """Raise a :class:`LaminaError` at the first op that holds a resource without data."""
    from lamina.dialects.core.constants import NO_DATA_HINT, has_resource

    for op in root.walk():
        for attribute in (*op.properties.values(), *op.attributes.values()):
            if isinstance(attribute, DenseResourceAttr) and not has_resource(attribute.resource_handle.data):
                message = f"holds the resource '{attribute.resource_handle.data}', which has no data"
                raise error(message, op, hint=NO_DATA_HINT)


class _Section(Cursor):
    """Reads metadata sections, the last one first; blobs are decoded in place, piece by piece."""

    keys: dict[str, str]
    """The table's key for each key of the sections."""
    external: list[str]
    """The entries of each ``external_resources``."""
    _opening = 0

    def start(self, text: str, name: str) -> None:
        super().start(text, name)
        self.keys, self.external = {}, []

    def read(self, opening: int) -> int:
        """Read the section that starts at ``opening``; returns the position after it."""
        self._opening = opening
        later, self.keys = self.keys, {}
        self.advance(opening + len(_OPENING))
        self._entries("#-}", self._kind_of_resources)
        self.keys |= later
        return self.at

    def _entries(self, closing: str, read: Callable[[str], None]) -> int:
        """``key: value`` pairs, separated by commas, up to and with a closing token; where that stands."""
        more = not self.text.startswith(closing, self.at)
        while more:
            key = self._key()
            self._expect(":")
            read(key)
            more = not self.text.startswith(closing, self.at)
            if more:
                self._expect(",")
        end = self.at
        # What follows the section is not ours to judge, blanks included.
        self.at += len(closing)
        if closing != "#-}":
            self.advance(self.at)
        return end

    def _kind_of_resources(self, kind: str) -> None:
        if kind not in ("dialect_resources", "external_resources"):
            start = self.text.rfind(kind, 0, self.at)
            self._wrong(f"expected 'dialect_resources' or 'external_resources', found '{kind}'", start)
        self._expect("{")
        if kind == "external_resources":
            # What belongs to tools may be anything.
            start = self.at
            end = self._entries("}", lambda owner: self._resources_of(self._skip))
            self.external.insert(0, self.text[start:end].strip())
        else:
            self._entries(
                "}", lambda owner: self._resources_of(self._blob if owner == "builtin" else self._check)
            )

    def _resources_of(self, read: Callable[[str], None]) -> None:
        self._expect("{")
        self._entries("}", read)

    def _skip(self, key: str) -> None:
        end = self._end_of_string() if self.text.startswith('"', self.at) else None
        found = _VALUE.match(self.text, self.at)
        self.advance(end if end is not None else found.end() if found else self.at)

    def _check(self, key: str) -> None:
        """The data of another dialect, which Lamina does not keep, is data all the same."""
        first, last = self._inside_of_string(key)
        self._digits(key, first, last)
        self.advance(last + 1)

    def _blob(self, key: str) -> None:
        from lamina.dialects.core.constants import add_resource

        first, last = self._inside_of_string(key)
        data = self._bytes(key, first, last)
        alignment = int.from_bytes(data[:_HEADER_BYTES].tobytes(), "little")
        if alignment & (alignment - 1):
            message = f"expected hex string blob for key '{key}' to encode alignment in first 4 bytes, "
            self.fail(f"{message}but got non-power-of-2 value: {alignment}", first - 1)
        self.keys[key] = add_resource(data[_HEADER_BYTES:], key, alignment)
        self.advance(last + 1)

    def _inside_of_string(self, key: str) -> tuple[int, int]:
        """Where the inside of a string starts and ends."""
        if not self.text.startswith('"', self.at):
            self._wrong(f"expected the data of resource '{key}' as a string of hexadecimal digits", self.at)
        return self.at + 1, self._end_of_string() - 1

    def _end_of_string(self) -> int:
        """The position after a string, found without a look at each of its characters."""
        end = self.text.find('"', self.at + 1)
        if end > 0 and self.text[end - 1] == "\\" and (found := STRING.match(self.text, self.at)):
            return found.end()
        if end < 0:
            self._cut_off()
        if self.text.find("\n", self.at, end) >= 0:
            self.fail("the string is not closed by '\"' on its line")
        return end + 1

    def _digits(self, key: str, first: int, last: int) -> int:
        """How many digits stand between two positions, after ``0x``: of whole bytes, with the header."""
        if not self.text.startswith("0x", first):
            self.fail(f"the data of resource '{key}' must start with '0x'", first - 1)
        digits = last - first - 2
        if digits % 2 or digits < 2 * _HEADER_BYTES:
            self.fail(
                f"the data of resource '{key}' is cut off: it has {digits} hexadecimal digits", first - 1
            )
        return digits

    def _bytes(self, key: str, first: int, last: int) -> np.ndarray:
        """The bytes of a string ``"0x…"``, at a position that leaves the data after the header aligned."""
        from lamina.dialects.core.constants import aligned_bytes

        digits = self._digits(key, first, last)
        first += 2
        # The header stands before the aligned bytes.
        data = aligned_bytes(digits // 2 + 64)[64 - _HEADER_BYTES : 64 - _HEADER_BYTES + digits // 2]
        if (wrong := digits_into(self.text, first, last, data)) is not None:
            self.fail(f"the data of resource '{key}' holds a character that is no hexadecimal digit", wrong)
        data.flags.writeable = False
        return data

    def _key(self) -> str:
        start = self.at
        quoted = self.optional_string() if self.text.startswith('"', start) else None
        key = self.decoded(quoted, start) if quoted is not None else self.optional_word()
        return key if key else self._wrong("expected a key", start)

    def _expect(self, token: str) -> None:
        if not self.accept(token):
            self._wrong(f"expected '{token}'")

    def _wrong(self, message: str, position: int | None = None) -> NoReturn:
        if self.at >= len(self.text):
            self._cut_off()
        self.fail(message + _WHERE, position)

    def _cut_off(self) -> Any:
        message = "the resources that start here are cut off: there is no closing '#-}'"
        self.fail(message, self._opening)
