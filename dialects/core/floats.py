"""Floating-point values and their bits, for every float type of the builtin dialect.

A float attribute of xDSL holds a Python float. Finite values of types up to 64 bits are exact in it; a NaN
keeps its payload in the upper bits of the mantissa. Values of f80 and f128 may need more:
:class:`lamina.dialects.builtin.attributes.FloatBitsAttr` holds those.
"""

from __future__ import annotations

import math
import struct
from typing import Any

from xdsl.dialects.builtin import ReducedPrecisionFloatType

_IEEE = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52), "f128": (15, 112)}
"""Bits of exponent and mantissa."""


def float_from_bits(bits: int, kind: Any) -> float | None:
    """The value of a bit pattern, or None where a Python float cannot hold it."""
    name = kind.name
    if name == "f80":
        return _from_f80(bits)
    if name in _IEEE:
        return _from_ieee(bits, *_IEEE[name])
    return _reduced_from_bits(bits, kind)


def float_to_bits(value: float, kind: Any) -> int:
    """The bit pattern of a value, rounded to nearest even where the type cannot hold it."""
    name = kind.name
    if name == "f80":
        return _to_f80(value)
    if name in _IEEE:
        return _to_ieee(value, *_IEEE[name])
    return _reduced_to_bits(value, kind)


def _reduced_from_bits(bits: int, kind: ReducedPrecisionFloatType) -> float:
    semantics = kind.SEMANTICS
    mantissa = bits & semantics.max_mantissa
    exponent = bits >> semantics.mantissa_bits & semantics.max_exponent
    if semantics.nonfinite.name == "IEEE" and exponent == semantics.max_exponent and mantissa:
        return _nan(bits >> semantics.sign_shift & 1, mantissa, semantics.mantissa_bits)
    value = kind.decode_bits(bits)
    if math.isnan(value) and semantics.nan_encoding.name == "ALL_ONES":
        return math.copysign(value, -1 if bits >> semantics.sign_shift & 1 else 1)
    return value


def _reduced_to_bits(value: float, kind: ReducedPrecisionFloatType) -> int:
    semantics = kind.SEMANTICS
    if math.isnan(value) and semantics.nonfinite.name == "IEEE":
        sign, mantissa = _nan_parts(value, semantics.mantissa_bits)
        return sign << semantics.sign_shift | semantics.max_exponent << semantics.mantissa_bits | mantissa
    return kind.encode_bits(value)


def _nan(sign: int, mantissa: int, width: int) -> float:
    payload = mantissa << (52 - width) if width <= 52 else mantissa >> (width - 52)
    return struct.unpack("<d", struct.pack("<Q", sign << 63 | 0x7FF << 52 | payload))[0]


def _nan_parts(value: float, width: int) -> tuple[int, int]:
    """Sign and mantissa (of ``width`` bits, never zero) of a NaN."""
    pattern: int = struct.unpack("<Q", struct.pack("<d", value))[0]
    payload = pattern & ((1 << 52) - 1)
    mantissa = payload >> (52 - width) if width <= 52 else payload << (width - 52)
    return pattern >> 63, mantissa or 1 << (width - 1)


def _from_ieee(bits: int, exponent_bits: int, width: int) -> float | None:
    sign = bits >> (exponent_bits + width) & 1
    exponent = bits >> width & ((1 << exponent_bits) - 1)
    mantissa = bits & ((1 << width) - 1)
    if exponent == (1 << exponent_bits) - 1:
        if not mantissa:
            return -math.inf if sign else math.inf
        if width > 52 and mantissa & ((1 << (width - 52)) - 1):
            return None
        return _nan(sign, mantissa, width)
    bias = (1 << (exponent_bits - 1)) - 1
    if exponent:
        return _exact(sign, mantissa | 1 << width, exponent - bias - width)
    return _exact(sign, mantissa, 1 - bias - width)


def _exact(sign: int, significand: int, power: int) -> float | None:
    """``significand * 2**power``, or None where it is no Python float."""
    trailing = (significand & -significand).bit_length() - 1 if significand else 0
    significand, power = significand >> trailing, power + trailing
    if significand.bit_length() > 53 or power + significand.bit_length() > 1024:
        return None
    if significand and power < -1074:
        return None
    value = math.ldexp(significand, power)
    return -value if sign else value


def _to_ieee(value: float, exponent_bits: int, width: int) -> int:
    highest = (1 << exponent_bits) - 1
    if math.isnan(value):
        sign, mantissa = _nan_parts(value, width)
        return sign << (exponent_bits + width) | highest << width | mantissa
    sign = int(math.copysign(1, value) < 0) << (exponent_bits + width)
    exponent, mantissa = _rounded(abs(value), (1 << (exponent_bits - 1)) - 1, width)
    if math.isinf(value) or exponent >= highest:
        return sign | highest << width
    return sign | (exponent << width) + mantissa


def _rounded(magnitude: float, bias: int, width: int) -> tuple[int, int]:
    """Biased exponent and mantissa without its leading one (0 and the mantissa for subnormals)."""
    if magnitude == 0 or math.isinf(magnitude):
        return 0, 0
    _, exponent = math.frexp(magnitude)
    power = max(exponent - 1, 1 - bias) - width
    from fractions import Fraction  # seldom needed

    exact = Fraction(magnitude) / Fraction(2) ** power
    # `round` of a fraction is to nearest even.
    significand = round(exact)
    if significand >> (width + 1):
        significand, power = significand >> 1, power + 1
    if significand < 1 << width:
        return 0, significand
    return power + width + bias, significand - (1 << width)


def _from_f80(bits: int) -> float | None:
    sign, exponent, significand = bits >> 79 & 1, bits >> 64 & 0x7FFF, bits & ((1 << 64) - 1)
    if exponent == 0x7FFF:
        fraction = significand & ((1 << 63) - 1)
        if significand >> 63 == 0 or (fraction & 0x7FF):
            return None
        return _nan(sign, fraction >> 11, 52) if fraction else (-math.inf if sign else math.inf)
    if (significand >> 63 == 0) != (exponent == 0):
        return None
    return _exact(sign, significand, (exponent or 1) - 16383 - 63)


def _to_f80(value: float) -> int:
    if math.isnan(value):
        sign, mantissa = _nan_parts(value, 63)
        return sign << 79 | 0x7FFF << 64 | 1 << 63 | mantissa
    sign = int(math.copysign(1, value) < 0) << 79
    if math.isinf(value):
        return sign | 0x7FFF << 64 | 1 << 63
    # Every Python float is a normal number of f80.
    exponent, mantissa = _rounded(abs(value), 16383, 63)
    return sign | exponent << 64 | (1 << 63 if exponent else 0) | mantissa
