"""The ``{-# … #-}`` section of IR text: the data of its resources, read into the process-wide table."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from xdsl.dialects.builtin import DenseResourceAttr
from xdsl.ir import Operation
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRTokenKind, StringLiteral

from lamina.dialects.core.constants import NO_DATA_HINT, add_resource, aligned_bytes, has_resource
from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.lexer import Lexer

_HEADER_BYTES = 4
"""A blob starts with its alignment, as a little-endian 32-bit number."""
_CHUNK = 1 << 20
_NO_DIGIT = re.compile(r"[^0-9A-Fa-f]")


def take_resources(text: str, name: str) -> tuple[str, dict[str, str]]:
    """Put the text's resource blobs into the table.

    Returns the text without them (of as many lines), and the key in the table for each key in the text.
    Raises xDSL's :class:`ParseError` at the place where the section is malformed or cut off.
    """
    start = text.rfind("{-#")
    if start < 0:
        return text, {}
    section = _Section(Input(text, name), start)
    keys = section.read()
    end = section.end
    return text[:start] + "\n" * text.count("\n", start, end) + text[end:], keys


def require_resources(root: Operation) -> None:
    """Raise a :class:`LaminaError` at the first op that holds a resource without data."""
    for op in root.walk():
        for attribute in (*op.properties.values(), *op.attributes.values()):
            if isinstance(attribute, DenseResourceAttr) and not has_resource(attribute.resource_handle.data):
                message = f"holds the resource '{attribute.resource_handle.data}', which has no data"
                raise error(message, op, hint=NO_DATA_HINT)


class _Section:
    """Reads one metadata section; blobs are decoded in place, piece by piece."""

    def __init__(self, text: Input[str], start: int) -> None:
        self._lexer = Lexer(text)
        self._lexer.pos = start
        self._start = start
        self._token = self._lexer.lex()
        self._keys: dict[str, str] = {}
        self.end = start
        """The position after what was read."""

    def read(self) -> dict[str, str]:
        """The table's key for each key of the section."""
        self._advance()
        self._entries(MLIRTokenKind.FILE_METADATA_END, self._kind_of_resources)
        return self._keys

    def _entries(self, closing: MLIRTokenKind, read: Callable[[str], None]) -> None:
        """``key: value`` pairs, separated by commas, up to and with a closing token."""
        while self._token.kind is not closing:
            key = self._key()
            self._expect(MLIRTokenKind.COLON)
            read(key)
            if self._token.kind is not closing:
                self._expect(MLIRTokenKind.COMMA)
        self.end = self._token.span.end
        if closing is not MLIRTokenKind.FILE_METADATA_END:
            # What follows the section is not ours to judge.
            self._advance()

    def _kind_of_resources(self, kind: str) -> None:
        if kind not in ("dialect_resources", "external_resources"):
            raise self._error(f"expected 'dialect_resources' or 'external_resources', found '{kind}'")
        self._expect(MLIRTokenKind.L_BRACE)
        # What belongs to tools (external) or to other dialects is skipped.
        builtin = kind == "dialect_resources"
        self._entries(MLIRTokenKind.R_BRACE, lambda owner: self._resources_of(builtin and owner == "builtin"))

    def _resources_of(self, kept: bool) -> None:
        self._expect(MLIRTokenKind.L_BRACE)
        self._entries(MLIRTokenKind.R_BRACE, self._blob if kept else lambda _: self._advance())

    def _blob(self, key: str) -> None:
        span = self._token.span
        if self._token.kind is not MLIRTokenKind.STRING_LIT:
            raise self._error(f"expected the data of resource '{key}' as a string of hexadecimal digits")
        self._keys[key] = add_resource(self._bytes(key, span)[_HEADER_BYTES:], key)
        self._advance()

    def _bytes(self, key: str, span: Span[str]) -> np.ndarray:
        """The bytes of a string ``"0x…"``, at a position that leaves the data after the header aligned."""
        text = span.input.content
        first, last = span.start + 3, span.end - 1
        if not text.startswith("0x", span.start + 1):
            raise ParseError(span, f"the data of resource '{key}' must start with '0x'")
        digits = last - first
        if digits % 2 or digits < 2 * _HEADER_BYTES:
            message = f"the data of resource '{key}' is cut off: it has {digits} hexadecimal digits"
            raise ParseError(span, message)
        # The header stands before the aligned bytes.
        data = aligned_bytes(digits // 2 + 64)[64 - _HEADER_BYTES : 64 - _HEADER_BYTES + digits // 2]
        for at in range(0, digits, 2 * _CHUNK):
            piece = text[first + at : min(first + at + 2 * _CHUNK, last)]
            try:
                data[at // 2 : (at + len(piece)) // 2] = np.frombuffer(bytes.fromhex(piece), np.uint8)
            except ValueError:
                wrong = _NO_DIGIT.search(text, first + at)
                place = wrong.start() if wrong else first
                message = f"the data of resource '{key}' holds a character that is no hexadecimal digit"
                raise ParseError(Span(place, place + 1, span.input), message) from None
        data.flags.writeable = False
        return data

    def _key(self) -> str:
        token = self._token
        if token.kind is MLIRTokenKind.STRING_LIT:
            self._advance()
            return StringLiteral.from_span(token.span).string_contents
        if token.kind is not MLIRTokenKind.BARE_IDENT:
            raise self._error("expected a key")
        self._advance()
        return token.text

    def _expect(self, kind: MLIRTokenKind) -> None:
        if self._token.kind is not kind:
            raise self._error(f"expected '{kind.value}'")
        self._advance()

    def _advance(self) -> None:
        try:
            self._token = self._lexer.lex()
        except ParseError as problem:
            unclosed = problem.span.start == self._lexer.input.content.rfind('"')
            raise self._cut_off() if unclosed else problem from None

    def _error(self, message: str) -> ParseError:
        if self._token.kind is MLIRTokenKind.EOF:
            return self._cut_off()
        return ParseError(self._token.span, f"{message} in the resources of the file")

    def _cut_off(self) -> ParseError:
        here = Span(self._start, self._start + 3, self._lexer.input)
        return ParseError(here, "the resources that start here are cut off: there is no closing '#-}'")
