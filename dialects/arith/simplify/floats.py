"""Float arithmetic of arith: only what holds for NaN, signed zeros and infinities, or what flags allow."""

from __future__ import annotations

import math
from collections.abc import Callable

from xdsl.ir import Operation

from lamina.dialects.core.folding import (
    POISON,
    defining_op,
    fold_elementwise,
    has_fastmath,
    is_float,
    is_ieee,
    is_poison,
    round_float,
    scalar_of,
)
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern


def divide(a: float, b: float) -> float:
    """IEEE division."""
    if b != 0:
        return a / b
    if a == 0 or math.isnan(a) or math.isnan(b):
        return math.nan
    return math.copysign(math.inf, math.copysign(1, a) * math.copysign(1, b))


def _remainder(a: float, b: float) -> float:
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or b == 0:
        return math.nan
    return a if math.isinf(b) else math.copysign(math.fmod(a, b), a)


def _ordered(larger: bool, *, keeps_nan: bool) -> Callable[[float, float], float]:
    """Minimum or maximum, -0 before +0; NaN wins or loses."""

    def choose(a: float, b: float) -> float:
        if math.isnan(a) or math.isnan(b):
            if keeps_nan:
                return math.nan
            return b if math.isnan(a) else a
        if a == b:
            return a if (math.copysign(1, a) > 0) == larger else b
        return max(a, b) if larger else min(a, b)

    return choose


_COMPUTE: dict[str, Callable[[float, float], float]] = {
    "addf": lambda a, b: a + b,
    "subf": lambda a, b: a - b,
    "mulf": lambda a, b: a * b,
    "divf": divide,
    "remf": _remainder,
    "maximumf": _ordered(True, keeps_nan=True),
    "minimumf": _ordered(False, keeps_nan=True),
    "maxnumf": _ordered(True, keeps_nan=False),
    "minnumf": _ordered(False, keeps_nan=False),
}
_NEUTRAL = {
    "addf": -0.0,
    "subf": 0.0,
    "mulf": 1.0,
    "divf": 1.0,
    "maximumf": -math.inf,
    "minimumf": math.inf,
}


@fold(*(f"arith.{name}" for name in _COMPUTE))
def fold_floats(op: Operation) -> Folded:
    """Constants, neutral elements, equal operands, poison."""
    name = op.name[6:]
    left, right = op.operands
    if is_poison(left) or is_poison(right):
        return POISON
    if name in _NEUTRAL and is_float(right, _NEUTRAL[name]):
        return left
    if name in ("maxnumf", "minnumf"):
        number = scalar_of(right)
        if isinstance(number, float) and math.isnan(number):
            return left
    if left is right and name in ("maximumf", "minimumf", "maxnumf", "minnumf"):
        return left
    if name == "mulf" and is_float(right, 0.0) and has_fastmath(op, "nnan") and has_fastmath(op, "nsz"):
        return right
    if not is_ieee(left.type) or "to_" in str(op.get_attr_or_prop("roundingmode")):
        return None
    compute, type = _COMPUTE[name], op.results[0].type
    return fold_elementwise((left, right), type, lambda a, b: round_float(compute(a, b), type))


@fold("arith.negf")
def fold_negation(op: Operation) -> Folded:
    """-(-x) = x; the sign of a constant."""
    (value,) = op.operands
    inner = defining_op(value, "arith.negf")
    if inner is not None:
        return inner.operands[0]
    return fold_elementwise((value,), op.results[0].type, lambda a: -a) if is_ieee(value.type) else None


@pattern("arith.mulf", "arith.divf")
def drop_two_signs(op: Operation, rewriter: Rewriter) -> bool:
    """(-x) * (-y) = x * y, (-x) / (-y) = x / y."""
    signs = [defining_op(value, "arith.negf") for value in op.operands]
    if signs[0] is None or signs[1] is None:
        return False
    return rewriter.set_operands(op, [signs[0].operands[0], signs[1].operands[0]])
