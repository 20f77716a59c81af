"""Derivatives of ops that read at indices, and of sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lamina.dialects.core.constants import constant_value
from lamina.dialects.core.diagnostics import error
from lamina.dialects.nn.base import derivative, expansion
from lamina.dialects.nn.derivatives._rules import Adjoint
from lamina.dialects.nn.derivatives._terms import Term
from lamina.dialects.nn.derivatives.places import as_i64


@derivative("nn.arange")
def _(at: Adjoint) -> Sequence[Term | None]:
    """``start + i * step``; the limit only bounds the number of elements."""
    start, _, step = at.operands
    numbers = (at.result - start) / step
    return at.grad.reduce_sum(axes=[0]), None, (at.grad * numbers).reduce_sum(axes=[0])


@derivative("nn.gather")
def _(at: Adjoint) -> Sequence[Term | None]:
    """The cotangents of what was read are added where it was read."""
    data, indices = at.operands
    axis = at.attribute("axis") % data.rank
    count = data.shape[axis]
    if not (data.is_static and indices.is_static):
        raise error("reads from or at values of unknown shape", at.op, hint="run nn-set-shapes first")
    wide = as_i64(indices).reshape(shape=[*indices.shape, 1])
    place = (wide < 0).where(wide + count, wide, like=wide).clip(min=0, max=count - 1)
    before, after = list(range(axis)), list(range(axis + indices.rank, at.grad.rank))
    middle = list(range(axis, axis + indices.rank))
    parts = at.grad.transpose(permutation=[*middle, *before, *after])
    parts = parts.reshape(shape=[*indices.shape, *data.shape[:axis], 1, *data.shape[axis + 1 :]])
    return data.splat(0.0).scatter_nd(place, parts, axes=[axis], mode="add"), None


@expansion("nn.dynamic_slice")
def _(op: Any, x: Term, starts: Term, ends: Term) -> Term:
    """A slice between bounds that are known."""
    bounds = constant_value(starts.value), constant_value(ends.value)
    if bounds[0] is None or bounds[1] is None:
        hint = "run nn-set-shapes and canonicalize first: bounds that are constants have derivatives"
        raise error("has bounds that are not known, and no derivative", op, hint=hint)
    lists = [0] * x.rank, [2**63 - 1] * x.rank, [1] * x.rank
    for i, (axis, step) in enumerate(zip(op.attribute("axes"), op.attribute("steps"), strict=True)):
        for values, value in zip(lists, (bounds[0][i], bounds[1][i], step), strict=True):
            values[axis] = int(value)
    return x.slice(starts=lists[0], ends=lists[1], steps=lists[2])
