"""Reference values of pooling: one pass over the whole image per place in the window."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lamina.dialects.nn.base import reference
from lamina.dialects.nn.pooling import AvgPool2dGradientOp, AvgPool2dOp, MaxPool2dGradientOp, MaxPool2dOp
from lamina.dialects.nn.reference._numerics import lowest, rounded, widened
from lamina.dialects.nn.reference._taps import pad_windows, tap
from lamina.dialects.nn.shapes._windows import Window, channels_last
from lamina.dialects.nn.shapes.pooling import pool_windows


@reference("nn.max_pool2d")
def _(op: MaxPool2dOp, x: np.ndarray) -> np.ndarray:
    images, axis = widened(x), _height_axis(op)
    rows, columns, size = _windows(op, images)
    padded = pad_windows(images, axis, rows, columns, size, lowest(images.dtype))
    with np.errstate(all="ignore"):
        result = tap(padded, axis, rows, columns, size, 0, 0).copy()
        for i, j in np.ndindex(rows.size, columns.size):
            np.maximum(result, tap(padded, axis, rows, columns, size, i, j), out=result)
    return rounded(result, x.dtype)


@reference("nn.avg_pool2d")
def _(op: AvgPool2dOp, x: np.ndarray) -> np.ndarray:
    images, axis = widened(x), _height_axis(op)
    rows, columns, size = _windows(op, images)
    padded = pad_windows(images, axis, rows, columns, size, 0)
    with np.errstate(all="ignore"):
        total = np.zeros_like(tap(padded, axis, rows, columns, size, 0, 0))
        for i, j in np.ndindex(rows.size, columns.size):
            total += tap(padded, axis, rows, columns, size, i, j)
        height, width = images.shape[axis : axis + 2]
        include = op.attribute("count_include_pad")
        counts = np.multiply.outer(
            places(rows, size[0], height, include), places(columns, size[1], width, include)
        )
        total /= counts.astype(images.dtype).reshape(counts.shape + (1,) * (2 - axis))
    return rounded(total, x.dtype)


def places(window: Window, count: int, extent: int, include_padding: bool) -> np.ndarray:
    """How many places of each of ``count`` windows lie in the input, or in the padded input."""
    starts = np.arange(count)[:, None] * window.stride - window.low
    positions = starts + np.arange(window.size) * window.dilation
    low, high = (-window.low, extent + window.high) if include_padding else (0, extent)
    return ((positions >= low) & (positions < high)).sum(axis=1)


def _height_axis(op: MaxPool2dOp | AvgPool2dOp) -> int:
    return 1 if channels_last(op) else 2


def _windows(op: MaxPool2dOp | AvgPool2dOp, images: np.ndarray) -> tuple[Window, Window, tuple[int, int]]:
    """The windows along height and width, and how many there are."""
    rows, columns = pool_windows(op)
    height, width = images.shape[_height_axis(op) :][:2]
    return rows, columns, (rows.count(height, "rows"), columns.count(width, "columns"))


@reference("nn.max_pool2d_gradient")
def _(op: MaxPool2dGradientOp, x: np.ndarray, grad: np.ndarray) -> np.ndarray:
    axis = 1 if channels_last(op) else 2
    images, grads = widened(x), widened(grad)
    rows, columns = pool_windows(op)
    size = (grads.shape[axis], grads.shape[axis + 1])
    padded = pad_windows(images, axis, rows, columns, size, lowest(images.dtype))
    taps = [(i, j) for i in range(rows.size) for j in range(columns.size)]
    largest = np.maximum.reduce([tap(padded, axis, rows, columns, size, i, j) for i, j in taps])
    result = np.zeros_like(padded)
    open_ = np.ones(grads.shape, bool)
    for i, j in taps:
        chosen = open_ & (tap(padded, axis, rows, columns, size, i, j) == largest)
        tap(result, axis, rows, columns, size, i, j)[...] += np.where(chosen, grads, 0)
        open_ &= ~chosen
    return rounded(_inside(result, axis, rows, columns, x.shape[axis : axis + 2]), x.dtype)


@reference("nn.avg_pool2d_gradient")
def _(op: AvgPool2dGradientOp, grad: np.ndarray) -> np.ndarray:
    axis = 1 if channels_last(op) else 2
    grads = widened(grad)
    rows, columns = pool_windows(op)
    height, width = op.attribute("size")
    size = (grads.shape[axis], grads.shape[axis + 1])
    include = op.attribute("count_include_pad")
    counts = np.multiply.outer(
        places(rows, size[0], height, include), places(columns, size[1], width, include)
    )
    shares = grads / counts.astype(grads.dtype).reshape(counts.shape + (1,) * (2 - axis))
    shape = (*grads.shape[:axis], height, width, *grads.shape[axis + 2 :])
    result = pad_windows(np.zeros(shape, grads.dtype), axis, rows, columns, size, 0)
    for i, j in np.ndindex(rows.size, columns.size):
        tap(result, axis, rows, columns, size, i, j)[...] += shares
    return rounded(_inside(result, axis, rows, columns, (height, width)), grad.dtype)


def _inside(padded: np.ndarray, axis: int, rows: Window, columns: Window, size: Sequence[int]) -> np.ndarray:
    """An image without its padding."""
    height = slice(rows.low, rows.low + size[0])
    width = slice(columns.low, columns.low + size[1])
    return np.ascontiguousarray(padded[(*[slice(None)] * axis, height, width)])
