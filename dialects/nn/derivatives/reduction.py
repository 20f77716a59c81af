"""Derivatives of reductions. Elements that tie for an extreme share its derivative equally (as in JAX)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType, i64

from lamina.dialects.nn.base import DYNAMIC, derivative
from lamina.dialects.nn.derivatives._rules import Adjoint, linear
from lamina.dialects.nn.derivatives._terms import Term


@linear("nn.reduce_sum")
def _(at: Adjoint) -> Sequence[Term | None]:
    return [_kept(at, at.grad).broadcast_like(at.operands[0])]


@linear("nn.reduce_mean")
def _(at: Adjoint) -> Sequence[Term | None]:
    return [(_kept(at, at.grad) / _count(at)).broadcast_like(at.operands[0])]


@derivative("nn.reduce_max", "nn.reduce_min")
def _(at: Adjoint) -> Sequence[Term | None]:
    x, g, y = at.operands[0], _kept(at, at.grad), _kept(at, at.result)
    ties = x.equal(y)
    count = ties.emit("cast", types=[x.type]).reduce_sum(axes=_axes(at), keepdims=True)
    return [ties.where((g / count).broadcast_like(x), 0.0, like=g)]


@derivative("nn.reduce_prod")
def _(at: Adjoint) -> Sequence[Term | None]:
    """The product of all other elements, from the products of those before and those after each."""
    x, axes = at.operands[0], _axes(at)
    order = [i for i in range(x.rank) if i not in axes] + axes
    moved = x.transpose(permutation=order)
    kept = moved.shape[: x.rank - len(axes)]
    rows = moved.reshape(shape=[*kept, math.prod(moved.shape[len(kept) :])])
    others = _products_before(rows) * _products_before(rows.reversed(-1)).reversed(-1)
    back = [order.index(i) for i in range(x.rank)]
    return [_kept(at, at.grad) * others.reshaped(moved).transpose(permutation=back)]


def _products_before(rows: Term) -> Term:
    """The product of the elements before each along the last axis, in a logarithmic number of steps."""
    count, distance = rows.shape[-1], 1
    products = _shifted(rows, 1)
    while distance < count:
        products = products * _shifted(products, distance)
        distance *= 2
    return products


def _shifted(rows: Term, distance: int) -> Term:
    """The last axis moved back by a distance; ones come in."""
    low = [0] * (rows.rank - 1)
    count = rows.shape[-1]
    kept = rows.part(-1, 0, max(0, count - distance))
    return kept.pad(low=[*low, min(distance, count)], high=[0] * rows.rank, value=1.0)


def _axes(at: Adjoint) -> list[int]:
    rank = at.operands[0].rank
    return sorted(a % rank for a in at.attribute("axes"))


def _kept(at: Adjoint, value: Term) -> Term:
    """A value of the result's shape with the reduced axes as extents of 1."""
    axes = _axes(at)
    return value if at.attribute("keepdims") or not axes else value.unsqueeze(axes=axes)


def _count(at: Adjoint) -> Term | float:
    """How many elements each result sums."""
    x, axes = at.operands[0], _axes(at)
    extents = [x.shape[a] for a in axes]
    if DYNAMIC not in extents:
        return float(math.prod(extents))
    sizes = x.shape_of().gather(x.constant(axes, i64), axis=0).reduce_prod(axes=[0])
    return sizes.emit("cast", types=[TensorType(x.type.element_type, [])])
