"""Math functions of constants, where IEEE or a whole number says exactly what the result is."""

from __future__ import annotations

import math
from collections.abc import Callable

from xdsl.ir import Operation

from lamina.dialects.core.folding import (
    defining_op,
    element_type,
    fold_elementwise,
    is_float,
    is_ieee,
    round_float,
    signed,
    width_of,
)
from lamina.dialects.core.simplification import Folded, fold


def _round_even(x: float) -> float:
    return math.copysign(float(round(x)), x)


def _round_away(x: float) -> float:
    whole = math.floor(abs(x))
    return math.copysign(float(whole + (abs(x) - whole >= 0.5)), x)


def _whole(compute: Callable[[float], float]) -> Callable[[float], float]:
    """A rounding, which leaves NaN and infinities as they are."""
    return lambda x: compute(x) if math.isfinite(x) else x


_EXACT: dict[str, Callable[[float], float]] = {
    "absf": abs,
    "ceil": _whole(lambda x: math.copysign(float(math.ceil(x)), x)),
    "floor": _whole(lambda x: math.copysign(float(math.floor(x)), x)),
    "trunc": _whole(lambda x: math.copysign(float(math.trunc(x)), x)),
    "round": _whole(_round_away),
    "roundeven": _whole(_round_even),
    "sqrt": lambda x: math.sqrt(x) if x >= 0 or math.isnan(x) else math.nan,
}
_NEAREST: dict[str, Callable[[float], float]] = {
    "exp": math.exp,
    "exp2": lambda x: 2.0**x,
    "expm1": math.expm1,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "log1p": math.log1p,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "atan": math.atan,
    "tanh": math.tanh,
    "erf": math.erf,
    "cbrt": lambda x: math.cbrt(x),
}
"""Functions whose values at numbers are rounded from a double, as upstream does."""


@fold(*(f"math.{name}" for name in (*_EXACT, *_NEAREST)))
def fold_function(op: Operation) -> Folded:
    """The value at a constant."""
    type = op.results[0].type
    if not is_ieee(type):
        return None
    compute = _EXACT.get(op.name[5:]) or _NEAREST[op.name[5:]]
    return fold_elementwise(op.operands, type, lambda x: round_float(compute(x), type))


@fold("math.copysign", "math.powf", "math.atan2")
def fold_two(op: Operation) -> Folded:
    """The value at two constants; powers of one."""
    type = op.results[0].type
    if op.name == "math.powf" and is_float(op.operands[1], 1.0):
        return op.operands[0]
    if not is_ieee(type):
        return None
    compute = {"copysign": math.copysign, "powf": math.pow, "atan2": math.atan2}[op.name[5:]]
    return fold_elementwise(op.operands, type, lambda a, b: round_float(compute(a, b), type))


@fold("math.absi", "math.ctpop", "math.ctlz", "math.cttz")
def fold_bits(op: Operation) -> Folded:
    """Counts of bits, and the absolute value, of a constant."""
    width = width_of(op.operands[0].type)

    def compute(value: int) -> int:
        match op.name:
            case "math.absi":
                return abs(signed(value, width))
            case "math.ctpop":
                return value.bit_count()
            case "math.ctlz":
                return width - value.bit_length()
            case _:
                return (value & -value).bit_length() - 1 if value else width

    return fold_elementwise(op.operands, op.results[0].type, compute)


@fold("math.ceil", "math.floor", "math.trunc", "math.round", "math.roundeven", "math.absf")
def repeat(op: Operation) -> Folded:
    """A second rounding (or absolute value) of the same kind changes nothing."""
    return op.operands[0] if defining_op(op.operands[0], op.name) is not None else None


@fold("math.ipowi", "math.fpowi")
def power(op: Operation) -> Folded:
    """An integer power of constants."""
    if op.name == "math.fpowi" or element_type(op.operands[0].type) != element_type(op.results[0].type):
        return None
    width = width_of(op.operands[0].type)

    def compute(base: int, exponent: int) -> int | None:
        a, b = signed(base, width), signed(exponent, width)
        if b >= 0:
            return pow(a, b, 1 << width)
        return {1: 1, -1: -1 if b % 2 else 1}.get(a) if a in (1, -1) else None if a == 0 else 0

    return fold_elementwise(op.operands, op.results[0].type, compute)
