"""Simplifications of functions of one tensor."""

from __future__ import annotations

from lamina.dialects.core.dtypes import is_unsigned
from lamina.dialects.nn.base import make
from lamina.dialects.nn.canonicalize._simplification import (
    Replacement,
    defining,
    element_type,
    is_integer,
    simplification,
)
from lamina.dialects.nn.elementwise import UnaryOp

_ROUNDINGS = ("nn.floor", "nn.ceil", "nn.round")


@simplification("nn.neg", "nn.logical_not", "nn.bitwise_not")
def twice_is_nothing(op: UnaryOp) -> Replacement:
    """The op of itself: - -x -> x, not not x -> x."""
    inner = defining(op.operand, op.name)
    return None if inner is None else inner.operand


@simplification("nn.neg")
def negate_integer_difference(op: UnaryOp) -> Replacement:
    """-(x - y) -> y - x for integers (for floats x - x is 0.0 both ways)."""
    inner = defining(op.operand, "nn.sub")
    return make("nn.sub", [inner.rhs, inner.lhs]) if inner is not None and is_integer(op.operand) else None


@simplification("nn.abs", "nn.sign", "nn.relu")
def twice_is_once(op: UnaryOp) -> Replacement:
    """The op of itself is itself: | |x| | -> |x|, relu of relu."""
    return op.operand if defining(op.operand, op.name) is not None else None


@simplification(*_ROUNDINGS)
def round_whole_numbers(op: UnaryOp) -> Replacement:
    """What is rounded already is not rounded again, in whatever direction."""
    return op.operand if defining(op.operand, *_ROUNDINGS) is not None else None


@simplification("nn.abs")
def absolute_of_negated(op: UnaryOp) -> Replacement:
    """|-x| -> |x|; not for unsigned integers, whose negation wraps around."""
    inner = defining(op.operand, "nn.neg")
    if inner is None or is_unsigned(element_type(op.operand)):
        return None
    return make("nn.abs", [inner.operand])


@simplification("nn.abs", "nn.relu")
def unsigned_stays(op: UnaryOp) -> Replacement:
    """|x| -> x and relu(x) -> x for unsigned integers."""
    return op.operand if is_unsigned(element_type(op.operand)) else None
