"""Reading the text within the angle brackets of an attribute or type of which no more is known."""

from __future__ import annotations

import re
from collections.abc import Callable

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute

from lamina.dialects.core.later import regex
from lamina.dialects.core.making import array_of, string_attr
from lamina.dialects.core.reading.types import TypeReader
from lamina.dialects.core.writing.quoting import quoted

_BRACKETS = regex(r"->|[<>()\[\]{}\"]")
_BODY = regex(r"->|[<>()\[\]{}\"]|[#!][A-Za-z0-9_$][\w$.\-]*+|(?<![\w$.])distinct\[", re.ASCII)
_STRING = regex(r'"(?:[^"\\\n]++|\\.)*+"')
_OPENING = {">": "<", ")": "(", "]": "[", "}": "{"}


class BodyReader(TypeReader):
    """Reads bodies as text with the attributes in it."""

    def of_parts(self, sigil: str, name: str, held: Callable[[str], bool] | None = None) -> Attribute:
        """An attribute or type of text and attributes; ``held`` tells which symbols stand for attributes."""
        from lamina.dialects.core.ods.attributes import OdsAttribute, OdsType

        parts = self._parts(self.at, held) if self.text.startswith("<", self.at) else []
        return (OdsType if sigil == "!" else OdsAttribute)(string_attr(name), array_of(parts))

    def _parts(self, opening: int, held: Callable[[str], bool] | None) -> list[Attribute]:
        """The text and the attributes between ``<`` and its ``>``; stands after it then."""
        end = self.balanced(opening) - 1
        parts: list[Attribute] = []
        position = at = opening + 1
        text = ""
        while True:
            found = _BODY.search(self.text, at, end)
            if found is None:
                break
            token = found.group()
            if token == '"':
                string = _STRING.match(self.text, found.start())
                at = string.end() if string else end
            elif token[0] in "#!d" and (held is None or held(token)):
                text += self.text[position : found.start()]
                self.at = found.start()
                value = self.attribute()
                if isinstance(value, StringAttr):
                    # Parts that are strings are text.
                    text += quoted(value.data)
                else:
                    parts += [string_attr(_with_single_blanks(text)), value]
                    text = ""
                # Blanks after it belong to the text.
                position = at = len(self.text[: self.at].rstrip()) if self.at <= end else end
            else:
                at = found.end()
        text += self.text[position:end]
        parts.append(string_attr(_with_single_blanks(text)))
        self.advance(end + 1)
        filled = [part for part in parts if not isinstance(part, StringAttr) or part.data]
        return filled or [string_attr("")]

    def balanced(self, opening: int) -> int:
        """The position after the bracket that closes the one at ``opening``."""
        open_brackets: list[tuple[str, int]] = []
        at = opening
        while True:
            found = _BRACKETS.search(self.text, at)
            if found is None:
                break
            token, at = found.group(), found.end()
            if token == '"':
                string = _STRING.match(self.text, found.start())
                if string is None:
                    self.fail("the string is not closed in its line", found.start())
                at = string.end()
            elif token in "<([{":
                open_brackets.append((token, found.start()))
            elif token != "->":
                if open_brackets[-1][0] != _OPENING[token]:
                    break
                open_brackets.pop()
                if not open_brackets:
                    return at
        bracket, place = open_brackets[-1]
        return self.fail(f"unbalanced '{bracket}' character in pretty dialect name", place)


def _with_single_blanks(text: str) -> str:
    """Text with its comments removed and its blanks made single ones."""
    pieces = re.split(r'("(?:[^"\\\n]++|\\.)*+")', text)
    for i in range(0, len(pieces), 2):
        pieces[i] = re.sub(r"(?:[ \t\r\n]++|//[^\n]*+)++", " ", pieces[i])
    return "".join(pieces)
