"""Lowering of activation functions: one body each."""

from __future__ import annotations

import math as python_math

from xdsl.dialects import math
from xdsl.ir import SSAValue

from lamina.dialects.nn.activation import ActivationOp, GeluOp
from lamina.dialects.nn.activation_parameters import ClipOp
from lamina.dialects.nn.base import NnOp
from lamina.lowering.linalg._elementwise import elementwise
from lamina.lowering.linalg._scalars import Scalars


@elementwise("nn.relu")
def _(s: Scalars, op: NnOp, x: SSAValue) -> SSAValue:
    return s.maximum(x, 0)


def logistic(s: Scalars, x: SSAValue) -> SSAValue:
    """``1 / (1 + exp(-x))``; an exponential that overflows gives 0."""
    return s.div(1.0, s.add(s.call(math.ExpOp, s.neg(x)), 1.0))


@elementwise("nn.sigmoid")
def _(s: Scalars, op: NnOp, x: SSAValue) -> SSAValue:
    return logistic(s, x)


@elementwise("nn.silu")
def _(s: Scalars, op: NnOp, x: SSAValue) -> SSAValue:
    return s.mul(x, logistic(s, x))


@elementwise("nn.softplus")
def _(s: Scalars, op: NnOp, x: SSAValue) -> SSAValue:
    small = s.call(math.ExpOp, s.neg(s.abs(x)))
    return s.add(s.maximum(x, 0), s.call(math.Log1pOp, small))


@elementwise("nn.softsign")
def _(s: Scalars, op: NnOp, x: SSAValue) -> SSAValue:
    return s.div(x, s.add(s.abs(x), 1.0))


@elementwise("nn.hard_swish")
def _(s: Scalars, op: NnOp, x: SSAValue) -> SSAValue:
    return s.mul(x, clamped(s, s.add(s.mul(x, 1 / 6), 0.5)))


@elementwise("nn.hard_sigmoid")
def _(s: Scalars, op: ActivationOp, x: SSAValue) -> SSAValue:
    return clamped(s, s.add(s.mul(x, op.attribute("alpha")), op.attribute("beta")))


def clamped(s: Scalars, x: SSAValue) -> SSAValue:
    """The value between 0 and 1."""
    return s.minimum(s.maximum(x, 0.0), 1.0)


@elementwise("nn.gelu")
def _(s: Scalars, op: GeluOp, x: SSAValue) -> SSAValue:
    if op.attribute("approximate") == "tanh":
        cubic = s.mul(s.mul(s.mul(x, x), x), 0.044715)
        return s.mul(x, logistic(s, s.mul(s.add(x, cubic), 2 * python_math.sqrt(2 / python_math.pi))))
    error = s.call(math.ErfOp, s.mul(x, python_math.sqrt(0.5)))
    return s.mul(s.mul(x, 0.5), s.add(error, 1.0))


@elementwise("nn.leaky_relu")
def _(s: Scalars, op: ActivationOp, x: SSAValue) -> SSAValue:
    return s.select(s.compare("ge", x, 0), x, s.mul(x, op.attribute("alpha")))


@elementwise("nn.prelu")
def _(s: Scalars, op: NnOp, x: SSAValue, slope: SSAValue) -> SSAValue:
    return s.select(s.compare("ge", x, 0), x, s.mul(slope, x))


def exponential_unit(s: Scalars, x: SSAValue, alpha: float) -> SSAValue:
    """``x`` where it is positive, else ``alpha * (exp(x) - 1)``."""
    below = s.mul(s.call(math.ExpM1Op, s.minimum(x, 0.0)), alpha)
    return s.select(s.compare("gt", x, 0.0), x, below)


@elementwise("nn.elu")
def _(s: Scalars, op: ActivationOp, x: SSAValue) -> SSAValue:
    return exponential_unit(s, x, op.attribute("alpha"))


@elementwise("nn.selu")
def _(s: Scalars, op: ActivationOp, x: SSAValue) -> SSAValue:
    return s.mul(exponential_unit(s, x, op.attribute("alpha")), op.attribute("gamma"))


@elementwise("nn.celu")
def _(s: Scalars, op: ActivationOp, x: SSAValue) -> SSAValue:
    alpha = op.attribute("alpha")
    below = s.mul(s.call(math.ExpM1Op, s.div(x, alpha)), alpha)
    return s.add(s.maximum(x, 0.0), s.minimum(below, 0.0))


@elementwise("nn.thresholded_relu")
def _(s: Scalars, op: ActivationOp, x: SSAValue) -> SSAValue:
    return s.select(s.compare("gt", x, op.attribute("alpha")), x, 0.0)


@elementwise("nn.clip")
def _(s: Scalars, op: ClipOp, x: SSAValue) -> SSAValue:
    low, high = op.attribute("min"), op.attribute("max")
    x = x if low is None else s.maximum(x, low)
    return x if high is None else s.minimum(x, high)
