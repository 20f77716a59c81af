"""Reference values of convolutions: windows gathered into columns, then one matrix product."""

from __future__ import annotations

import numpy as np

from lamina.dialects.nn.base import reference
from lamina.dialects.nn.convolution import Conv2dOp
from lamina.dialects.nn.reference._numerics import is_floating, matmul, rounded, widened
from lamina.dialects.nn.shapes._windows import Window, channels_last, windows


@reference("nn.conv2d")
def _(op: Conv2dOp, x: np.ndarray, w: np.ndarray, bias: np.ndarray | None = None) -> np.ndarray:
    dtype = x.dtype
    nhwc = channels_last(op)
    if nhwc:
        x, w = x.transpose(0, 3, 1, 2), w.transpose(3, 2, 0, 1)
    rows, columns = windows(op, (w.shape[2], w.shape[3]))
    with np.errstate(all="ignore"):
        result = convolve(widened(x), widened(w), rows, columns, op.attribute("groups"))
        if bias is not None:
            result += widened(bias).reshape(1, -1, 1, 1)
    return rounded(np.ascontiguousarray(result.transpose(0, 2, 3, 1)) if nhwc else result, dtype)


def convolve(x: np.ndarray, w: np.ndarray, rows: Window, columns: Window, groups: int) -> np.ndarray:
    """The cross-correlation of x ``[N, C, H, W]`` with w ``[O, C/G, KH, KW]``, in their own dtype."""
    n, channels, height, width = x.shape
    filters, depth = w.shape[:2]
    size = (rows.count(height, "rows"), columns.count(width, "columns"))
    if depth == 1 and groups == channels and is_floating(x.dtype):
        return _depthwise(x, w, rows, columns, size)
    taps = _columns(x, rows, columns, size).reshape(
        n, groups, depth * rows.size * columns.size, size[0] * size[1]
    )
    kernel = w.reshape(groups, filters // groups, depth * rows.size * columns.size)
    return matmul(kernel, taps).reshape(n, filters, *size)


def _columns(x: np.ndarray, rows: Window, columns: Window, size: tuple[int, int]) -> np.ndarray:
    """The windows of x as ``[N, C, KH, KW, OH, OW]``."""
    if rows.size == columns.size == 1 and size == x.shape[2:]:
        return x
    padded = pad_windows(x, rows, columns, size, 0)
    taps = np.empty((*x.shape[:2], rows.size, columns.size, *size), x.dtype)
    for i in range(rows.size):
        for j in range(columns.size):
            taps[:, :, i, j] = tap(padded, rows, columns, size, i, j)
    return taps


def _depthwise(
    x: np.ndarray, w: np.ndarray, rows: Window, columns: Window, size: tuple[int, int]
) -> np.ndarray:
    """One input channel a group: a sum over taps of scaled shifted images."""
    repeat = w.shape[0] // x.shape[1] if x.shape[1] else 1
    padded = pad_windows(x, rows, columns, size, 0)
    if repeat != 1:
        padded = np.repeat(padded, repeat, axis=1)
    result = np.zeros((x.shape[0], w.shape[0], *size), x.dtype)
    for i in range(rows.size):
        for j in range(columns.size):
            result += tap(padded, rows, columns, size, i, j) * w[None, :, 0, i, j, None, None]
    return result


def pad_windows(
    x: np.ndarray, rows: Window, columns: Window, size: tuple[int, int], value: float
) -> np.ndarray:
    """x ``[N, C, H, W]`` with ``value`` wherever the windows reach outside it."""
    height, width = x.shape[2:]
    after = [
        max(w.needed(n) - w.low - e, 0)
        for w, n, e in zip((rows, columns), size, (height, width), strict=True)
    ]
    if not (rows.low or columns.low or any(after)):
        return x
    padded = np.full(
        (*x.shape[:2], rows.low + height + after[0], columns.low + width + after[1]), value, x.dtype
    )
    padded[:, :, rows.low : rows.low + height, columns.low : columns.low + width] = x
    return padded


def tap(
    padded: np.ndarray, rows: Window, columns: Window, size: tuple[int, int], i: int, j: int
) -> np.ndarray:
    """The elements at place (i, j) of every window: a strided view ``[N, C, OH, OW]``."""
    top, left = i * rows.dilation, j * columns.dilation
    return padded[
        :,
        :,
        top : top + size[0] * rows.stride : rows.stride,
        left : left + size[1] * columns.stride : columns.stride,
    ]
