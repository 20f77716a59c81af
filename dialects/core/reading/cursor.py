"""The place in a text: what is there, and errors that point at it.

There is no separate lexer: every step is one match of a compiled pattern or one comparison at ``at``, which
always stands at the start of a token (blanks and comments before it are skipped). This is several times as
fast in Python as making a token for each word.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NoReturn

from lamina.dialects.core.diagnostics import Diagnostic, LaminaError, Location
from lamina.dialects.core.hints import hint_for
from lamina.dialects.core.later import regex

SPACE = regex(r"(?:[ \t\r\n\0]++|//[^\n]*+)*+")
WORD = regex(r"[A-Za-z_][\w$.]*+", re.ASCII)
WORD_END = regex(r"(?![\w$.])", re.ASCII)
INTEGER = regex(r"-?(?:0x[0-9A-Fa-f]++|[0-9]++)", re.ASCII)
FLOAT = regex(r"-?[0-9]++\.[0-9]*+(?:[eE][-+]?[0-9]++)?", re.ASCII)
STRING = regex(r'"((?:[^"\\\n]++|\\.)*+)"')
SYMBOL = regex(r'@(?:([A-Za-z_][\w$.]*+)|"((?:[^"\\\n]++|\\.)*+)")', re.ASCII)
_SKIPPED = frozenset(" \t\r\n\0/")
"""What blanks and comments begin with."""
_skip, _ends_word = SPACE.match, WORD_END.match
_ESCAPE = regex(r'\\(?:([0-9A-Fa-f]{2})|([nt"\\]))')
_SIMPLE = {"n": b"\n", "t": b"\t", '"': b'"', "\\": b"\\"}


class Cursor:
    """A place ``at`` in ``text``. Methods that may not apply return None or False and stay where they are."""

    text: str
    at: int
    name: str

    def start(self, text: str, name: str) -> None:
        """Stand at the first token of a text."""
        self.text, self.name = text, name
        self._lines = lines = [0]
        # A search for each line is several times as fast as one pattern where lines are long.
        while at := text.find("\n", lines[-1]) + 1:
            lines.append(at)
        self.at = SPACE.match(text, 0).end()  # pyright: ignore[reportOptionalMemberAccess]

    def advance(self, position: int) -> None:
        """Stand at the first token from ``position`` on."""
        # Most tokens follow each other without a blank: then no pattern is needed.
        if self.text[position : position + 1] in _SKIPPED:
            position = _skip(self.text, position).end()  # pyright: ignore[reportOptionalMemberAccess]
        self.at = position

    def sees(self, literal: str) -> bool:
        """Whether the text goes on with ``literal`` (punctuation, or a whole word)."""
        if not self.text.startswith(literal, self.at):
            return False
        last = literal[-1]
        return not (last.isalnum() or last == "_") or (
            WORD_END.match(self.text, self.at + len(literal)) is not None
        )

    def accept(self, literal: str) -> bool:
        """Take ``literal`` if it is next."""
        text = self.text
        if not text.startswith(literal, self.at):
            return False
        end = self.at + len(literal)
        last = literal[-1]
        if (last.isalnum() or last == "_") and _ends_word(text, end) is None:
            return False
        if text[end : end + 1] in _SKIPPED:
            end = _skip(text, end).end()  # pyright: ignore[reportOptionalMemberAccess]
        self.at = end
        return True

    def require(self, literal: str) -> None:
        """Take ``literal``, or fail with "expected '…'"."""
        if not self.accept(literal):
            self.fail(f"expected '{literal}'")

    def optional_word(self) -> str | None:
        """A bare identifier (``[A-Za-z_][A-Za-z0-9_$.]*``)."""
        found = WORD.match(self.text, self.at)
        if found is None:
            return None
        self.advance(found.end())
        return found.group()

    def word(self, what: str = "an identifier") -> str:
        """A bare identifier, or fail."""
        found = self.optional_word()
        return found if found is not None else self.fail(f"expected {what}")

    def optional_integer(self) -> int | None:
        """A decimal or hexadecimal integer, with sign (never the head of a float or of a ``4x8`` list)."""
        found = INTEGER.match(self.text, self.at)
        if found is None or FLOAT.match(self.text, self.at):
            return None
        self.advance(found.end())
        return int(found.group(), 0) if "x" in found.group() else int(found.group())

    def integer(self, what: str = "an integer") -> int:
        """An integer, or fail."""
        found = self.optional_integer()
        return found if found is not None else self.fail(f"expected {what}")

    def optional_string(self) -> bytes | None:
        """The bytes of a string literal."""
        found = STRING.match(self.text, self.at)
        if found is None:
            if self.text.startswith('"', self.at):
                self.fail("the string is not closed in its line")
            return None
        self.advance(found.end())
        return unescape(found.group(1))

    def string(self, what: str = "a string") -> str:
        """A string literal as text, or fail."""
        start = self.at
        found = self.optional_string()
        if found is None:
            self.fail(f"expected {what}")
        return self.decoded(found, start)

    def decoded(self, data: bytes, start: int) -> str:
        """Bytes of a literal as text; bytes that are not UTF-8 are kept as surrogates."""
        return data.decode("utf-8", "surrogateescape")

    def optional_symbol_name(self) -> str | None:
        """``@name`` or ``@"any name"``, without the ``@``."""
        found = SYMBOL.match(self.text, self.at)
        if found is None:
            return None
        start, (bare, quoted) = self.at, found.groups()
        self.advance(found.end())
        return bare if bare is not None else self.decoded(unescape(quoted), start)

    def symbol_name(self) -> str:
        """A symbol name, or fail."""
        found = self.optional_symbol_name()
        return found if found is not None else self.fail("expected a symbol name, as @name")

    def place(self, position: int | None = None) -> Location:
        """File, line and column of a position (default: here)."""
        return Location(self.name, *self.line_and_column(self.at if position is None else position))

    def line_and_column(self, position: int) -> tuple[int, int]:
        """Line and column of a position, both from 1."""
        line = bisect_right(self._lines, position)
        return line, position - self._lines[line - 1] + 1

    def fail(self, message: str, position: int | None = None, hint: str | None = None) -> NoReturn:
        """Raise an error about a position (default: here).

        One about the next token stands right after the last one where a line ends between them.
        """
        if position is None:
            position = self._end_of_last_token() if message.startswith("expected") else self.at
        raise LaminaError(Diagnostic(message, self.place(position), hint=hint or hint_for(message)))

    def _end_of_last_token(self) -> int:
        """Where the token before this one ends, if a line ends between them; else where this one starts.

        Comments between them are passed over; what looks like one within a string is taken for one too.
        """
        start = self.text.rfind("\n", 0, self.at) + 1
        if self.text[start : self.at].strip():
            return self.at
        end = start - 1
        while end > 0:
            line = self.text.rfind("\n", 0, end) + 1
            comment = self.text.find("//", line, end)
            stop = line + len(self.text[line : comment if comment >= 0 else end].rstrip())
            if stop > line:
                return stop
            end = line - 1
        return self.at

    def fail_with_note(self, message: str, position: int, note: str, other: int | None) -> NoReturn:
        """Raise an error that points at another place as well."""
        notes = (Diagnostic(note, self.place(other), "note"),) if other is not None else ()
        raise LaminaError(Diagnostic(message, self.place(position), notes=notes))


def unescape(quoted: str) -> bytes:
    """The bytes that the inside of a string literal stands for."""
    if "\\" not in quoted:
        return quoted.encode("utf-8", "surrogateescape")
    parts: list[bytes] = []
    last = 0
    for found in _ESCAPE.finditer(quoted):
        parts.append(quoted[last : found.start()].encode("utf-8", "surrogateescape"))
        code, simple = found.groups()
        parts.append(bytes([int(code, 16)]) if code else _SIMPLE[simple])
        last = found.end()
    parts.append(quoted[last:].encode("utf-8", "surrogateescape"))
    return b"".join(parts)
