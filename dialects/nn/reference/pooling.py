"""Reference values of pooling: one pass over the whole image per place in the window."""

from __future__ import annotations

import numpy as np

from lamina.dialects.nn.base import reference
from lamina.dialects.nn.pooling import AvgPool2dOp, MaxPool2dOp
from lamina.dialects.nn.reference._numerics import lowest, rounded, widened
from lamina.dialects.nn.reference.convolution import pad_windows, tap
from lamina.dialects.nn.shapes._windows import Window, channels_last
from lamina.dialects.nn.shapes.pooling import pool_windows


@reference("nn.max_pool2d")
def _(op: MaxPool2dOp, x: np.ndarray) -> np.ndarray:
    dtype = x.dtype
    images, rows, columns, size = _images(op, x)
    padded = pad_windows(images, rows, columns, size, lowest(images.dtype))
    result = np.full((*images.shape[:2], *size), lowest(images.dtype), images.dtype)
    with np.errstate(all="ignore"):
        for i in range(rows.size):
            for j in range(columns.size):
                np.maximum(result, tap(padded, rows, columns, size, i, j), out=result)
    return rounded(_in_layout(op, result), dtype)


@reference("nn.avg_pool2d")
def _(op: AvgPool2dOp, x: np.ndarray) -> np.ndarray:
    dtype = x.dtype
    images, rows, columns, size = _images(op, x)
    padded = pad_windows(images, rows, columns, size, 0)
    total = np.zeros((*images.shape[:2], *size), images.dtype)
    include = op.attribute("count_include_pad")
    with np.errstate(all="ignore"):
        for i in range(rows.size):
            for j in range(columns.size):
                total += tap(padded, rows, columns, size, i, j)
        counts = [
            places(w, n, extent, include)
            for w, n, extent in zip((rows, columns), size, images.shape[2:], strict=True)
        ]
        total /= np.multiply.outer(*counts).astype(images.dtype)
    return rounded(_in_layout(op, total), dtype)


def places(window: Window, count: int, extent: int, include_padding: bool) -> np.ndarray:
    """How many places of each of ``count`` windows lie in the input, or in the padded input."""
    starts = np.arange(count)[:, None] * window.stride - window.low
    positions = starts + np.arange(window.size) * window.dilation
    low, high = (-window.low, extent + window.high) if include_padding else (0, extent)
    return ((positions >= low) & (positions < high)).sum(axis=1)


def _images(
    op: MaxPool2dOp | AvgPool2dOp, x: np.ndarray
) -> tuple[np.ndarray, Window, Window, tuple[int, int]]:
    """x as ``[N, C, H, W]`` in the type to compute in, the windows, and the result's height and width."""
    images = widened(x.transpose(0, 3, 1, 2) if channels_last(op) else x)
    rows, columns = pool_windows(op)
    size = (rows.count(images.shape[2], "rows"), columns.count(images.shape[3], "columns"))
    return images, rows, columns, size


def _in_layout(op: MaxPool2dOp | AvgPool2dOp, result: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(result.transpose(0, 2, 3, 1)) if channels_last(op) else result
