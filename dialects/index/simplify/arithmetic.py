"""Arithmetic on index: only results that 32 bits and 64 bits agree on are folded."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation

from lamina.dialects.core.folding import constant_of, int_of, integer
from lamina.dialects.core.simplification import Folded, fold


def _divide(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _unsigned(compute: Callable[[int, int], int]) -> Callable[[int, int, int], int]:
    return lambda a, b, w: compute(a & ((1 << w) - 1), b & ((1 << w) - 1))


_COMPUTE: dict[str, Callable[[int, int, int], int]] = {
    "add": lambda a, b, w: a + b,
    "sub": lambda a, b, w: a - b,
    "mul": lambda a, b, w: a * b,
    "and": lambda a, b, w: a & b,
    "or": lambda a, b, w: a | b,
    "xor": lambda a, b, w: a ^ b,
    "maxs": lambda a, b, w: max(a, b),
    "mins": lambda a, b, w: min(a, b),
    "maxu": _unsigned(max),
    "minu": _unsigned(min),
    "divs": lambda a, b, w: _divide(a, b),
    "divu": _unsigned(lambda a, b: a // b),
    "ceildivs": lambda a, b, w: -(-a // b),
    "ceildivu": _unsigned(lambda a, b: -(-a // b)),
    "floordivs": lambda a, b, w: a // b,
    "rems": lambda a, b, w: a - b * _divide(a, b),
    "remu": _unsigned(lambda a, b: a % b),
}
_NEUTRAL = {"add": 0, "sub": 0, "mul": 1, "or": 0, "xor": 0, "divs": 1, "divu": 1, "and": -1}


@fold(*(f"index.{name}" for name in _COMPUTE))
def fold_arithmetic(op: Operation) -> Folded:
    """Constants, and neutral operands."""
    name = op.name[6:]
    left, right = op.operands
    if constant_of(right) is not None and _NEUTRAL.get(name) == int_of(right):
        return left
    a, b = int_of(left), int_of(right)
    if a is None or b is None:
        return None
    try:
        wide, narrow = (_COMPUTE[name](*_cut(a, b, w), w) for w in (64, 32))
    except ArithmeticError:
        return None
    if (wide - narrow) & 0xFFFFFFFF:
        return None
    return integer(wide, op.results[0].type)


def _cut(a: int, b: int, width: int) -> tuple[int, int]:
    half = 1 << (width - 1)
    return (a + half) % (2 * half) - half, (b + half) % (2 * half) - half
