"""Reference values of convolutions: windows gathered into columns, then one matrix product."""

from __future__ import annotations

import numpy as np

from lamina.dialects.nn.base import reference
from lamina.dialects.nn.convolution import Conv2dOp
from lamina.dialects.nn.reference._numerics import is_floating, matmul, rounded, widened
from lamina.dialects.nn.reference._taps import Size, pad_windows, tap
from lamina.dialects.nn.shapes._windows import Window, channels_last, windows


@reference("nn.conv2d")
def _(op: Conv2dOp, x: np.ndarray, w: np.ndarray, bias: np.ndarray | None = None) -> np.ndarray:
    nhwc = channels_last(op)
    rows, columns = windows(op, w.shape[:2] if nhwc else w.shape[2:])
    with np.errstate(all="ignore"):
        convolve = convolve_nhwc if nhwc else convolve_nchw
        result = convolve(widened(x), widened(w), rows, columns, op.attribute("groups"))
        if bias is not None:
            result += widened(bias) if nhwc else widened(bias).reshape(-1, 1, 1)
    return rounded(result, x.dtype)


def convolve_nchw(x: np.ndarray, w: np.ndarray, rows: Window, columns: Window, groups: int) -> np.ndarray:
    """The cross-correlation of x ``[N, C, H, W]`` with w ``[O, C/G, KH, KW]``, in their own dtype."""
    n, channels, height, width = x.shape
    filters, depth = w.shape[:2]
    size = (rows.count(height, "rows"), columns.count(width, "columns"))
    if depth == 1 and groups == channels and is_floating(x.dtype):
        return _depthwise(x, 2, w[:, 0].transpose(1, 2, 0)[..., None, None], rows, columns, size)
    places = rows.size * columns.size
    if places == 1 and size == (height, width) and not (rows.low or columns.low):
        taps = x
    else:
        padded = pad_windows(x, 2, rows, columns, size, 0)
        taps = np.empty((n, channels, rows.size, columns.size, *size), x.dtype)
        for i, j in np.ndindex(rows.size, columns.size):
            taps[:, :, i, j] = tap(padded, 2, rows, columns, size, i, j)
    taps = taps.reshape(n, groups, depth * places, size[0] * size[1])
    return matmul(w.reshape(groups, filters // groups, depth * places), taps).reshape(n, filters, *size)


def convolve_nhwc(x: np.ndarray, w: np.ndarray, rows: Window, columns: Window, groups: int) -> np.ndarray:
    """The cross-correlation of x ``[N, H, W, C]`` with w ``[KH, KW, C/G, O]``, in their own dtype."""
    n, height, width, channels = x.shape
    depth, filters = w.shape[2:]
    size = (rows.count(height, "rows"), columns.count(width, "columns"))
    if depth == 1 and groups == channels and is_floating(x.dtype):
        return _depthwise(x, 1, w[:, :, 0], rows, columns, size)
    if groups != 1:
        swapped = convolve_nchw(x.transpose(0, 3, 1, 2), w.transpose(3, 2, 0, 1), rows, columns, groups)
        return np.ascontiguousarray(swapped.transpose(0, 2, 3, 1))
    places = rows.size * columns.size
    if places == 1 and size == (height, width) and not (rows.low or columns.low):
        taps = x
    else:
        padded = pad_windows(x, 1, rows, columns, size, 0)
        taps = np.empty((n, *size, rows.size, columns.size, channels), x.dtype)
        for i, j in np.ndindex(rows.size, columns.size):
            taps[:, :, :, i, j] = tap(padded, 1, rows, columns, size, i, j)
    taps = taps.reshape(n * size[0] * size[1], places * channels)
    return matmul(taps, w.reshape(places * channels, filters)).reshape(n, *size, filters)


def _depthwise(
    x: np.ndarray, axis: int, w: np.ndarray, rows: Window, columns: Window, size: Size
) -> np.ndarray:
    """One input channel a group: a sum over taps of scaled shifted images.

    ``w[i, j]`` broadcasts against an image whose height is dimension ``axis``.
    """
    channel_axis = 1 if axis == 2 else 3
    repeat = max(w.shape[2:]) // x.shape[channel_axis] if x.shape[channel_axis] else 1
    padded = pad_windows(x, axis, rows, columns, size, 0)
    if repeat != 1:
        padded = np.repeat(padded, repeat, axis=channel_axis)
    result = tap(padded, axis, rows, columns, size, 0, 0) * w[0, 0]
    for i, j in np.ndindex(rows.size, columns.size):
        if i or j:
            result += tap(padded, axis, rows, columns, size, i, j) * w[i, j]
    return result
