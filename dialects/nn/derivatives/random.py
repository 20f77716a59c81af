"""Derivatives through random choices, which the key repeats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lamina.dialects.core.diagnostics import error
from lamina.dialects.nn.base import expansion
from lamina.dialects.nn.derivatives._rules import Adjoint, linear
from lamina.dialects.nn.derivatives._terms import Term


@linear("nn.dropout")
def _(at: Adjoint) -> Sequence[Term | None]:
    return at.grad.dropout(at.operands[1], rate=at.attribute("rate")), None


@expansion("nn.dropout")
def _(op: Any, x: Term, key: Term) -> Term:
    """A choice by random numbers of the same key."""
    rate = op.attribute("rate")
    if not x.is_static:
        raise error("has an operand of unknown shape", op, hint="run nn-set-shapes first")
    numbers = key.rng_uniform(shape=list(x.shape), type=x.type.element_type)
    return (numbers >= x.constant(rate)).where(x / (1 - rate), 0.0, like=x)
