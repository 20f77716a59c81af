"""Derivatives of sorting and of cumulative operations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import i1, i64

from lamina.dialects.core.diagnostics import error
from lamina.dialects.nn.base import derivative
from lamina.dialects.nn.derivatives._rules import Adjoint, linear
from lamina.dialects.nn.derivatives._terms import Term
from lamina.dialects.nn.derivatives.places import added_at, taken


@derivative("nn.sort")
def _(at: Adjoint) -> Sequence[Term | None]:
    """Each cotangent goes to where its element came from."""
    [x] = at.operands
    axis = _axis(at, x)
    order = x.argsort(axis=axis, descending=at.attribute("descending"))
    return [taken(at.grad, order.argsort(axis=axis), axis)]


@linear("nn.cumsum")
def _(at: Adjoint) -> Sequence[Term | None]:
    """The sum runs the other way."""
    return [at.grad.cumsum(axis=at.attribute("axis"), reverse=not at.attribute("reverse"))]


@derivative("nn.cummax", "nn.cummin")
def _(at: Adjoint) -> Sequence[Term | None]:
    """All goes to the last of the elements so far that are equal to the extreme one."""
    [x] = at.operands
    axis, backwards = _axis(at, x), at.attribute("reverse")
    count = x.shape[axis]
    column = np.arange(count).reshape([-1 if d == axis else 1 for d in range(x.rank)])
    numbers = x.constant(np.broadcast_to(column, x.shape), i64)
    nowhere = count if backwards else 0
    here = x.equal(at.result).where(numbers, numbers.constant(nowhere), like=numbers)
    place = here.cummin(axis=axis, reverse=True) if backwards else here.cummax(axis=axis)
    return [added_at(at.grad, place, axis)]


@derivative("nn.cumprod")
def _(at: Adjoint) -> Sequence[Term | None]:
    """Each cotangent times the product of the other factors, which zeros do not disturb.

    The product of all but element i up to j is the product before i times that between i and j; the latter is
    a matrix, so that this takes the square of the axis's extent in memory.
    """
    [x] = at.operands
    axis, backwards = _axis(at, x), at.attribute("reverse")
    count = x.shape[axis]
    others = [d for d in range(x.rank) if d != axis]
    order = [*others, axis]
    rows, grad = x.transpose(permutation=order), at.grad.transpose(permutation=order)
    if backwards:
        rows, grad = rows.reversed(x.rank - 1), grad.reversed(x.rank - 1)
    batch = list(rows.shape[:-1])
    wide = rows.reshape(shape=[*batch, 1, count])
    later = wide.constant(np.triu(np.ones((count, count), np.bool_), 1), i1)
    between = later.where(wide, 1.0, like=wide).cumprod(axis=-1)
    reached = wide.constant(np.triu(np.ones((count, count), np.bool_)), i1)
    weights = reached.where(between, 0.0, like=wide)
    after = (weights * grad.reshape(shape=[*batch, 1, count])).reduce_sum(axes=[-1])
    before = _exclusive_product(rows)
    result = before * after
    if backwards:
        result = result.reversed(x.rank - 1)
    return [result.transpose(permutation=[order.index(d) for d in range(x.rank)])]


def _exclusive_product(rows: Term) -> Term:
    """The product of all elements before each one, along the last axis."""
    last = rows.rank - 1
    low = [0] * rows.rank
    low[last] = 1
    shifted = rows.pad(low=low, high=[0] * rows.rank, value=1.0)
    return shifted.part(last, 0, rows.shape[last]).cumprod(axis=last)


def _axis(at: Adjoint, x: Term) -> int:
    if not x.is_static:
        raise error("runs along values of unknown shape", at.op, hint="run nn-set-shapes first")
    return at.attribute("axis") % x.rank
