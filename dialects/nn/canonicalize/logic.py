"""Simplifications of logic, bit operations and shifts."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType

from lamina.dialects.core.dtypes import is_unsigned
from lamina.dialects.nn.base import make
from lamina.dialects.nn.canonicalize._simplification import (
    Replacement,
    constant_like,
    element_type,
    is_constant,
    simplification,
    splat_value,
)
from lamina.dialects.nn.elementwise import BinaryOp
from lamina.dialects.nn.logic import BitwiseOp


def _all_ones(op: BinaryOp) -> int:
    """The value of the operands' element type with all bits set: true, -1, or the largest unsigned one."""
    element = element_type(op.lhs)
    assert isinstance(element, IntegerType)
    return (1 << element.width.data) - 1 if is_unsigned(element) else -1


@simplification("nn.logical_and", "nn.bitwise_and")
def conjunction_with_constant(op: BinaryOp) -> Replacement:
    """x and true -> x, x and false -> false; the same bit by bit."""
    if is_constant(op.rhs, _all_ones(op)):
        return op.lhs
    return constant_like(op.result, 0) if is_constant(op.rhs, 0) else None


@simplification("nn.logical_or", "nn.bitwise_or")
def disjunction_with_constant(op: BinaryOp) -> Replacement:
    """x or false -> x, x or true -> true; the same bit by bit."""
    if is_constant(op.rhs, 0):
        return op.lhs
    return constant_like(op.result, _all_ones(op)) if is_constant(op.rhs, _all_ones(op)) else None


@simplification("nn.logical_xor", "nn.bitwise_xor")
def difference_with_constant(op: BinaryOp) -> Replacement:
    """x xor false -> x, x xor true -> not x, x xor x -> false; the same bit by bit."""
    if is_constant(op.rhs, 0):
        return op.lhs
    if op.lhs is op.rhs:
        return constant_like(op.result, 0)
    negation = "nn.logical_not" if op.name == "nn.logical_xor" else "nn.bitwise_not"
    return make(negation, [op.lhs]) if is_constant(op.rhs, _all_ones(op)) else None


@simplification("nn.shift_left", "nn.shift_right")
def shift_by_constant(op: BitwiseOp) -> Replacement:
    """A shift by 0 -> x; one by the width or more -> 0, but for the arithmetic one to the right."""
    amount = splat_value(op.rhs)
    if amount is None:
        return None
    if amount == 0:
        return op.lhs
    element = element_type(op.lhs)
    assert isinstance(element, IntegerType)
    vanishes = op.name == "nn.shift_left" or is_unsigned(element)
    outside = not 0 <= int(amount) < element.width.data
    return constant_like(op.result, 0) if vanishes and outside else None
