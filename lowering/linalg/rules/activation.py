"""Lowering of activation functions."""

from __future__ import annotations

from xdsl.ir import SSAValue

from lamina.dialects.nn.base import NnOp
from lamina.lowering.linalg._elementwise import elementwise
from lamina.lowering.linalg._scalars import Scalars


@elementwise("nn.relu")
def _(s: Scalars, op: NnOp, x: SSAValue) -> SSAValue:
    return s.maximum(x, 0)
