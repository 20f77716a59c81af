"""Derivatives of choices between values, and of casts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lamina.dialects.nn.derivatives._rules import Adjoint, Partial, elementwise, linear
from lamina.dialects.nn.derivatives._terms import Term


@elementwise("nn.select")
def _(op: Any, condition: Term, a: Term, b: Term, y: Term) -> tuple[Partial, ...]:
    return None, condition, lambda t: condition.where(0.0, t, like=t)


@linear("nn.cast")
def _(at: Adjoint) -> Sequence[Term | None]:
    return [at.grad.emit("cast", types=[at.operands[0].type])]
