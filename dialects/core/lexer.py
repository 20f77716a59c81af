"""Tokens of IR text: one regular expression for each token, and errors that name what was found."""

from __future__ import annotations

import re

from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input, Span, Token
from xdsl.utils.mlir_lexer import KIND_BY_PUNCTUATION_SPELLING, MLIRLexer, MLIRTokenKind

from lamina.dialects.core.later import regex

# Each quantifier is possessive: xDSL's own expression backtracks exponentially on an unclosed literal.
_STRING = r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"'
MLIRLexer._unescaped_characters_regex = regex(_STRING)  # pyright: ignore[reportPrivateUsage]

_SKIPPED = regex(r"(?:[ \t\r\n\f\v]++|//[^\n]*+)*+")
_SUFFIX = r"(?:[0-9]++|[A-Za-z$._\-][\w$.\-]*+)"
_TOKEN = regex(
    rf"""
      (?P<BARE_IDENT> [A-Za-z_][\w$.]*+ )
    | (?P<PERCENT_IDENT> %{_SUFFIX} )
    | (?P<PUNCTUATION> -> | \.\.\. | \{{-\# | \#-\}} | [:,()\[\]<>=+/*?|{{}}-] )
    | (?P<FLOAT_LIT> [0-9]++\.[0-9]*+(?:[eE][+\-]?[0-9]++)? )
    | (?P<INTEGER_LIT> 0x[0-9A-Fa-f]++ | [0-9]++ )
    | (?P<STRING> {_STRING} )
    | (?P<AT_IDENT> @(?:[A-Za-z_][\w$.]*+ | {_STRING}) )
    | (?P<HASH_IDENT> \#{_SUFFIX} )
    | (?P<EXCLAMATION_IDENT> !{_SUFFIX} )
    | (?P<CARET_IDENT> \^{_SUFFIX} )
    """,
    re.VERBOSE | re.ASCII,
)
_KINDS: dict[str | None, MLIRTokenKind] = {
    name: getattr(MLIRTokenKind, name) for name in _TOKEN.groupindex if hasattr(MLIRTokenKind, name)
}
_AFTER_SIGIL = {
    "%": "the name of a value",
    "^": "the name of a block",
    "#": "the name of an attribute",
    "!": "the name of a type",
    "@": "the name of a symbol",
}


class Lexer(MLIRLexer):
    """Splits IR text into tokens, and knows where the last one ended."""

    previous_end = 0
    """The end of the token before the one that was read last."""
    _last_end = 0

    def lex(self) -> Token[MLIRTokenKind, str]:
        """The next token; characters that begin none are a :class:`ParseError`."""
        self.previous_end = self._last_end
        text = self.input.content
        skipped = _SKIPPED.match(text, self.pos)
        start = skipped.end() if skipped else self.pos
        match = _TOKEN.match(text, start)
        if match is None:
            if start < len(text):
                raise _no_token(self.input, start)
            self.pos = start
            return Token(MLIRTokenKind.EOF, Span(start, start, self.input))
        self._last_end = self.pos = match.end()
        group = match.lastgroup
        if group == "STRING":
            self.pos = start
            token = self._lex_string_literal(start)
            self._last_end = self.pos
            return token
        if group == "PUNCTUATION":
            return Token(KIND_BY_PUNCTUATION_SPELLING[match.group()], Span(start, self.pos, self.input))
        return Token(_KINDS[group], Span(start, self.pos, self.input))


def _no_token(text: Input[str], start: int) -> ParseError:
    """The error for a place where no token begins."""
    character = text.content[start]
    here = Span(start, start + 1, text)
    if character == '"':
        return ParseError(here, "the string is not closed by '\"' on its line")
    following = text.content[start + 1 : start + 2]
    if character in _AFTER_SIGIL:
        found = f", found {described(following)}" if following else ", found the end of the text"
        return ParseError(here, f"expected {_AFTER_SIGIL[character]} after '{character}'{found}")
    return ParseError(here, f"unexpected character {described(character)}")


def described(character: str) -> str:
    """A character for a message: in quotes where it prints, as its code point where it does not."""
    return f"'{character}'" if character.isprintable() else f"U+{ord(character):04X}"
