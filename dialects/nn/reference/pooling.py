"""Reference values of pooling: one pass over the whole image per place in the window."""

from __future__ import annotations

import numpy as np

from lamina.dialects.nn.base import reference
from lamina.dialects.nn.pooling import AvgPool2dOp, MaxPool2dOp
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
