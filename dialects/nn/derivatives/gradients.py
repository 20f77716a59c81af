"""Derivatives of ops that exist for derivatives."""

from __future__ import annotations

from collections.abc import Sequence

from lamina.dialects.nn.base import derivative
from lamina.dialects.nn.derivatives._rules import Adjoint
from lamina.dialects.nn.derivatives._terms import Term


@derivative("nn.sum_to")
def _(at: Adjoint) -> Sequence[Term | None]:
    return at.grad.broadcast_like(at.operands[0]), None
