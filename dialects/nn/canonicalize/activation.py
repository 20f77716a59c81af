"""Simplifications of activation functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute

from lamina.dialects.core.dtypes import integer_limits
from lamina.dialects.nn.activation import LeakyReluOp, ReluOp
from lamina.dialects.nn.activation_parameters import ClipOp, PreluOp
from lamina.dialects.nn.arithmetic import ArithmeticOp
from lamina.dialects.nn.base import make
from lamina.dialects.nn.canonicalize._simplification import (
    Replacement,
    defining,
    element_type,
    is_integer,
    simplification,
    splat_value,
)
from lamina.dialects.nn.reference._elementwise import to_element
from lamina.dialects.nn.reference._numerics import widened
from lamina.dialects.nn.reference.arithmetic import maximum, minimum

Bounds = tuple[Any, Any]
"""A lower and an upper bound, None where there is none."""


@simplification("nn.relu")
def relu_of_non_negative(op: ReluOp) -> Replacement:
    """relu(x) -> x for floats that are NaN, +0.0 or above: an exponential, a sigmoid, an absolute value."""
    inner = defining(op.operand, "nn.exp", "nn.sigmoid", "nn.softplus", "nn.abs")
    return op.operand if inner is not None and not is_integer(op.operand) else None


@simplification("nn.leaky_relu")
def leak_all(op: LeakyReluOp) -> Replacement:
    """With alpha 1 nothing changes."""
    return op.operand if op.attribute("alpha") == 1 else None


@simplification("nn.prelu")
def prelu_with_one_slope(op: PreluOp) -> Replacement:
    """A slope that is one finite number everywhere is leaky_relu's alpha; floats only."""
    slope = splat_value(op.slope)
    if slope is None or is_integer(op.x) or not math.isfinite(float(slope)):
        return None
    return make("nn.leaky_relu", [op.x], alpha=float(slope))


@simplification("nn.clip")
def drop_idle_bounds(op: ClipOp) -> Replacement:
    """A bound at the end of the type's range is none; without bounds clip(x) -> x."""
    bounds = op.attribute("min"), op.attribute("max")
    limits = _limits(element_type(op.operand))
    kept = tuple(None if bound == limit else bound for bound, limit in zip(bounds, limits, strict=True))
    if kept == (None, None):
        return op.operand
    return None if kept == bounds else make("nn.clip", [op.operand], min=kept[0], max=kept[1])


def _limits(element: Attribute) -> tuple[float, float]:
    return integer_limits(element) if isinstance(element, IntegerType) else (-math.inf, math.inf)


@simplification("nn.clip", "nn.relu", "nn.minimum", "nn.maximum")
def merge_clips(op: ClipOp | ReluOp | ArithmeticOp) -> Replacement:
    """A clip of a clip -> one clip, where relu and extremes with a splat count as clips.

    The inner bounds go through the outer clip. Not where a lower bound is above its upper one, or NaN.
    """
    inner_op = defining(op.operands[0], "nn.clip", "nn.relu", "nn.minimum", "nn.maximum")
    outer = _bounds(op)
    inner = None if inner_op is None else _bounds(inner_op)
    if inner_op is None or outer is None or inner is None:
        return None
    low, high = (_number(outer[i] if inner[i] is None else _clipped(inner[i], outer)) for i in (0, 1))
    return make("nn.clip", [inner_op.operands[0]], min=low, max=high)


@simplification("nn.clip")
def clip_at_zero(op: ClipOp) -> Replacement:
    """A clip with nothing but a lower bound of +0.0 is a relu."""
    low = op.attribute("min")
    at_zero = low is not None and low == 0 and math.copysign(1, low) > 0
    return make("nn.relu", [op.operand]) if at_zero and op.attribute("max") is None else None


def _clipped(value: np.ndarray, bounds: Bounds) -> np.ndarray:
    low, high = bounds
    if low is not None:
        value = maximum(value, low)
    return value if high is None else minimum(value, high)


def _bounds(op: Any) -> Bounds | None:
    """The bounds that an op clips its first operand to, in a type wide enough to compare, or None."""
    element = element_type(op.results[0])
    if op.name == "nn.clip":
        low, high = op.attribute("min"), op.attribute("max")
    elif op.name == "nn.relu":
        low, high = 0 if is_integer(op.results[0]) else 0.0, None
    else:
        bound = splat_value(op.rhs)
        low, high = (bound, None) if op.name == "nn.maximum" else (None, bound)
        if bound is None or op.lhs.type != op.results[0].type or not _fits_i64(bound):
            return None
    first, second = (None if b is None else widened(to_element(b, element)) for b in (low, high))
    if any(b is not None and b != b for b in (first, second)):
        return None
    return None if first is not None and second is not None and first > second else (first, second)


def _fits_i64(bound: np.generic) -> bool:
    """Whether clip's i64 attribute holds an integer bound."""
    return bound.dtype.kind != "u" or int(bound) < 1 << 63


def _number(bound: np.ndarray | None) -> int | float | None:
    return None if bound is None else bound.item()
