"""The grammar of declarative assembly formats (MLIR, "Declarative Assembly Format"): text to a tree."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from lamina.dialects.core.later import regex


@dataclass(frozen=True, slots=True)
class Literal:
    """Text that stands as it is; the empty one and blanks only steer how the form is printed."""

    text: str


@dataclass(frozen=True, slots=True)
class Variable:
    """``$name``: operands, an attribute, a region or a successor."""

    name: str


@dataclass(frozen=True, slots=True)
class Directive:
    """``name(arguments…)`` or a bare ``attr-dict``; for ``custom<X>(…)`` the name is ``custom:X``."""

    name: str
    arguments: tuple[Element, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """``(… anchor^ …)? : (…)?``: an optional group with what stands in its place when it is absent."""

    present: tuple[Element, ...]
    absent: tuple[Element, ...]
    anchor: Element


@dataclass(frozen=True, slots=True)
class Clauses:
    """``oilist(a | b)``: clauses in any order, each at most once."""

    clauses: tuple[tuple[Element, ...], ...]


Element: TypeAlias = "Literal | Variable | Directive | Choice | Clauses"

_TOKEN = regex(r'\s*(?:`([^`]*)`|\$(\w+)|(custom)\s*<\s*(\w+)\s*>|([A-Za-z][\w\-]*)|"([^"]*)"|(\S))')


def parse_format(text: str) -> tuple[Element, ...]:
    """The elements of a format. Raises ValueError for what is no format."""
    parser = _Parser(text)
    elements = parser.elements(())
    if parser.peek() is not None:
        raise ValueError(f"unexpected '{parser.peek()}' in the format")
    return tuple(elements)


_WITH_ARGUMENTS = ("type", "ref", "qualified", "functional-type")


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.anchor: Element | None = None

    def match(self) -> re.Match[str] | None:
        found = _TOKEN.match(self.text, self.at)
        return found if found and found.end() > self.at and found.group().strip() else None

    def peek(self) -> str | None:
        found = self.match()
        return found.group().strip() if found else None

    def take(self, wanted: str) -> bool:
        found = self.match()
        if found is None or found.group(7) != wanted:
            return False
        self.at = found.end()
        return True

    def elements(self, ends: tuple[str, ...]) -> list[Element]:
        found: list[Element] = []
        while (token := self.peek()) is not None and token not in ends:
            found.append(self.element())
        return found

    def element(self) -> Element:
        token = self.match()
        if token is None:
            raise ValueError("the format ends too early")
        self.at = token.end()
        literal, variable, custom, custom_name, word, code, mark = token.groups()
        if literal is not None:
            element: Element = Literal(literal)
        elif variable is not None:
            element = Variable(variable)
        elif custom is not None:
            element = Directive(f"custom:{custom_name}", self.arguments())
        elif word == "oilist":
            element = Clauses(self.clauses())
        elif word is not None:
            element = Directive(word, self.arguments() if word in _WITH_ARGUMENTS else ())
        elif code is not None:
            element = Literal(code)
        elif mark == "(":
            return self.choice()
        else:
            raise ValueError(f"unexpected '{mark}' in the format")
        if self.take("^"):
            self.anchor = element
        return element

    def arguments(self) -> tuple[Element, ...]:
        if not self.take("("):
            return ()
        found: list[Element] = []
        while not self.take(")"):
            found.append(self.element())
            self.take(",")
        return tuple(found)

    def clauses(self) -> tuple[tuple[Element, ...], ...]:
        self.take("(")
        found = [tuple(self.elements(("|", ")")))]
        while self.take("|"):
            found.append(tuple(self.elements(("|", ")"))))
        self.take(")")
        return tuple(found)

    def choice(self) -> Choice:
        outer, self.anchor = self.anchor, None
        present = tuple(self.elements((")",)))
        self.take(")")
        absent: tuple[Element, ...] = ()
        anchor = self.anchor
        if self.take(":") and self.take("("):
            absent = tuple(self.elements((")",)))
            self.take(")")
        self.take("?")
        if anchor is None:
            anchor = self.anchor or present[0]
        self.anchor = outer
        return Choice(present, absent, anchor)
