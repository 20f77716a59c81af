"""Simplifications of conversions between element types."""

from __future__ import annotations

from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type, IntegerType
from xdsl.ir import Attribute

from lamina.dialects.core.dtypes import integer_limits
from lamina.dialects.nn.base import make
from lamina.dialects.nn.canonicalize._simplification import (
    Replacement,
    defining,
    element_type,
    simplification,
)
from lamina.dialects.nn.cast import CastOp
from lamina.dialects.nn.kinds import Kind, kind_of

_PRECISION = {BFloat16Type: (8, 127), Float16Type: (11, 15), Float32Type: (24, 127), Float64Type: (53, 1023)}
"""Bits of the significand, and the largest exponent, of each float type."""


@simplification("nn.cast")
def cast_to_itself(op: CastOp) -> Replacement:
    """A conversion to the type that the operand has -> the operand."""
    return op.operand if op.operand.type == op.result.type else None


@simplification("nn.cast")
def cast_through(op: CastOp) -> Replacement:
    """A -> B -> C is A -> C where B holds all values of A, or drops only bits that C drops too.

    Not so: f32 -> f16 -> f32, which rounds; i8 -> f32 -> ui8, which saturates where i8 -> ui8 wraps around.
    """
    inner = defining(op.operand, "nn.cast")
    if inner is None:
        return None
    first, middle, last = (element_type(v) for v in (inner.operand, op.operand, op.result))
    exact = holds(middle, first) and (not _saturates(first, middle, last) or holds(last, first))
    if not exact and not _truncates(first, middle, last):
        return None
    return make("nn.cast", [inner.operand], [op.result.type])


def holds(wide: Attribute, narrow: Attribute) -> bool:
    """Whether a type has every value of another one (for floats: signs of zeros, infinities and NaN too)."""
    if wide == narrow:
        return True
    if isinstance(narrow, IntegerType):
        low, high = integer_limits(narrow)
        if isinstance(wide, IntegerType):
            least, greatest = integer_limits(wide)
            return kind_of(wide) is not Kind.BOOLEAN and least <= low and high <= greatest
        bits, exponent = _PRECISION.get(type(wide), (0, 0))
        return max(high, -low) <= 1 << min(bits, exponent)
    if type(wide) not in _PRECISION or type(narrow) not in _PRECISION:
        return False
    return all(w >= n for w, n in zip(_PRECISION[type(wide)], _PRECISION[type(narrow)], strict=True))


def _saturates(first: Attribute, middle: Attribute, last: Attribute) -> bool:
    """Whether the last step saturates what a direct conversion would wrap around."""
    return (
        kind_of(first) is not Kind.FLOAT and kind_of(middle) is Kind.FLOAT and kind_of(last) is Kind.INTEGER
    )


def _truncates(first: Attribute, middle: Attribute, last: Attribute) -> bool:
    """Whether all are integers and the middle one keeps all the bits that the last one has."""
    if not all(kind_of(t) is Kind.INTEGER for t in (first, middle, last)):
        return False
    assert isinstance(middle, IntegerType) and isinstance(last, IntegerType)
    return last.width.data <= middle.width.data
