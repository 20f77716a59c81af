"""Lowering of arithmetic on two tensors."""

from __future__ import annotations

from xdsl.dialects import math
from xdsl.ir import SSAValue

from lamina.dialects.arith.extension import RemFOp
from lamina.dialects.nn.base import NnOp
from lamina.lowering.linalg._elementwise import elementwise
from lamina.lowering.linalg._integers import integer_power, quotient, remainder
from lamina.lowering.linalg._scalars import Scalars, is_float


@elementwise("nn.add")
def _(s: Scalars, op: NnOp, a: SSAValue, b: SSAValue) -> SSAValue:
    return s.add(a, b)


@elementwise("nn.sub")
def _(s: Scalars, op: NnOp, a: SSAValue, b: SSAValue) -> SSAValue:
    return s.sub(a, b)


@elementwise("nn.mul")
def _(s: Scalars, op: NnOp, a: SSAValue, b: SSAValue) -> SSAValue:
    return s.mul(a, b)


@elementwise("nn.div")
def _(s: Scalars, op: NnOp, a: SSAValue, b: SSAValue) -> SSAValue:
    return s.div(a, b) if is_float(a) else quotient(s, a, b)


@elementwise("nn.rem")
def _(s: Scalars, op: NnOp, a: SSAValue, b: SSAValue) -> SSAValue:
    return s.call(RemFOp, a, b) if is_float(a) else remainder(s, a, b)


@elementwise("nn.mod")
def _(s: Scalars, op: NnOp, a: SSAValue, b: SSAValue) -> SSAValue:
    if is_float(a):
        rest = s.call(RemFOp, a, b)
        differ = s.logical_xor(s.compare("lt", rest, 0.0), s.compare("lt", b, 0.0))
        zero = s.call(math.CopySignOp, s.constant(0.0, a.type), b)
        return s.select(s.compare("eq", rest, 0.0), zero, s.select(differ, s.add(rest, b), rest))
    rest = remainder(s, a, b)
    if s.unsigned:
        return rest
    differ = s.compare("lt", s.logical_xor(rest, b), 0)
    moved = s.logical_and(differ, s.compare("ne", rest, 0))
    return s.select(moved, s.add(rest, b), rest)


@elementwise("nn.pow")
def _(s: Scalars, op: NnOp, a: SSAValue, b: SSAValue) -> SSAValue:
    return s.call(math.PowFOp, a, b) if is_float(a) else integer_power(s, a, b)


@elementwise("nn.maximum")
def _(s: Scalars, op: NnOp, a: SSAValue, b: SSAValue) -> SSAValue:
    return s.maximum(a, b)


@elementwise("nn.minimum")
def _(s: Scalars, op: NnOp, a: SSAValue, b: SSAValue) -> SSAValue:
    return s.minimum(a, b)
