"""Floating-point numbers as upstream writes them: the shortest of its forms that reads back as the same bits.

Six digits with an exponent (``1.500000e+00``) where that is exact for the type, else as many digits as the
type needs (``0.699999988``), else the bits in hexadecimal (infinities, NaN, and whole numbers of many
digits). Upstream rounds decimal digits in its own way (it truncates the significand first); that is followed
here, so that the text is the same, character by character.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

from lamina.dialects.core.floats import float_to_bits

_SHORT = 6
_MOST_PADDING = 3
_LARGEST_F32 = float.fromhex("0x1.fffffep+127")


@dataclass(frozen=True, slots=True)
class Format:
    """The bits of a floating-point type: ``mantissa`` counts stored bits."""

    width: int
    mantissa: int
    bias: int
    kind: str = "ieee"
    """``ieee``, ``nan-only`` (all ones is NaN), ``fnuz`` (NaN is the negative zero), ``finite``, ``exponent``
    (f8E8M0FNU: no mantissa, no sign, no zero) or ``x87`` (the leading bit is stored)."""

    @property
    def precision(self) -> int:
        """The bits of the significand with the leading one."""
        return self.mantissa + (self.kind != "x87")


FORMATS = {
    "f16": Format(16, 10, 15),
    "bf16": Format(16, 7, 127),
    "f32": Format(32, 23, 127),
    "f64": Format(64, 52, 1023),
    "f80": Format(80, 64, 16383, "x87"),
    "f128": Format(128, 112, 16383),
    "tf32": Format(19, 10, 127),
    "f8E5M2": Format(8, 2, 15),
    "f8E4M3": Format(8, 3, 7),
    "f8E4M3FN": Format(8, 3, 7, "nan-only"),
    "f8E5M2FNUZ": Format(8, 2, 16, "fnuz"),
    "f8E4M3FNUZ": Format(8, 3, 8, "fnuz"),
    "f8E4M3B11FNUZ": Format(8, 3, 11, "fnuz"),
    "f8E3M4": Format(8, 4, 3),
    "f8E8M0FNU": Format(8, 0, 127, "exponent"),
    "f6E2M3FN": Format(6, 3, 1, "finite"),
    "f6E3M2FN": Format(6, 2, 3, "finite"),
    "f4E2M1FN": Format(4, 1, 1, "finite"),
}
"""By the name of the type."""

_texts: dict[tuple[str, int], str] = {}
_MOST_TEXTS = 1 << 16


def float_text(bits: int, name: str) -> str:
    """The text of the number with these bits in the type of this name (``f32``)."""
    found = _texts.get((name, bits))
    if found is None:
        if len(_texts) >= _MOST_TEXTS:
            _texts.clear()
        found = _texts[name, bits] = _text(bits, FORMATS[name])
    return found


def float_bits(value: float, type: Any) -> int:
    """The bits of a Python float in a type of xDSL; NaN keeps its payload where the widths allow it."""
    match type.name:
        case "f64":
            return int.from_bytes(struct.pack("<d", value), "little")
        case "f32" if -_LARGEST_F32 <= value <= _LARGEST_F32:
            return int.from_bytes(struct.pack("<f", value), "little")
        case _:
            return float_to_bits(value, type)


def _text(bits: int, form: Format) -> str:
    parts = _parts(bits, form)
    if parts is None:
        return f"0x{bits:X}"
    negative, significand, exponent = parts
    if form.width > 64 and significand and (significand // (significand & -significand)).bit_length() > 53:
        # Upstream reads decimal numbers as of 64 bits, which would lose digits.
        return f"0x{bits:X}"
    sign = "-" if negative else ""
    if significand == 0:
        return sign + "0.000000e+00"
    digits, tens = _decimal(significand, exponent, _SHORT)
    short = _scientific(digits, tens)
    if _reads_back(digits, tens, significand, exponent, form):
        return sign + short
    digits, tens = _decimal(significand, exponent, 2 + form.precision * 59 // 196)
    long = _long(digits, tens, 2 + form.precision * 59 // 196)
    return sign + long if "." in long else f"0x{bits:X}"


def _parts(bits: int, form: Format) -> tuple[bool, int, int] | None:
    """Sign, significand and power of two of a finite number, or None."""
    if form.kind == "exponent":
        return None if bits == 0xFF else (False, 1, bits - form.bias)
    exponent_bits = form.width - 1 - form.mantissa
    negative = bool(bits >> (form.width - 1))
    exponent = bits >> form.mantissa & ((1 << exponent_bits) - 1)
    mantissa = bits & ((1 << form.mantissa) - 1)
    top = exponent == (1 << exponent_bits) - 1
    if form.kind in ("ieee", "x87") and top:
        return None
    if form.kind == "nan-only" and top and mantissa == (1 << form.mantissa) - 1:
        return None
    if form.kind == "fnuz" and negative and not exponent and not mantissa:
        return None
    stored = form.precision - 1
    if exponent == 0 or form.kind == "x87":
        return negative, mantissa, max(exponent, 1) - form.bias - stored
    return negative, mantissa | 1 << form.mantissa, exponent - form.bias - stored


def _decimal(significand: int, exponent: int, precision: int) -> tuple[str, int]:
    """At most ``precision`` decimal digits and the power of ten of the last, rounded as upstream does."""
    zeros = (significand & -significand).bit_length() - 1
    significand >>= zeros
    exponent += zeros
    if exponent > 0:
        significand <<= exponent
        tens = 0
    else:
        significand *= 5**-exponent
        tens = exponent
    # Digits that are surely not needed are cut off, without rounding.
    surplus = significand.bit_length() - (precision * 196 + 58) // 59
    removable = surplus * 59 // 196 if surplus > 0 else 0
    if removable:
        significand //= 10**removable
        tens += removable
    digits = str(significand)
    kept = digits.rstrip("0")
    tens += len(digits) - len(kept)
    if len(kept) > precision:
        tens += len(kept) - precision
        up = kept[precision] >= "5"
        rounded = str(int(kept[:precision]) + up)
        kept = rounded.rstrip("0")
        tens += len(rounded) - len(kept)
    return kept, tens


def _scientific(digits: str, tens: int) -> str:
    """``d.dddddde+dd``, padded with zeros to six places."""
    exponent = tens + len(digits) - 1
    mark = "-" if exponent < 0 else "+"
    return f"{digits[0]}.{digits[1:]:0<{_SHORT}}e{mark}{abs(exponent):02d}"


def _long(digits: str, tens: int, precision: int) -> str:
    """The number without an exponent where that takes few zeros, else with one, without padding."""
    count = len(digits)
    if tens >= 0:
        scientific = tens > _MOST_PADDING or count + tens > precision
    else:
        highest = tens + count - 1
        scientific = highest < 0 and -highest > _MOST_PADDING
    if scientific:
        exponent = tens + count - 1
        return f"{digits[0]}.{digits[1:] or '0'}E{'-' if exponent < 0 else '+'}{abs(exponent)}"
    if tens >= 0:
        return digits + "0" * tens
    whole = tens + count
    if whole > 0:
        return f"{digits[:whole]}.{digits[whole:]}"
    return f"0.{'0' * -whole}{digits}"


def _reads_back(digits: str, tens: int, significand: int, exponent: int, form: Format) -> bool:
    """Whether the decimal number rounds (to nearest, ties to even) to the one it was made from."""
    # Compare |decimal - value| with half of the distance to the neighbours, in whole numbers.
    top, bottom = int(digits), 1
    if tens >= 0:
        top *= 10**tens
    else:
        bottom = 10**-tens
    unit_top, unit_bottom = (1 << exponent, 1) if exponent >= 0 else (1, 1 << -exponent)
    # value = significand * unit; decimal = top / bottom
    difference = top * unit_bottom - significand * unit_top * bottom
    spacing = unit_top * bottom
    if form.kind != "exponent":
        # Below a power of two the numbers lie twice as close, unless they are subnormal.
        lowest = significand == 1 << (form.precision - 1) and exponent > 2 - form.bias - form.precision
        if difference < 0 and lowest:
            return -4 * difference < spacing or -4 * difference == spacing
    twice = 2 * abs(difference)
    return twice < spacing or (twice == spacing and significand % 2 == 0)
