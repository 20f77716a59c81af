"""Derivatives of ops that move elements: each moves the cotangents back, and adds where elements repeat."""

from __future__ import annotations

from collections.abc import Sequence

from lamina.dialects.nn.base import derivative
from lamina.dialects.nn.derivatives._rules import Adjoint, linear
from lamina.dialects.nn.derivatives._terms import Term


@linear("nn.reshape", "nn.squeeze", "nn.unsqueeze")
def _(at: Adjoint) -> Sequence[Term | None]:
    return [at.grad.reshaped(at.operands[0])]


@linear("nn.dynamic_reshape")
def _(at: Adjoint) -> Sequence[Term | None]:
    return [at.grad.reshaped(at.operands[0]), None]


@linear("nn.broadcast_to")
def _(at: Adjoint) -> Sequence[Term | None]:
    return [at.grad.summed_to(at.operands[0])]


@linear("nn.dynamic_broadcast_to")
def _(at: Adjoint) -> Sequence[Term | None]:
    return [at.grad.summed_to(at.operands[0]), None]


@linear("nn.transpose")
def _(at: Adjoint) -> Sequence[Term | None]:
    order = at.attribute("permutation")
    return [at.grad.transpose(permutation=[order.index(i) for i in range(len(order))])]


@linear("nn.concat")
def _(at: Adjoint) -> Sequence[Term | None]:
    axis = at.attribute("axis") % at.result.rank
    parts: list[Term | None] = []
    start = 0
    for operand, needed in zip(at.operands, at.needs, strict=True):
        end = start + operand.shape[axis]
        parts.append(at.grad.part(axis, start, end) if needed else None)
        start = end
    return parts


@linear("nn.split")
def _(at: Adjoint) -> Sequence[Term | None]:
    grads = [
        result.splat(0.0) if grad is None else grad for grad, result in zip(at.grads, at.results, strict=True)
    ]
    return [grads[0].concat(*grads[1:], axis=at.attribute("axis"))]


@linear("nn.slice")
def _(at: Adjoint) -> Sequence[Term | None]:
    x, g = at.operands[0], at.grad
    low, high = [0] * x.rank, [0] * x.rank
    bounds = zip(at.attribute("starts"), at.attribute("ends"), at.attribute("steps"), strict=True)
    for axis, (start, end, step) in enumerate(bounds):
        extent = x.shape[axis]
        places = range(*slice(start, end if end >= -extent or step > 0 else None, step).indices(extent))
        if len(places) == 0:
            low[axis] = extent
            continue
        if step < 0:
            g, places = g.reversed(axis), places[::-1]
        g = spread(g, axis, places.step)
        low[axis], high[axis] = places[0], extent - 1 - places[-1]
    return [g.pad(low=low, high=high) if any(low) or any(high) else g]


def spread(g: Term, axis: int, step: int) -> Term:
    """Elements of an axis ``step`` apart, with zeros in between."""
    count = g.shape[axis]
    if step == 1 or count == 1:
        return g
    axis %= g.rank
    shape = [*g.shape[:axis], count * step, *g.shape[axis + 1 :]]
    high = [step - 1 if i == axis + 1 else 0 for i in range(g.rank + 1)]
    wide = g.unsqueeze(axes=[axis + 1]).pad(low=[0] * (g.rank + 1), high=high).reshape(shape=shape)
    return wide.part(axis, 0, (count - 1) * step + 1)


def padded(x: Term, axis: int, low: int, high: int, value: float = 0.0) -> Term:
    """An axis with elements added at both ends, or dropped where the number is negative."""
    if low < 0 or high < 0:
        x = x.part(axis, max(0, -low), x.shape[axis] - max(0, -high))
    low, high = max(low, 0), max(high, 0)
    if not low and not high:
        return x
    zeros = [0] * x.rank
    before, after = list(zeros), list(zeros)
    before[axis], after[axis] = low, high
    return x.pad(low=before, high=after, value=value)


@linear("nn.tile")
def _(at: Adjoint) -> Sequence[Term | None]:
    x, repeats = at.operands[0], at.attribute("repeats")
    pairs = [n for pair in zip(repeats, x.shape, strict=True) for n in pair]
    return [at.grad.reshape(shape=pairs).reduce_sum(axes=list(range(0, 2 * x.rank, 2)))]


@derivative("nn.pad")
def _(at: Adjoint) -> Sequence[Term | None]:
    """Not linear: what is added is no tangent."""
    g, x = at.grad, at.operands[0]
    mode = at.attribute("mode")
    for axis, (low, high) in enumerate(zip(at.attribute("low"), at.attribute("high"), strict=True)):
        extent = x.shape[axis]
        if not low and not high:
            continue
        middle = g.part(axis, low, low + extent)
        if mode != "constant":
            middle = _with_borders(middle, g, axis, (low, high), mode)
        g = middle
    return [g]


def _with_borders(middle: Term, g: Term, axis: int, added: tuple[int, int], mode: str) -> Term:
    """The cotangents of the copies at both ends, added to the elements that they copy."""
    extent = middle.shape[axis]
    ends = (g.part(axis, 0, added[0]), g.part(axis, added[0] + extent, 2**63 - 1))
    for side, (part, count) in enumerate(zip(ends, added, strict=True)):
        if not count:
            continue
        if mode == "edge":
            part, count, skipped = part.reduce_sum(axes=[axis], keepdims=True), 1, 0
        else:
            part, skipped = part.reversed(axis), 1
        low, high = [0] * g.rank, [0] * g.rank
        low[axis], high[axis] = skipped, extent - count - skipped
        middle = middle + (part.pad(low=high, high=low) if side else part.pad(low=low, high=high))
    return middle
