"""Aliases: ``#map`` and ``#loc1``, defined before the op, or after it where nothing needs them sooner.

A text holds the number of an alias between two marks until everything is written; then aliases get their
names as upstream gives them: sorted by how deeply they nest others, types first, then by name and first use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from xdsl.ir import Attribute, TypeAttribute

from lamina.dialects.core.later import regex
from lamina.dialects.core.writing.attributes import AttributeWriter
from lamina.dialects.core.writing.state import DATA, MARK

_REFERENCE = regex(f"{MARK}([0-9]+){MARK}")


@dataclass(slots=True)
class Alias:
    """An attribute or type that is written once, outside of the op."""

    name: str
    text: str
    depth: int
    is_type: bool
    deferrable: bool
    """Whether it may be defined after the op, as locations are."""


class AliasWriter(AttributeWriter):
    """Collects aliases and gives them names."""

    aliases: list[Alias]
    _numbers: dict[Attribute, int]

    def start_aliases(self) -> None:
        """No alias yet."""
        self.aliases = []
        self._numbers = {}

    def alias(
        self, attribute: Attribute, name: str, text: Callable[[], str], deferrable: bool = False
    ) -> str:
        """The reference to an alias of an attribute or type; the text itself in the local scope."""
        if self.options.local_scope:
            return text()
        number = self._numbers.get(attribute)
        if number is None:
            body = text()
            nested = [self.aliases[int(i)].depth for i in _REFERENCE.findall(body)]
            number = self._numbers[attribute] = len(self.aliases)
            depth = 1 + max(nested, default=0)
            self.aliases.append(Alias(name, body, depth, isinstance(attribute, TypeAttribute), deferrable))
        reference = f"{MARK}{number}{MARK}"
        if deferrable:
            return reference
        if self.aliases[number].deferrable:
            self._need_before(number)
        return self.remember(attribute, reference)

    def _need_before(self, number: int) -> None:
        """An alias and those in it must stand before the op."""
        alias = self.aliases[number]
        if alias.deferrable:
            alias.deferrable = False
            for nested in _REFERENCE.findall(alias.text):
                self._need_before(int(nested))

    def named(self, parts: Iterable[str]) -> Iterator[str]:
        """The parts with names and data for references, and with the definitions around them."""
        if not self.aliases and not self.data:
            yield from parts
            return
        names = self._alias_names()
        lines: tuple[list[str], list[str]] = ([], [])
        for number, name in names.items():
            alias = self.aliases[number]
            lines[alias.deferrable].append(f"{name} = {alias.text}")
        for line in lines[0]:
            yield from self._resolved(line, names)
            yield "\n"
        for part in parts:
            if MARK in part:
                yield from self._resolved(part, names)
            else:
                yield part
        for line in lines[1]:
            yield "\n"
            yield from self._resolved(line, names)

    def _alias_names(self) -> dict[int, str]:
        """The names by number, in the order of the definitions."""

        def place(number: int) -> tuple[int, bool, str]:
            alias = self.aliases[number]
            return alias.depth, not alias.is_type, alias.name

        used: dict[str, int] = {}
        names: dict[int, str] = {}
        for number in sorted(range(len(self.aliases)), key=place):
            alias = self.aliases[number]
            count = used.get(alias.name, 0)
            used[alias.name] = count + 1
            between = "_" if count and alias.name[-1].isdigit() else ""
            sigil = "!" if alias.is_type else "#"
            names[number] = f"{sigil}{alias.name}{between}{count or ''}"
        return names

    def _resolved(self, text: str, names: dict[int, str]) -> Iterator[str]:
        for i, piece in enumerate(text.split(MARK)):
            if i % 2 == 0:
                yield piece
            elif piece.startswith(DATA):
                yield from self.data[int(piece.removeprefix(DATA))]()
            else:
                yield names[int(piece)]
