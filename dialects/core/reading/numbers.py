"""Reading numbers as attributes: integers, floats in decimal or as their bits, and truth values."""

from __future__ import annotations

import math
import re
from typing import Any

from xdsl.dialects.builtin import FloatAttr, FloatData, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute

from lamina.dialects.core.floats import float_from_bits
from lamina.dialects.core.later import regex
from lamina.dialects.core.making import bytes_attr, integer_of, unchecked
from lamina.dialects.core.reading.types import (
    BLANK,
    FLOAT_CLASSES,
    FLOATS,
    TYPE_SLICE,
    TypeReader,
    integer_type,
)

NUMBER = r"[0-9]++(?:\.[0-9]*+(?:[eE][-+]?[0-9]++)?|(?<=0)(?<![0-9]0)x[0-9A-Fa-f]++)?"
_NUMBER = regex(rf"-?{BLANK}({NUMBER}){BLANK}", re.ASCII)
_TYPED = regex(rf"(-?{NUMBER}(?:{BLANK}:{BLANK}{TYPE_SLICE})?){BLANK}", re.ASCII)
"""A number with its type, all of whose text decides what it is."""
_LONGEST_KEY = 60
_I64, _F64, _INDEX = integer_type(64), FLOATS["f64"], IndexType()
_MOST_DIGITS = 5_051_500
"""More digits than the widest integer type has."""
NO_FRACTION = "add a trailing dot to make the literal a float"


def width_of(kind: Any) -> int:
    """The bits of an integer type or index."""
    return kind.width.data if kind.__class__ is IntegerType else 64


def parsed_integer(digits: str, negative: bool, kind: Any) -> int | None:
    """The value of an integer literal, or None where its type cannot hold it.

    Signless types take the values of both signed and unsigned ones (the result is the signed one).
    """
    hexadecimal = "x" in digits
    if len(digits) > 4000:
        # Python limits how long a text `int` converts.
        digits = digits if hexadecimal else digits.lstrip("0") or "0"
        if len(digits) > _MOST_DIGITS or len(digits) > 2 + width_of(kind):
            return None
    value = int(digits, 16) if hexadecimal else _decimal(digits)
    width = width_of(kind)
    if value >> width:
        return None
    half = 1 << (width - 1) if width else 0
    if kind.__class__ is IndexType or kind.signedness.data.value == 1:
        limit = half + 1 if negative else half
        return (-value if negative else value) if value < limit or not value else None
    if negative:
        return -value if value <= half else None
    unsigned = kind.signedness.data.value == 2
    return value - (1 << width) if not unsigned and width and value >= half else value


def _decimal(digits: str) -> int:
    if len(digits) <= 4000:
        return int(digits)
    middle = len(digits) // 2
    return _decimal(digits[:middle]) * 10 ** (len(digits) - middle) + _decimal(digits[middle:])


class NumberReader(TypeReader):
    """Reads integer and float attributes."""

    _numbers: dict[str, Attribute]
    """The attribute for each number with its type that was read."""

    def start(self, text: str, name: str) -> None:
        super().start(text, name)
        self._numbers = {}

    def number(self, kind: Attribute | None = None) -> Attribute:
        """A number: of ``kind``, else of the type after its colon, else of i64 or f64."""
        start = self.at
        if kind is None:
            found = _TYPED.match(self.text, start)
            known = self._numbers.get(found[1]) if found is not None else None
            if found is not None and known is not None:
                self.at = found.end()
                return known
            number = self._number(None)
            if found is not None and self.at == found.end() and self.at - start < _LONGEST_KEY:
                self._numbers[found[1]] = number
            return number
        return self._number(kind)

    def _number(self, kind: Attribute | None) -> Attribute:
        negative = self.accept("-")
        start = self.at
        found = _NUMBER.match(self.text, start)
        if found is None:
            self.fail("expected constant integer or floating point value")
        literal = found[1]
        self.at = found.end()
        fraction = "." in literal
        if kind is None:
            kind = self.type() if self.accept(":") else _F64 if fraction else _I64
        if kind.__class__ in FLOAT_CLASSES:
            return self.float_of_literal(literal, negative, kind, start)
        if fraction:
            self.fail("floating point value not valid for specified type", start)
        if kind.__class__ is not IntegerType and kind.__class__ is not IndexType:
            self.fail("integer literal not valid for specified type", start)
        return self._integer(literal, negative, kind, start)

    def _integer(self, literal: str, negative: bool, kind: Any, start: int) -> IntegerAttr:
        if negative and kind.__class__ is IntegerType and kind.signedness.data.value == 2:
            self.fail("negative integer literal not valid for unsigned integer type", start)
        value = parsed_integer(literal, negative, kind)
        if value is None:
            self.fail("integer constant out of range for attribute", start)
        return integer_of(value, kind)

    def float_of_literal(self, literal: str, negative: bool, kind: Any, start: int) -> Attribute:
        """A float attribute: a decimal with a dot, or the bits in hexadecimal."""
        if "." in literal:
            return unchecked(FloatAttr, value=FloatData(_decimal_float(literal, negative, kind)), type=kind)
        bits = self.bits_of_literal(literal, negative, kind, start)
        value = float_from_bits(bits, kind)
        if value is None:
            from lamina.dialects.builtin.attributes import FloatBitsAttr

            data = bits.to_bytes((kind.bitwidth + 7) // 8, "little")
            return unchecked(FloatBitsAttr, bits=bytes_attr(data), type=kind)
        return unchecked(FloatAttr, value=FloatData(value), type=kind)

    def bits_of_literal(self, literal: str, negative: bool, kind: Any, start: int) -> int:
        """The bits of a float that is given in hexadecimal."""
        if "x" not in literal:
            self.fail("unexpected decimal integer literal for a floating point value", start, NO_FRACTION)
        if negative:
            self.fail("hexadecimal float literal should not have a leading minus", start)
        bits = int(literal, 16)
        if bits.bit_length() > kind.bitwidth:
            self.fail("hexadecimal float constant out of range for type", start)
        return bits

    def optional_number(self, kind: Attribute | None = None) -> Attribute | None:
        """A number, or None where the text does not go on with one."""
        return self.number(kind) if _NUMBER.match(self.text, self.at) else None


def _decimal_float(literal: str, negative: bool, kind: Any) -> float:
    value = float(literal)
    return _rounded(-value if negative else value, kind)


def _rounded(value: float, kind: Any) -> float:
    """A value as its type holds it."""
    name = kind.name
    if name == "f64" or name == "f80" or name == "f128" or math.isinf(value):
        return value
    return kind.round(value)
