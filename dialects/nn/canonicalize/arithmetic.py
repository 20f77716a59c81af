"""Simplifications of arithmetic on two tensors."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from lamina.dialects.core.constants import constant_value
from lamina.dialects.core.dtypes import integer_limits, is_unsigned
from lamina.dialects.nn.arithmetic import AddOp, ArithmeticOp, DivOp, MulOp, PowOp, SubOp
from lamina.dialects.nn.base import make
from lamina.dialects.nn.canonicalize._simplification import (
    Replacement,
    constant_like,
    defining,
    element_type,
    is_constant,
    is_integer,
    simplification,
    splat_value,
)
from lamina.dialects.nn.elementwise import BinaryOp


@simplification(
    *("nn.add", "nn.mul", "nn.maximum", "nn.minimum", "nn.equal", "nn.not_equal"),
    *("nn.logical_and", "nn.logical_or", "nn.logical_xor"),
    *("nn.bitwise_and", "nn.bitwise_or", "nn.bitwise_xor"),
)
def constant_to_the_right(op: BinaryOp) -> Replacement:
    """The constant operand of a commutative op comes second, where the other patterns look for it."""
    if constant_value(op.lhs) is None or constant_value(op.rhs) is not None:
        return None
    return make(op.name, [op.rhs, op.lhs])


@simplification("nn.add")
def add_nothing(op: AddOp) -> Replacement:
    """x + 0 -> x for integers, x + -0.0 -> x for floats (x + 0.0 makes 0.0 of -0.0)."""
    return op.lhs if is_constant(op.rhs, 0 if is_integer(op.lhs) else -0.0) else None


@simplification("nn.add")
def add_negated(op: AddOp) -> Replacement:
    """x + -y -> x - y, -x + y -> y - x: IEEE defines the difference so."""
    if (right := defining(op.rhs, "nn.neg")) is not None:
        return make("nn.sub", [op.lhs, right.operand])
    if (left := defining(op.lhs, "nn.neg")) is not None:
        return make("nn.sub", [op.rhs, left.operand])
    return None


@simplification("nn.sub")
def subtract_nothing(op: SubOp) -> Replacement:
    """x - 0 -> x, for floats with +0.0."""
    return op.lhs if is_constant(op.rhs, 0) else None


@simplification("nn.sub")
def subtract_from_nothing(op: SubOp) -> Replacement:
    """0 - x -> -x for integers, -0.0 - x -> -x for floats (0.0 - 0.0 is not -0.0)."""
    return make("nn.neg", [op.rhs]) if is_constant(op.lhs, 0 if is_integer(op.rhs) else -0.0) else None


@simplification("nn.sub")
def subtract_itself(op: SubOp) -> Replacement:
    """x - x -> 0 for integers (for floats it is NaN where x is infinite or NaN)."""
    return constant_like(op.result, 0) if op.lhs is op.rhs and is_integer(op.lhs) else None


@simplification("nn.sub")
def subtract_negated(op: SubOp) -> Replacement:
    """x - -y -> x + y."""
    right = defining(op.rhs, "nn.neg")
    return None if right is None else make("nn.add", [op.lhs, right.operand])


@simplification("nn.sub")
def subtract_constant(op: SubOp) -> Replacement:
    """x - c -> x + -c for integers, so that chains of sums and differences are of one kind."""
    value = splat_value(op.rhs)
    if not is_integer(op.lhs) or value is None:
        return None
    with np.errstate(all="ignore"):
        negated = constant_like(op.rhs, int(np.negative(value)))
    return None if negated is None else [negated, make("nn.add", [op.lhs, negated])]


@simplification("nn.add", "nn.mul")
def merge_integer_constants(op: ArithmeticOp) -> Replacement:
    """(x + c) + d -> x + (c + d), the same for products; integers only, where order does not matter."""
    inner = defining(op.lhs, op.name)
    if inner is None or not is_integer(op.lhs):
        return None
    if splat_value(op.rhs) is None or splat_value(inner.rhs) is None:
        return None
    merged = make(op.name, [inner.rhs, op.rhs])
    return [merged, make(op.name, [inner.lhs, merged])]


@simplification("nn.mul", "nn.div")
def scale_by_one(op: ArithmeticOp) -> Replacement:
    """x * 1 -> x, x / 1 -> x, x * -1 -> -x, x / -1 -> -x."""
    if is_constant(op.rhs, 1):
        return op.lhs
    return make("nn.neg", [op.lhs]) if is_constant(op.rhs, -1) else None


@simplification("nn.mul")
def multiply_by_zero(op: MulOp) -> Replacement:
    """x * 0 -> 0 for integers (for floats it may be NaN or -0.0)."""
    return constant_like(op.result, 0) if is_integer(op.lhs) and is_constant(op.rhs, 0) else None


@simplification("nn.mul", "nn.div")
def drop_both_signs(op: ArithmeticOp) -> Replacement:
    """-x * -y -> x * y; for floats -x / -y -> x / y too (the smallest integer differs there)."""
    left, right = defining(op.lhs, "nn.neg"), defining(op.rhs, "nn.neg")
    if left is None or right is None or (op.name == "nn.div" and is_integer(op.lhs)):
        return None
    return make(op.name, [left.operand, right.operand])


@simplification("nn.div")
def divide_by_power_of_two(op: DivOp) -> Replacement:
    """x / 2^k -> x * 2^-k for floats, where 2^-k is a normal number: both are exact up to one rounding."""
    divisor = splat_value(op.rhs)
    if divisor is None or is_integer(op.rhs):
        return None
    number = float(divisor)
    if not math.isfinite(number) or number == 0 or abs(math.frexp(number)[0]) != 0.5:
        return None
    smallest = float(ml_dtypes.finfo(divisor.dtype).tiny)
    inverse = 1 / number
    if not smallest <= abs(inverse) <= 1 / smallest or abs(number) < smallest:
        return None
    factor = constant_like(op.rhs, inverse)
    return None if factor is None else [factor, make("nn.mul", [op.lhs, factor])]


@simplification("nn.div")
def divide_one(op: DivOp) -> Replacement:
    """1.0 / x -> reciprocal of x."""
    return make("nn.reciprocal", [op.rhs]) if not is_integer(op.rhs) and is_constant(op.lhs, 1) else None


@simplification("nn.div", "nn.rem", "nn.mod")
def divide_integer_zero(op: ArithmeticOp) -> Replacement:
    """0 / x -> 0 for integers, also where x is 0; the same for remainders."""
    return constant_like(op.result, 0) if is_integer(op.lhs) and is_constant(op.lhs, 0) else None


@simplification("nn.rem", "nn.mod")
def remainder_by_one(op: ArithmeticOp) -> Replacement:
    """The integer remainder of a division by 1 or -1 is 0."""
    unit = is_constant(op.rhs, 1) or is_constant(op.rhs, -1)
    return constant_like(op.result, 0) if unit and is_integer(op.lhs) else None


@simplification("nn.pow")
def small_powers(op: PowOp) -> Replacement:
    """x^0 -> 1 (of NaN too), x^1 -> x, x^2 -> x * x; for floats x^-1 -> reciprocal of x.

    The square root is not x^0.5: they differ at -0.0 and -inf.
    """
    if is_constant(op.rhs, 1):
        return op.lhs
    if is_constant(op.rhs, 2):
        return make("nn.mul", [op.lhs, op.lhs])
    if is_constant(op.rhs, 0) or is_constant(op.rhs, -0.0):
        return constant_like(op.result, 1)
    if is_constant(op.rhs, -1) and not is_integer(op.lhs):
        return make("nn.reciprocal", [op.lhs])
    return None


@simplification("nn.maximum", "nn.minimum", "nn.bitwise_and", "nn.bitwise_or")
@simplification("nn.logical_and", "nn.logical_or")
def with_itself(op: BinaryOp) -> Replacement:
    """The larger, the smaller, the conjunction and the disjunction of x and x are x."""
    return op.lhs if op.lhs is op.rhs else None


@simplification("nn.maximum", "nn.minimum")
def extreme_bound(op: ArithmeticOp) -> Replacement:
    """max(x, least) -> x, where -inf is the least float; for integers max(x, greatest) -> greatest."""
    low, high = _limits(op.lhs)
    neutral, absorbing = (low, high) if op.name == "nn.maximum" else (high, low)
    if is_constant(op.rhs, neutral):
        return op.lhs
    if is_integer(op.lhs) and is_constant(op.rhs, absorbing):
        return constant_like(op.result, absorbing)
    return None


def _limits(value: SSAValue) -> tuple[float, float]:
    """The least and the greatest value of a tensor's element type."""
    element = element_type(value)
    return integer_limits(element) if isinstance(element, IntegerType) else (-math.inf, math.inf)


@simplification("nn.maximum")
def maximum_with_zero(op: ArithmeticOp) -> Replacement:
    """max(x, 0) -> relu(x), which is defined so; not for unsigned integers, of which 0 is the least."""
    zero = is_constant(op.rhs, 0) and not is_unsigned(element_type(op.lhs))
    return make("nn.relu", [op.lhs]) if zero else None
