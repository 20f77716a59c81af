"""Derivatives of arithmetic. Where operands tie in an extreme, each gets half (as in JAX)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lamina.dialects.core.constants import constant_value
from lamina.dialects.nn.derivatives._rules import Partial, elementwise
from lamina.dialects.nn.derivatives._terms import Term


@elementwise("nn.add")
def _(op: Any, a: Term, b: Term, y: Term) -> tuple[Partial, ...]:
    return 1, 1


@elementwise("nn.sub")
def _(op: Any, a: Term, b: Term, y: Term) -> tuple[Partial, ...]:
    return 1, -1


@elementwise("nn.mul")
def _(op: Any, a: Term, b: Term, y: Term) -> tuple[Partial, ...]:
    return b, a


@elementwise("nn.div")
def _(op: Any, a: Term, b: Term, y: Term) -> tuple[Partial, ...]:
    return lambda t: t / b, lambda t: -(t / b * y)


@elementwise("nn.mod", "nn.rem")
def _(op: Any, a: Term, b: Term, y: Term) -> tuple[Partial, ...]:
    return 1, lambda t: t * ((y - a) / b)


@elementwise("nn.pow")
def _(op: Any, a: Term, b: Term, y: Term) -> tuple[Partial, ...]:
    return _by_base(a, b), lambda t: t * (y * a.equal(0.0).where(1.0, a, like=a).log())


def _by_base(a: Term, b: Term) -> Callable[[Term], Term]:
    """``b * a^(b - 1)``, which is 0 where b is 0 whatever a is."""
    known = constant_value(b.value)
    if known is not None and known.size and (known == known.flat[0]).all():
        exponent = float(known.flat[0])
        if exponent == 2:
            return lambda t: t * (a * 2.0)
        return lambda t: t * (a.pow(exponent - 1) * exponent) if exponent else t * 0.0
    zero = b.equal(0.0)
    return lambda t: t * (b * a.pow(zero.where(1.0, b - 1.0, like=b)))


@elementwise("nn.maximum")
def _(op: Any, a: Term, b: Term, y: Term) -> tuple[Partial, ...]:
    return _chosen(a, b, a > b), _chosen(a, b, a < b)


@elementwise("nn.minimum")
def _(op: Any, a: Term, b: Term, y: Term) -> tuple[Partial, ...]:
    return _chosen(a, b, a < b), _chosen(a, b, a > b)


def _chosen(a: Term, b: Term, wins: Term) -> Partial:
    """All where an operand wins, half where both are equal."""
    return lambda t: a.equal(b).where(t * 0.5, wins.where(t, 0.0, like=t), like=t)


@elementwise("nn.neg")
def _(op: Any, x: Term, y: Term) -> Partial:
    return -1


@elementwise("nn.abs")
def _(op: Any, x: Term, y: Term) -> Partial:
    return x.sign()


@elementwise("nn.exp")
def _(op: Any, x: Term, y: Term) -> Partial:
    return y


@elementwise("nn.expm1")
def _(op: Any, x: Term, y: Term) -> Partial:
    return y + 1.0


@elementwise("nn.log")
def _(op: Any, x: Term, y: Term) -> Partial:
    return lambda t: t / x


@elementwise("nn.log1p")
def _(op: Any, x: Term, y: Term) -> Partial:
    return lambda t: t / (x + 1.0)


@elementwise("nn.sqrt")
def _(op: Any, x: Term, y: Term) -> Partial:
    return lambda t: t * 0.5 / y


@elementwise("nn.rsqrt")
def _(op: Any, x: Term, y: Term) -> Partial:
    return lambda t: t * (y / x * -0.5)


@elementwise("nn.reciprocal")
def _(op: Any, x: Term, y: Term) -> Partial:
    return lambda t: -(t * (y * y))


@elementwise("nn.sin")
def _(op: Any, x: Term, y: Term) -> Partial:
    return x.cos()


@elementwise("nn.cos")
def _(op: Any, x: Term, y: Term) -> Partial:
    return lambda t: -(t * x.sin())


@elementwise("nn.tan")
def _(op: Any, x: Term, y: Term) -> Partial:
    return y * y + 1.0


@elementwise("nn.asin")
def _(op: Any, x: Term, y: Term) -> Partial:
    return (1.0 - x * x).rsqrt()


@elementwise("nn.acos")
def _(op: Any, x: Term, y: Term) -> Partial:
    return lambda t: -(t * (1.0 - x * x).rsqrt())


@elementwise("nn.atan")
def _(op: Any, x: Term, y: Term) -> Partial:
    return lambda t: t / (x * x + 1.0)


@elementwise("nn.sinh")
def _(op: Any, x: Term, y: Term) -> Partial:
    return x.cosh()


@elementwise("nn.cosh")
def _(op: Any, x: Term, y: Term) -> Partial:
    return x.sinh()


@elementwise("nn.tanh")
def _(op: Any, x: Term, y: Term) -> Partial:
    return 1.0 - y * y


@elementwise("nn.asinh")
def _(op: Any, x: Term, y: Term) -> Partial:
    return (x * x + 1.0).rsqrt()


@elementwise("nn.acosh")
def _(op: Any, x: Term, y: Term) -> Partial:
    return ((x - 1.0) * (x + 1.0)).rsqrt()


@elementwise("nn.atanh")
def _(op: Any, x: Term, y: Term) -> Partial:
    return lambda t: t / (1.0 - x * x)


@elementwise("nn.erf")
def _(op: Any, x: Term, y: Term) -> Partial:
    return (-(x * x)).exp() * (2 / np.sqrt(np.pi))
