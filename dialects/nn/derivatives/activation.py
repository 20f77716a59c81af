"""Derivatives of activations. At a kink the derivative is that of the constant side (relu: 0 at 0)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from lamina.dialects.nn.base import derivative
from lamina.dialects.nn.derivatives._rules import Adjoint, Partial, elementwise
from lamina.dialects.nn.derivatives._terms import Term


@elementwise("nn.relu")
def _(op: Any, x: Term, y: Term) -> Partial:
    return x > 0.0


@elementwise("nn.sigmoid")
def _(op: Any, x: Term, y: Term) -> Partial:
    return y * (1.0 - y)


@elementwise("nn.softplus")
def _(op: Any, x: Term, y: Term) -> Partial:
    return x.sigmoid()


@elementwise("nn.softsign")
def _(op: Any, x: Term, y: Term) -> Partial:
    size = x.abs() + 1.0
    return lambda t: t / (size * size)


@elementwise("nn.silu")
def _(op: Any, x: Term, y: Term) -> Partial:
    s = x.sigmoid()
    return s * (1.0 + x * (1.0 - s))


@elementwise("nn.hard_swish")
def _(op: Any, x: Term, y: Term) -> Partial:
    middle = (x < 3.0).where(x / 3.0 + 0.5, 1.0, like=x)
    return (x > -3.0).where(middle, 0.0, like=x)


@elementwise("nn.gelu")
def _(op: Any, x: Term, y: Term) -> Partial:
    if op.attribute("approximate") == "tanh":
        c, k = math.sqrt(2 / math.pi), 0.044715
        square = x * x
        th = (x * (1.0 + square * k) * c).tanh()
        inner = (1.0 + square * (3 * k)) * c
        return 0.5 * (1.0 + th) + 0.5 * x * (1.0 - th * th) * inner
    phi = (x * x * -0.5).exp() * (1 / math.sqrt(2 * math.pi))
    return 0.5 * (1.0 + (x * math.sqrt(0.5)).erf()) + x * phi


@elementwise("nn.leaky_relu")
def _(op: Any, x: Term, y: Term) -> Partial:
    return lambda t: (x >= 0.0).where(t, t * op.attribute("alpha"), like=t)


@elementwise("nn.elu")
def _(op: Any, x: Term, y: Term) -> Partial:
    return lambda t: (x > 0.0).where(t, t * (y + op.attribute("alpha")), like=t)


@elementwise("nn.selu")
def _(op: Any, x: Term, y: Term) -> Partial:
    gamma, alpha = op.attribute("gamma"), op.attribute("alpha")
    return lambda t: (x > 0.0).where(t * gamma, t * (y + gamma * alpha), like=t)


@elementwise("nn.celu")
def _(op: Any, x: Term, y: Term) -> Partial:
    alpha = op.attribute("alpha")
    return lambda t: (x > 0.0).where(t, t * (y / alpha + 1.0), like=t)


@elementwise("nn.hard_sigmoid")
def _(op: Any, x: Term, y: Term) -> Partial:
    inside = (y > 0.0).logical_and(y < 1.0)
    return lambda t: inside.where(t * op.attribute("alpha"), 0.0, like=t)


@elementwise("nn.thresholded_relu")
def _(op: Any, x: Term, y: Term) -> Partial:
    return x > op.attribute("alpha")


@elementwise("nn.clip")
def _(op: Any, x: Term, y: Term) -> Partial:
    low, high = op.attribute("min"), op.attribute("max")
    masks = [x > low] if low is not None else []
    masks += [x < high] if high is not None else []
    if not masks:
        return 1
    return masks[0] if len(masks) == 1 else masks[0].logical_and(masks[1])


@elementwise("nn.prelu")
def _(op: Any, x: Term, slope: Term, y: Term) -> tuple[Partial, ...]:
    up = x >= 0.0
    return (
        lambda t: up.where(t, t * slope, like=t),
        lambda t: up.where(0.0, t * x, like=t),
    )


@derivative("nn.softmax")
def _(at: Adjoint) -> Sequence[Term | None]:
    y, g = at.result, at.grad
    weighted = g * y
    total = weighted.reduce_sum(axes=[at.attribute("axis")], keepdims=True)
    return [weighted - y * total]


@derivative("nn.log_softmax")
def _(at: Adjoint) -> Sequence[Term | None]:
    total = at.grad.reduce_sum(axes=[at.attribute("axis")], keepdims=True)
    return [at.grad - at.result.exp() * total]
