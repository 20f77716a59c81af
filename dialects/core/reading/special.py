"""Reading strided layouts, distinct and opaque attributes."""

from __future__ import annotations

from xdsl.dialects.builtin import StridedLayoutAttr, UnitAttr
from xdsl.ir import Attribute

from lamina.dialects.core.later import regex
from lamina.dialects.core.making import array_of, int_attr, string_attr, unchecked
from lamina.dialects.core.reading.shaped import NONE
from lamina.dialects.core.reading.types import TypeReader

UNIT = UnitAttr()
_LARGEST_STRIDE = (1 << 63) - 1
_STRIDE = regex(r"-?(?:0x[0-9A-Fa-f]++|0(?![0-9])|[1-9][0-9]*+)")
_DIGITS = regex(r"[0-9]++")
_identities = iter(range(1 << 62))


def _next_identity() -> int:
    return next(_identities)


class SpecialReader(TypeReader):
    """Reads attributes whose text begins with a word of their own. The functions are called after it."""

    _distinct: dict[int, tuple[int, Attribute]]
    """For each number of the text, the identity and the value of its distinct attribute."""

    def start(self, text: str, name: str) -> None:
        super().start(text, name)
        self._distinct = {}

    def opaque(self, kind: Attribute | None, start: int) -> Attribute:
        """``<"dialect", "value"> : type``, as xDSL writes it."""
        from xdsl.dialects.builtin import OpaqueAttr

        self.require("<")
        name = string_attr(self.string())
        self.require(",")
        value = string_attr(self.string())
        self.require(">")
        of = self.type() if self.accept(":") else NONE
        return unchecked(OpaqueAttr, ident=name, value=value, type=of)

    def strided(self, kind: Attribute | None, start: int) -> Attribute:
        """``<[4, ?], offset: ?>``"""
        if not self.accept("<"):
            self.fail("expected '<' after 'strided'")
        if not self.accept("["):
            self.fail("expected '['")
        strides: list[Attribute] = []
        if not self.accept("]"):
            strides.append(self._stride())
            while self.accept(","):
                strides.append(self._stride())
            if not self.accept("]"):
                self.fail("expected ']'")
        offset: Attribute = int_attr(0)
        if self.accept(","):
            if not self.accept("offset"):
                self.fail("expected 'offset' after comma")
            if not self.accept(":"):
                self.fail("expected ':' after 'offset'")
            offset = self._stride()
        if not self.accept(">"):
            self.fail("expected '>'")
        return unchecked(StridedLayoutAttr, strides=array_of(strides), offset=offset)

    def _stride(self) -> Attribute:
        if self.accept("?"):
            return NONE
        found = _STRIDE.match(self.text, self.at)
        if found is None or len(found.group()) > 24 or abs(int(found.group(), 0)) > _LARGEST_STRIDE:
            self.fail("expected a 64-bit signed integer or '?'")
        self.advance(found.end())
        return int_attr(int(found.group(), 0))

    def distinct(self, kind: Attribute | None, start: int) -> Attribute:
        """``[0]<value>``: one attribute for each number of a text."""
        from lamina.dialects.builtin.attributes import DistinctAttr

        if not self.accept("["):
            self.fail("expected '[' after 'distinct'")
        found = _DIGITS.match(self.text, self.at)
        if found is None or len(found.group()) > 20:
            self.fail("expected distinct ID")
        number = int(found.group())
        self.advance(found.end())
        if not self.accept("]"):
            self.fail("expected ']' to close distinct ID")
        if not self.accept("<"):
            self.fail("expected '<' after distinct ID")
        value = UNIT if self.sees(">") else self.attribute()
        if not self.accept(">"):
            self.fail("expected '>' to close distinct attribute")
        identity, known = self._distinct.setdefault(number, (_next_identity(), value))
        if known != value:
            self.fail("referenced attribute does not match previous definition: " + str(known), start)
        return unchecked(DistinctAttr, identity=int_attr(identity), value=value)
