"""Derivatives of reading and writing parts of tensors at places that are values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import TensorType, i64
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error
from lamina.dialects.nn.base import derivative
from lamina.dialects.nn.derivatives._rules import Adjoint, linear
from lamina.dialects.nn.derivatives._terms import Term


@linear("nn.gather_nd")
def _(at: Adjoint) -> Sequence[Term | None]:
    """Cotangents are added where their elements were read: places are held within data as they were there."""
    data, indices = at.operands
    _require_static(at.op, data, indices)
    axes, batch_dims = at.attribute("axes"), at.attribute("batch_dims")
    limits = [data.shape[batch_dims + axis] - at.attribute("sizes")[axis] for axis in axes]
    held = as_i64(indices).maximum(0).minimum(as_i64(indices).constant(limits)) if axes else as_i64(indices)
    added = data.splat(0.0).scatter_nd(held, at.grad, axes=list(axes), batch_dims=batch_dims, mode="add")
    return added, None


@derivative("nn.scatter_nd")
def _(at: Adjoint) -> Sequence[Term | None]:
    data, indices, updates = at.operands
    _require_static(at.op, data, indices, updates)
    mode = at.attribute("mode")
    rules = {"add": _added, "set": _set, "mul": _multiplied, "max": _extreme, "min": _extreme}
    grad, part = rules[mode](at)
    inside = _is_inside(at)
    return grad, None, part if inside is None else inside.where(part, 0.0, like=part)


def _added(at: Adjoint) -> tuple[Term, Term]:
    return at.grad, _read(at, at.grad)


def _set(at: Adjoint) -> tuple[Term, Term]:
    """Nothing reaches what was overwritten, be it of data or an update before another one."""
    updates = at.operands[2]
    count = math.prod(updates.shape)
    numbers = updates.constant(np.arange(1, count + 1).reshape(updates.shape), i64)
    nobody = at.grad.constant(np.zeros(at.grad.shape), i64)
    writers = _written(at, nobody, numbers)
    last = _read(at, writers).equal(numbers)
    part = _read(at, at.grad)
    return writers.equal(0).where(at.grad, 0.0, like=at.grad), last.where(part, 0.0, like=part)


def _multiplied(at: Adjoint) -> tuple[Term, Term]:
    """The product of the other factors, as the result divided by one of them."""
    data, _, updates = at.operands
    weighted = at.grad * at.result
    return weighted / data, _read(at, weighted) / updates


def _extreme(at: Adjoint) -> tuple[Term, Term]:
    """Equal shares for all that are equal to the result."""
    data, _, updates = at.operands
    wins = data.equal(at.result).where(1.0, 0.0, like=at.grad)
    part_wins = updates.equal(_read(at, at.result)).where(1.0, 0.0, like=at.grad)
    ones = part_wins.broadcast_like(updates)
    count = _written(at, wins, ones, mode="add")
    share = at.grad / count
    return share * wins, _read(at, share) * part_wins


def _read(at: Adjoint, source: Term) -> Term:
    """The parts of a tensor of data's shape at the op's places."""
    rank = at.operands[0].rank - at.attribute("batch_dims")
    sizes = list(at.operands[2].shape[at.operands[2].rank - rank :])
    attributes = {"axes": list(at.attribute("axes")), "batch_dims": at.attribute("batch_dims")}
    return source.gather_nd(at.operands[1], sizes=sizes, **attributes)


def _written(at: Adjoint, into: Term, updates: Term, mode: str = "set") -> Term:
    """Parts written at the op's places."""
    attributes = {"axes": list(at.attribute("axes")), "batch_dims": at.attribute("batch_dims")}
    return into.scatter_nd(at.operands[1], updates, mode=mode, **attributes)


def _is_inside(at: Adjoint) -> Term | None:
    """For each update whether it was written, ``[B…, I…, 1…]``; None where every place fits."""
    data, indices, updates = at.operands
    axes, batch_dims = at.attribute("axes"), at.attribute("batch_dims")
    if not axes:
        return None
    rank = data.rank - batch_dims
    sizes = updates.shape[updates.rank - rank :]
    places = as_i64(indices)
    limits = places.constant([data.shape[batch_dims + axis] - sizes[axis] for axis in axes])
    fits = (places >= 0).logical_and(limits >= places).reduce_and(axes=[-1])
    return fits.reshape(shape=[*fits.shape, *[1] * rank])


def as_i64(indices: Term) -> Term:
    """Indices as i64."""
    if indices.type.element_type == i64:
        return indices
    return indices.emit("cast", types=[TensorType(i64, indices.shape)])


def _require_static(op: Operation, *terms: Term) -> None:
    if not all(term.is_static for term in terms):
        raise error("reads from or at values of unknown shape", op, hint="run nn-set-shapes first")


def taken(values: Term, places: Term, axis: int) -> Term:
    """The elements of values at the places along an axis, both of one shape (NumPy ``take_along_axis``)."""
    moved, back = _to_last(values, axis)
    order = _to_last(places, axis)[0]
    column = order.reshape(shape=[*order.shape, 1])
    found = moved.gather_nd(column, axes=[0], sizes=[1], batch_dims=values.rank - 1)
    return back(found.reshape(shape=list(moved.shape)))


def added_at(values: Term, places: Term, axis: int) -> Term:
    """The values added up at the places along an axis."""
    moved, back = _to_last(values, axis)
    order = _to_last(places, axis)[0]
    column = order.reshape(shape=[*order.shape, 1])
    parts = moved.reshape(shape=[*moved.shape, 1])
    return back(moved.splat(0.0).scatter_nd(column, parts, axes=[0], batch_dims=values.rank - 1, mode="add"))


def _to_last(term: Term, axis: int) -> tuple[Term, Any]:
    """The axis moved to the end, and what moves it back."""
    order = [*range(axis), *range(axis + 1, term.rank), axis]
    if axis == term.rank - 1:
        return term, lambda t: t
    back = [*range(axis), term.rank - 1, *range(axis, term.rank - 1)]
    return term.transpose(permutation=order), lambda t: t.transpose(permutation=back)
