"""Derivatives of pooling, and what their ops stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import i32

from lamina.dialects.core.diagnostics import error
from lamina.dialects.nn.base import DYNAMIC, derivative, expansion
from lamina.dialects.nn.derivatives._rules import Adjoint, linear
from lamina.dialects.nn.derivatives._terms import Term
from lamina.dialects.nn.derivatives.movement import padded, spread
from lamina.dialects.nn.reference._numerics import lowest
from lamina.dialects.nn.reference.pooling import places
from lamina.dialects.nn.shapes._windows import Window
from lamina.dialects.nn.shapes.pooling import pool_windows


@derivative("nn.max_pool2d")
def _(at: Adjoint) -> Sequence[Term | None]:
    return [at.operands[0].max_pool2d_gradient(at.grad, **at.op.properties)]


@linear("nn.avg_pool2d")
def _(at: Adjoint) -> Sequence[Term | None]:
    first = _first(at.op)
    size = at.operands[0].shape[first : first + 2]
    if DYNAMIC in size:
        raise error("has images of unknown extents", at.op, hint="run nn-set-shapes first")
    return [at.grad.avg_pool2d_gradient(**at.op.properties, size=list(size))]


@linear("nn.avg_pool2d_gradient")
def _(at: Adjoint) -> Sequence[Term | None]:
    own = {name: value for name, value in at.op.properties.items() if name != "size"}
    return [at.grad.avg_pool2d(**own)]


@expansion("nn.avg_pool2d_gradient")
def avg_pool2d_gradient(op: Any, grad: Term) -> Term:
    """The cotangents' shares, spread over their windows along one axis after the other."""
    first, pair, size = _first(op), pool_windows(op), op.attribute("size")
    counts = [
        places(window, grad.shape[first + i], size[i], op.attribute("count_include_pad"))
        for i, window in enumerate(pair)
    ]
    table = np.multiply.outer(counts[0], counts[1])
    share = grad / (
        grad.constant(table.reshape(table.shape + (1,) * (2 - first)))
        if not (table == table.flat[:1]).all()
        else float(table.flat[0])
    )
    for i, window in enumerate(pair):
        share = _spread_over_windows(share, first + i, window, size[i])
    return share


def _spread_over_windows(share: Term, axis: int, window: Window, extent: int) -> Term:
    """The sum, for each element of an axis, of the values of the windows that hold it."""
    if _tiles(window, share.shape[axis], extent):
        shape = [*share.shape[: axis + 1], window.size, *share.shape[axis + 1 :]]
        merged = [*share.shape[:axis], share.shape[axis] * window.size, *share.shape[axis + 1 :]]
        wide = share.unsqueeze(axes=[axis + 1]).broadcast_to(shape=shape).reshape(shape=merged)
        return padded(wide, axis, -window.low, extent + window.low - merged[axis])
    apart = spread(share, axis, window.stride)
    parts = [_placed(apart, axis, window, k, extent) for k in range(window.size)]
    return _sum(parts)


def _placed(apart: Term, axis: int, window: Window, tap: int, extent: int) -> Term:
    """Values at every window's place ``tap``, put where these lie in an axis of the image."""
    start = tap * window.dilation - window.low
    return padded(apart, axis, start, extent - start - apart.shape[axis])


def _sum(parts: Sequence[Term]) -> Term:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _tiles(window: Window, count: int, extent: int) -> bool:
    """Whether windows lie side by side: each element is in one at most."""
    return window.stride == window.size and window.dilation == 1 and count > 0


def _first(op: Any) -> int:
    return 1 if op.attribute("layout") == "NHWC" else 2


@expansion("nn.max_pool2d_gradient")
def max_pool2d_gradient(op: Any, x: Term, grad: Term) -> Term:
    """Each window's first largest place is found by its number; the cotangent goes there."""
    first, pair = _first(op), pool_windows(op)
    if DYNAMIC in x.shape[first : first + 2]:
        raise error("has images of unknown extents", op, hint="run nn-set-shapes first")
    largest = x.max_pool2d(**op.properties)
    counts = grad.shape[first : first + 2]
    if all(_tiles(w, n, x.shape[first + i]) for i, (w, n) in enumerate(zip(pair, counts, strict=True))):
        return _by_tiles(x, largest, grad, pair, first)
    return _by_taps(x, largest, grad, pair, first)


def _by_tiles(x: Term, largest: Term, grad: Term, pair: tuple[Window, Window], first: int) -> Term:
    """Windows side by side are dimensions of their own: ``[…, OH, KH, OW, KW, …]``."""
    sizes = x.shape[first : first + 2]
    low = float(lowest(_dtype(x)))
    cut = x
    for i, window in enumerate(pair):
        wanted = grad.shape[first + i] * window.size
        cut = padded(cut, first + i, window.low, wanted - window.low - sizes[i], low)
    (oh, ow), (kh, kw) = grad.shape[first : first + 2], (w.size for w in pair)
    tiled = cut.reshape(shape=[*x.shape[:first], oh, kh, ow, kw, *x.shape[first + 2 :]])
    around = [first + 1, first + 3]
    numbers = np.arange(kh * kw).reshape(kh, 1, kw, *[1] * (2 - first))
    number = x.constant(numbers, i32)
    is_largest = tiled.equal(largest.unsqueeze(axes=around))
    chosen = is_largest.where(number, number.constant(kh * kw, i32), like=number).reduce_min(
        axes=around, keepdims=True
    )
    wide = chosen.equal(number).where(grad.unsqueeze(axes=around), 0.0, like=grad).reshaped(cut)
    for i, window in enumerate(pair):
        wide = padded(wide, first + i, -window.low, sizes[i] + window.low - wide.shape[first + i])
    return wide


def _by_taps(x: Term, largest: Term, grad: Term, pair: tuple[Window, Window], first: int) -> Term:
    """Windows that overlap: one place of all windows after the other."""
    rows, columns = pair
    sizes, counts = x.shape[first : first + 2], grad.shape[first : first + 2]
    low = float(lowest(_dtype(x)))
    wide = x
    for i, window in enumerate(pair):
        wide = padded(wide, first + i, window.low, window.needed(counts[i]) - window.low - sizes[i], low)
    places_ = [(i, j) for i in range(rows.size) for j in range(columns.size)]
    chosen = x.constant(len(places_), i32)
    for number, (i, j) in reversed(list(enumerate(places_))):
        part = _tap(wide, pair, counts, first, (i, j))
        chosen = part.equal(largest).where(x.constant(number, i32), chosen, like=chosen)
    parts: list[Term] = []
    for number, place in enumerate(places_):
        part = chosen.equal(x.constant(number, i32)).where(grad, 0.0, like=grad)
        for i, window in enumerate(pair):
            part = _placed(spread(part, first + i, window.stride), first + i, window, place[i], sizes[i])
        parts.append(part)
    return _sum(parts)


def _tap(
    wide: Term, pair: tuple[Window, Window], counts: Sequence[int], first: int, place: tuple[int, int]
) -> Term:
    """The elements at one place of every window."""
    for i, window in enumerate(pair):
        start = place[i] * window.dilation
        end = start + (counts[i] - 1) * window.stride + 1
        wide = wide.part(first + i, start, end, window.stride)
    return wide


def _dtype(x: Term) -> np.dtype:
    from lamina.dialects.core.dtypes import numpy_dtype

    return numpy_dtype(x.type.element_type)
