"""Derivatives of matrix products."""

from __future__ import annotations

from collections.abc import Sequence

from lamina.dialects.nn.base import derivative
from lamina.dialects.nn.derivatives._rules import Adjoint
from lamina.dialects.nn.derivatives._terms import Term


@derivative("nn.matmul")
def _(at: Adjoint) -> Sequence[Term | None]:
    a, b = at.operands
    by_a = _summed_product(at.grad, b.swapped(), a) if at.needs[0] else None
    if not at.needs[1]:
        return by_a, None
    if b.rank == 2 and a.rank > 2:  # one matrix for a whole batch: one product over all rows
        rows, grads = (x.emit("reshape", shape=[-1, x.shape[-1]]) for x in (a, at.grad))
        return by_a, rows.swapped().matmul(grads)
    return by_a, _summed_product(a.swapped(), at.grad, b)


def _summed_product(a: Term, b: Term, like: Term) -> Term:
    return a.matmul(b).summed_to(like)
