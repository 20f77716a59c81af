"""Lowering of comparisons, logic, bit operations, shifts and the choice between two tensors."""

from __future__ import annotations

from xdsl.ir import SSAValue

from lamina.dialects.nn.base import NnOp
from lamina.lowering.linalg._elementwise import elementwise
from lamina.lowering.linalg._integers import shift_left, shift_right
from lamina.lowering.linalg._scalars import Scalars

_PREDICATES = {
    "nn.equal": "eq",
    "nn.not_equal": "ne",
    "nn.less": "lt",
    "nn.less_equal": "le",
    "nn.greater": "gt",
    "nn.greater_equal": "ge",
}


@elementwise(*_PREDICATES)
def _(s: Scalars, op: NnOp, a: SSAValue, b: SSAValue) -> SSAValue:
    return s.compare(_PREDICATES[op.name], a, b)


@elementwise("nn.logical_and", "nn.bitwise_and")
def _(s: Scalars, op: NnOp, a: SSAValue, b: SSAValue) -> SSAValue:
    return s.logical_and(a, b)


@elementwise("nn.logical_or", "nn.bitwise_or")
def _(s: Scalars, op: NnOp, a: SSAValue, b: SSAValue) -> SSAValue:
    return s.logical_or(a, b)


@elementwise("nn.logical_xor", "nn.bitwise_xor")
def _(s: Scalars, op: NnOp, a: SSAValue, b: SSAValue) -> SSAValue:
    return s.logical_xor(a, b)


@elementwise("nn.logical_not", "nn.bitwise_not")
def _(s: Scalars, op: NnOp, x: SSAValue) -> SSAValue:
    return s.logical_xor(x, -1)


@elementwise("nn.shift_left")
def _(s: Scalars, op: NnOp, value: SSAValue, amount: SSAValue) -> SSAValue:
    return shift_left(s, value, amount)


@elementwise("nn.shift_right")
def _(s: Scalars, op: NnOp, value: SSAValue, amount: SSAValue) -> SSAValue:
    return shift_right(s, value, amount)
