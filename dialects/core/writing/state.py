"""What all parts of the writer share: the text so far, the options, and how text is set aside."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from xdsl.ir import Attribute
from xdsl.printer import Printer

MARK = "\0"
"""Stands around the number of an alias in a text until aliases have their names."""
DATA = "data"
"""Stands before the number of data that is too large to be copied from text to text."""


@dataclass(frozen=True, slots=True)
class Options:
    """How IR is written."""

    generic: bool = False
    locations: bool = False
    elide: int | None = None
    """Constants of more elements that are no splats are left out."""
    elide_resources: int | None = None
    """Data of resources of more characters is left out (0: all of it)."""
    hexadecimal_above: int | None = 100
    """Constants of more elements are written as the hexadecimal digits of their bytes (None: never)."""
    local_scope: bool = False
    """Nothing is written outside of the op: no aliases."""
    pretty_locations: bool = False
    """Write locations short, for people: such text is not read back."""
    names: bool = True
    """Keep the names that values have; otherwise they are numbered as upstream does."""


class WriterState(Printer):
    """The text as parts. ``put`` appends one; the text of types and attributes is remembered by object."""

    options: Options
    parts: list[str]
    put: Callable[[str], None]

    def start(self, options: Options) -> None:
        """An empty text."""
        self.options = options
        self.parts = []
        self.put = self.parts.append
        self.distinct_numbers: dict[int, int] = {}
        self.data: list[Callable[[], Iterable[str]]] = []
        self.resource_keys: dict[str, None] = {}
        self._texts: dict[int, str] = {}
        self._remembered: list[Attribute] = []

    def remember(self, attribute: Attribute, text: str) -> str:
        """Keep the text of an attribute, and the attribute, whose identity is the key."""
        self._texts[id(attribute)] = text
        self._remembered.append(attribute)
        return text

    def set_aside(self, pieces: Callable[[], Iterable[str]]) -> str:
        """A reference to text that is made, piece by piece, when everything before it has been written."""
        self.data.append(pieces)
        return f"{MARK}{DATA}{len(self.data) - 1}{MARK}"

    def captured(self, write: Callable[[], object]) -> str:
        """The text that ``write`` puts, which is not added to the text so far."""
        outer, put = self.parts, self.put
        self.parts = []
        self.put = self.parts.append
        try:
            write()
            return "".join(self.parts)
        finally:
            self.parts, self.put = outer, put
