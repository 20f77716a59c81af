"""Sliding windows as strided views: the elements at one place of every window."""

from __future__ import annotations

import numpy as np

from lamina.dialects.nn.shapes._windows import Window

Size = tuple[int, int]
"""How many windows there are along height and width."""


def pad_windows(
    x: np.ndarray, axis: int, rows: Window, columns: Window, size: Size, value: float
) -> np.ndarray:
    """x with ``value`` wherever the windows reach outside it; height is dimension ``axis``, width follows."""
    height, width = x.shape[axis : axis + 2]
    low = (rows.low, columns.low)
    needed = (rows.needed(size[0]), columns.needed(size[1]))
    high = [max(n - b - e, 0) for n, b, e in zip(needed, low, (height, width), strict=True)]
    if not any((*low, *high)):
        return x
    shape = list(x.shape)
    shape[axis : axis + 2] = low[0] + height + high[0], low[1] + width + high[1]
    padded = np.full(shape, value, x.dtype)
    padded[(*[slice(None)] * axis, slice(low[0], low[0] + height), slice(low[1], low[1] + width))] = x
    return padded


def tap(
    padded: np.ndarray, axis: int, rows: Window, columns: Window, size: Size, i: int, j: int
) -> np.ndarray:
    """The elements at place (i, j) of every window."""
    top, left = i * rows.dilation, j * columns.dilation
    return padded[
        (
            *[slice(None)] * axis,
            slice(top, top + size[0] * rows.stride, rows.stride),
            slice(left, left + size[1] * columns.stride, columns.stride),
        )
    ]
