"""Reference values of convolutions: windows gathered into columns, then one matrix product."""

from __future__ import annotations

import numpy as np

from lamina.dialects.nn.base import reference
from lamina.dialects.nn.convolution import Conv2dFilterGradientOp, Conv2dOp, ConvTranspose2dOp
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


@reference("nn.conv_transpose2d")
def _(op: ConvTranspose2dOp, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    last, groups = channels_last(op), op.attribute("groups")
    images, filters = widened(x), widened(w)
    if not last:
        images, filters = images.transpose(0, 2, 3, 1), filters.transpose(2, 3, 1, 0)
    rows, columns = windows(op, filters.shape[:2])
    n, *places, _ = images.shape
    images = images.reshape(n, *places, groups, -1)
    filters = filters.reshape(*filters.shape[:3], groups, -1)
    size, depth = op.attribute("size"), filters.shape[2]
    needed = [max(w.needed(c), e + w.low) for w, c, e in zip((rows, columns), places, size, strict=True)]
    padded = np.zeros((n, *needed, groups * depth), images.dtype)
    for i, j in np.ndindex(rows.size, columns.size):
        part = np.einsum("nhwgo,cgo->nhwgc", images, filters[i, j]).reshape(n, *places, -1)
        tap(padded, 1, rows, columns, (places[0], places[1]), i, j)[...] += part
    result = padded[:, rows.low : rows.low + size[0], columns.low : columns.low + size[1]]
    return rounded(np.ascontiguousarray(result if last else result.transpose(0, 3, 1, 2)), x.dtype)


@reference("nn.conv2d_filter_gradient")
def _(op: Conv2dFilterGradientOp, x: np.ndarray, grad: np.ndarray) -> np.ndarray:
    last, groups = channels_last(op), op.attribute("groups")
    images, grads = widened(x), widened(grad)
    if not last:
        images, grads = images.transpose(0, 2, 3, 1), grads.transpose(0, 2, 3, 1)
    rows, columns = windows(op, op.attribute("kernel"))
    n, height, width, filters = grads.shape
    padded = pad_windows(images, 1, rows, columns, (height, width), 0)
    grads = grads.reshape(n, height, width, groups, -1)
    depth = images.shape[3] // groups
    result = np.empty((rows.size, columns.size, depth, filters), images.dtype)
    for i, j in np.ndindex(rows.size, columns.size):
        taps = tap(padded, 1, rows, columns, (height, width), i, j).reshape(n, height, width, groups, depth)
        result[i, j] = np.einsum("nhwgc,nhwgo->cgo", taps, grads, optimize=True).reshape(depth, filters)
    return rounded(np.ascontiguousarray(result if last else result.transpose(3, 2, 0, 1)), x.dtype)
