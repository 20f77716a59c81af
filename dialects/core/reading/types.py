"""Reading types: each text of a type is parsed once, and found again by its slice of the text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

from xdsl.dialects import builtin
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ComplexType,
    FunctionType,
    IndexType,
    IntegerType,
    NoneType,
    Signedness,
    SignednessAttr,
    TupleType,
)
from xdsl.ir import Attribute, TypeAttribute

from lamina.dialects.core.later import regex
from lamina.dialects.core.making import array_of, int_attr, unchecked
from lamina.dialects.core.reading.cursor import SPACE, WORD, Cursor

# Python 3.11.2 restores no position where a possessive group fails inside an iteration of another: only
# the innermost groups are possessive.
BLANK = r"(?:[ \t\r\n\0]++|//[^\n]*+)*+"
_INNER = r"(?:->|[^<>\"-]|-)*+"
TYPE_SLICE = rf"!?[A-Za-z_$][\w$.]*+(?:<(?:->|[^<>\"-]|-|<(?:->|[^<>\"-]|-|<{_INNER}>)*>)*>)?"
"""The text of a type that is a word, or a word with parameters nested at most thrice and without strings."""
_SLICE = regex(rf"({TYPE_SLICE}){BLANK}", re.ASCII)
_INTEGER_TYPE = regex(r"(s|u)?i([0-9]++)(?![\w$.])", re.ASCII)
_DIMENSIONS = regex(rf"(?:(?:[0-9]++|\?){BLANK}x{BLANK})*", re.ASCII)
_DIMENSION = regex(rf"([0-9]++|\?){BLANK}", re.ASCII)
_EXTENT = regex(r"[0-9]++|\?", re.ASCII)
_COMMENT = regex(r"//[^\n]*+")
_WIDEST_INTEGER = (1 << 24) - 1
_LARGEST_EXTENT = (1 << 63) - 1

_SIGNEDNESS: dict[str | None, Any] = {
    None: SignednessAttr(Signedness.SIGNLESS),
    "s": SignednessAttr(Signedness.SIGNED),
    "u": SignednessAttr(Signedness.UNSIGNED),
}
FLOATS: dict[str, TypeAttribute] = {
    name: cast(TypeAttribute, getattr(builtin, name))
    for name in (
        *("bf16", "f16", "f32", "f64", "f80", "f128", "tf32", "f8E5M2", "f8E4M3", "f8E4M3FN", "f8E5M2FNUZ"),
        *("f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E3M4", "f8E8M0FNU", "f6E2M3FN", "f6E3M2FN", "f4E2M1FN"),
    )
}
FLOAT_CLASSES = frozenset(kind.__class__ for kind in FLOATS.values())
_COMMON: dict[str, Attribute] = {**FLOATS, "index": IndexType(), "none": NoneType()}


def integer_type(width: int, sign: str | None = None) -> IntegerType:
    """``i<width>``, or ``si``/``ui`` with ``sign`` "s" or "u"."""
    return unchecked(IntegerType, width=int_attr(width), signedness=_SIGNEDNESS[sign])


_COMMON |= {f"i{width}": integer_type(width) for width in (1, 8, 16, 32, 64, 128)}


class TypeReader(Cursor):
    """Reads builtin types; types of dialects and aliases are read by the classes over it."""

    type_cache: dict[str, Attribute]
    """The type for each text of one that was read."""

    def start(self, text: str, name: str) -> None:
        super().start(text, name)
        self.type_cache = dict(_COMMON)

    def attribute(self, type: Attribute | None = None) -> Attribute:
        """An attribute (read by a class over this one)."""
        raise NotImplementedError

    def extended(self, sigil: str) -> Attribute:
        """An alias, or a type (``!``) or attribute (``#``) of a dialect (read by a class over this one)."""
        raise NotImplementedError

    def type(self) -> Any:
        """A type, or fail."""
        found = _SLICE.match(self.text, self.at)
        if found is not None:
            known = self.type_cache.get(found[1])
            if known is not None:
                self.at = found.end()
                return known
        known = self._optional_type(found)
        return known if known is not None else self.fail("expected non-function type")

    def optional_type(self) -> Any:
        """A type, or None where the text does not go on with one."""
        found = _SLICE.match(self.text, self.at)
        if found is not None:
            known = self.type_cache.get(found[1])
            if known is not None:
                self.at = found.end()
                return known
        return self._optional_type(found)

    def _optional_type(self, found: re.Match[str] | None) -> Attribute | None:
        """A type that is not in the cache; ``found`` is where its slice may end."""
        text, start = self.text, self.at
        if text.startswith("(", start):
            return self.function_type()
        if text.startswith("!", start):
            kind = self.extended("!")
        else:
            kind = self._builtin_type()
        if kind is not None and found is not None and self.at == found.end():
            self.type_cache[found[1]] = kind
        return kind

    def non_function_type(self) -> Attribute:
        """An element type, or fail."""
        kind = None if self.text.startswith("(", self.at) else self.optional_type()
        return kind if kind is not None else self.fail("expected non-function type")

    def _builtin_type(self) -> Attribute | None:
        word = WORD.match(self.text, self.at)
        if word is None:
            return None
        integer = _INTEGER_TYPE.match(self.text, self.at)
        if integer is not None:
            digits = integer[2].lstrip("0") or "0"
            if len(digits) > 8 or int(digits) > _WIDEST_INTEGER:
                self.fail(f"integer bitwidth is limited to {_WIDEST_INTEGER} bits")
            self.advance(integer.end())
            return integer_type(int(digits), integer[1])
        name = word.group()
        read = _PARAMETRIC.get(name)
        if read is not None:
            self.advance(word.end())
            return read(self, word.start())
        simple = _COMMON.get(name)
        if simple is not None:
            self.advance(word.end())
        return simple

    # Lists of types.

    def types_list(self) -> list[Any]:
        """Types that are separated by commas, at least one."""
        types = [self.type()]
        while self.text.startswith(",", self.at):
            self.advance(self.at + 1)
            types.append(self.type())
        return types

    def optional_types_list(self) -> list[Any]:
        """Types that are separated by commas; none where no type starts."""
        first = self.optional_type()
        if first is None:
            return []
        types = [first]
        while self.accept(","):
            types.append(self.type())
        return types

    def types_in_parentheses(self) -> list[Any]:
        """``(a, b, c)``, also of no types."""
        self.require("(")
        if self.accept(")"):
            return []
        types = self.types_list()
        self.require(")")
        return types

    def arrow_types(self) -> list[Any]:
        """The types after ``->``: one without parentheses, or any number within."""
        if not self.accept("->"):
            self.fail("expected '->' in function type")
        return self._results()

    def optional_arrow_types(self) -> list[Any]:
        """The types after ``->``; none where there is no arrow."""
        return self._results() if self.accept("->") else []

    def _results(self) -> list[Any]:
        if self.text.startswith("(", self.at):
            return self.types_in_parentheses()
        return [self.type()]

    def function_type(self) -> FunctionType:
        """``(a, b) -> c`` or ``(a) -> (b, c)``."""
        inputs = self.types_in_parentheses()
        return unchecked(FunctionType, inputs=array_of(inputs), outputs=array_of(self.arrow_types()))

    # Dimensions.

    def dimension_list(self, allow_dynamic: bool = True, trailing_x: bool = False) -> list[int]:
        """``4x?x2``, with ``x`` after the last where ``trailing_x``; -2**63 for an extent that is not known.

        The list may be empty; blanks are allowed.
        """
        found = cast("re.Match[str]", _DIMENSIONS.match(self.text, self.at))
        end = found.end()
        last = _DIMENSION.match(self.text, end)
        if trailing_x and last is not None:
            self.fail("expected 'x' in dimension list", last.end())
        if last is not None:
            end = last.end()
        elif not trailing_x and found.group():
            # The last `x` belongs to what follows.
            end = self.text.rindex("x", self.at, end)
        dimensions = self._extents(self.at, end, allow_dynamic)
        self.at = end
        return dimensions

    def _extents(self, start: int, end: int, allow_dynamic: bool = True) -> list[int]:
        listed = self.text[start:end]
        if "//" in listed:
            listed = _COMMENT.sub("", listed)
        extents = _EXTENT.findall(listed)
        if "?" in extents and not allow_dynamic:
            self.fail("expected static shape", self.text.index("?", start))
        if len(listed) > 18 and any(len(n) > 18 and int(n) > _LARGEST_EXTENT for n in extents if n != "?"):
            self.fail("invalid dimension", start)
        return [DYNAMIC_INDEX if n == "?" else int(n) for n in extents]

    # Types with parameters.

    def _complex(self, start: int) -> Attribute:
        self.opening("complex type")
        start = self.at
        element = self.type()
        self.closing("complex type")
        if element.__class__ is not IntegerType and element.__class__ not in FLOAT_CLASSES:
            self.fail("invalid element type for complex", start)
        return unchecked(ComplexType, element_type=element)

    def _tuple(self, start: int) -> Attribute:
        self.opening("tuple type")
        types = [] if self.text.startswith(">", self.at) else self.types_list()
        self.closing("tuple type")
        return unchecked(TupleType, types=array_of(types))

    def shape_or_unranked(self) -> list[int] | None:
        """The dimensions before an element type (``4x?x``), or None for ``*x``."""
        if not self.accept("*"):
            return self.dimension_list(trailing_x=True)
        if not self.text.startswith("x", self.at):
            self.fail("expected 'x' in dimension list")
        self.advance(self.at + 1)
        return None

    def opening(self, what: str) -> None:
        """Take the ``<`` after the name of a type or attribute, or fail."""
        if not self.accept("<"):
            self.fail(f"expected '<' in {what}")

    def closing(self, what: str) -> None:
        """Take the ``>`` that ends a type or attribute, or fail."""
        if not self.accept(">"):
            self.fail(f"expected '>' in {what}")

    def skip(self, position: int) -> int:
        """The start of the first token from ``position`` on."""
        return cast("re.Match[str]", SPACE.match(self.text, position)).end()


ReadsType = Callable[[Any, int], Attribute]
_PARAMETRIC: dict[str, ReadsType] = {
    "complex": TypeReader._complex,  # pyright: ignore[reportPrivateUsage]
    "tuple": TypeReader._tuple,  # pyright: ignore[reportPrivateUsage]
}
"""How the parameters of each builtin type are read, by its name; called with where the name starts."""


def reads_type(name: str) -> Callable[[ReadsType], ReadsType]:
    """Register a function that reads what follows the name of a builtin type."""

    def register(read: ReadsType) -> ReadsType:
        _PARAMETRIC[name] = read
        return read

    return register
