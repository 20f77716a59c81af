"""Lowering of arithmetic on two tensors."""

from __future__ import annotations

from xdsl.ir import SSAValue

from lamina.dialects.nn.base import NnOp
from lamina.lowering.linalg._elementwise import elementwise
from lamina.lowering.linalg._scalars import Scalars


@elementwise("nn.add")
def _(s: Scalars, op: NnOp, a: SSAValue, b: SSAValue) -> SSAValue:
    return s.add(a, b)


@elementwise("nn.sub")
def _(s: Scalars, op: NnOp, a: SSAValue, b: SSAValue) -> SSAValue:
    return s.sub(a, b)


@elementwise("nn.mul")
def _(s: Scalars, op: NnOp, a: SSAValue, b: SSAValue) -> SSAValue:
    return s.mul(a, b)


@elementwise("nn.maximum")
def _(s: Scalars, op: NnOp, a: SSAValue, b: SSAValue) -> SSAValue:
    return s.maximum(a, b)


@elementwise("nn.minimum")
def _(s: Scalars, op: NnOp, a: SSAValue, b: SSAValue) -> SSAValue:
    return s.minimum(a, b)
