"""Lowering of functions of one tensor."""

from __future__ import annotations

import numpy as np
from xdsl.dialects import math
from xdsl.ir import Operation, SSAValue

from lamina.dialects.nn.base import NnOp
from lamina.lowering.linalg._elementwise import elementwise
from lamina.lowering.linalg._scalars import Scalars

_FUNCTIONS: dict[str, type[Operation]] = {
    "nn.exp": math.ExpOp,
    "nn.expm1": math.ExpM1Op,
    "nn.log": math.LogOp,
    "nn.log1p": math.Log1pOp,
    "nn.sqrt": math.SqrtOp,
    "nn.rsqrt": math.RsqrtOp,
    "nn.floor": math.FloorOp,
    "nn.ceil": math.CeilOp,
    "nn.round": math.RoundEvenOp,
    "nn.sin": math.SinOp,
    "nn.cos": math.CosOp,
    "nn.tan": math.TanOp,
    "nn.asin": math.AsinOp,
    "nn.acos": math.AcosOp,
    "nn.atan": math.AtanOp,
    "nn.sinh": math.SinhOp,
    "nn.cosh": math.CoshOp,
    "nn.tanh": math.TanhOp,
    "nn.asinh": math.AsinhOp,
    "nn.acosh": math.AcoshOp,
    "nn.atanh": math.AtanhOp,
    "nn.erf": math.ErfOp,
}


@elementwise(*_FUNCTIONS)
def _(s: Scalars, op: NnOp, x: SSAValue) -> SSAValue:
    return s.call(_FUNCTIONS[op.name], x)


@elementwise("nn.neg")
def _(s: Scalars, op: NnOp, x: SSAValue) -> SSAValue:
    return s.neg(x)


@elementwise("nn.abs")
def _(s: Scalars, op: NnOp, x: SSAValue) -> SSAValue:
    return s.abs(x)


@elementwise("nn.sign")
def _(s: Scalars, op: NnOp, x: SSAValue) -> SSAValue:
    below = x if s.unsigned else s.select(s.compare("lt", x, 0), s.constant(-1, x.type), x)
    return s.select(s.compare("gt", x, 0), s.constant(1, x.type), below)


@elementwise("nn.reciprocal")
def _(s: Scalars, op: NnOp, x: SSAValue) -> SSAValue:
    return s.div(1.0, x)


@elementwise("nn.isnan")
def _(s: Scalars, op: NnOp, x: SSAValue) -> SSAValue:
    return s.is_nan(x)


@elementwise("nn.isinf")
def _(s: Scalars, op: NnOp, x: SSAValue) -> SSAValue:
    return s.compare("eq", s.abs(x), np.inf)
