"""Reference values of reductions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from lamina.dialects.nn.base import NnOp, reference
from lamina.dialects.nn.reference._numerics import highest, is_floating, lowest, rounded, widened


def _reduce(op: NnOp, x: np.ndarray, function: Callable[..., Any], **arguments: Any) -> np.ndarray:
    """Apply a NumPy reduction over the op's axes, in the type that sums run in."""
    wide = widened(x)
    if "dtype" in arguments:
        arguments["dtype"] = wide.dtype
    with np.errstate(all="ignore"):
        result = function(wide, axis=_axes(op, x.ndim), keepdims=op.attribute("keepdims"), **arguments)
    return rounded(result, x.dtype)


def _axes(op: NnOp, rank: int) -> tuple[int, ...]:
    return tuple(axis % rank for axis in op.attribute("axes"))


@reference("nn.reduce_sum")
def _(op: NnOp, x: np.ndarray) -> np.ndarray:
    return _reduce(op, x, np.sum, dtype=None)


@reference("nn.reduce_prod")
def _(op: NnOp, x: np.ndarray) -> np.ndarray:
    return _reduce(op, x, np.prod, dtype=None)


@reference("nn.reduce_mean")
def _(op: NnOp, x: np.ndarray) -> np.ndarray:
    count = math.prod(x.shape[axis] for axis in _axes(op, x.ndim))
    wide = widened(x)
    with np.errstate(all="ignore"):
        total = np.sum(wide, axis=_axes(op, x.ndim), keepdims=op.attribute("keepdims"), dtype=wide.dtype)
        if is_floating(x.dtype):
            return rounded(total / np.asarray(count, wide.dtype), x.dtype)
        return rounded(divide_toward_zero(np.asarray(total), count) if count else total, x.dtype)


def divide_toward_zero(total: np.ndarray, count: int) -> np.ndarray:
    """Integers divided by a positive count, without passing through floats."""
    if total.dtype.kind == "u":
        return total.astype(np.uint64) // np.uint64(count)
    wide = total.astype(np.int64)
    quotient = wide // count
    return quotient + ((quotient < 0) & (quotient * count != wide))


@reference("nn.reduce_max")
def _(op: NnOp, x: np.ndarray) -> np.ndarray:
    return _reduce(op, x, np.max, initial=lowest(x.dtype))


@reference("nn.reduce_min")
def _(op: NnOp, x: np.ndarray) -> np.ndarray:
    return _reduce(op, x, np.min, initial=highest(x.dtype))


@reference("nn.reduce_and")
def _(op: NnOp, x: np.ndarray) -> np.ndarray:
    return _reduce(op, x, np.all)


@reference("nn.reduce_or")
def _(op: NnOp, x: np.ndarray) -> np.ndarray:
    return _reduce(op, x, np.any)


@reference("nn.argmax", "nn.argmin")
def _(op: NnOp, x: np.ndarray) -> np.ndarray:
    find = np.argmax if op.name == "nn.argmax" else np.argmin
    axis = op.attribute("axis") % x.ndim
    x = widened(x)
    if op.attribute("select_last_index"):
        found = x.shape[axis] - 1 - find(np.flip(x, axis), axis=axis, keepdims=op.attribute("keepdims"))
    else:
        found = find(x, axis=axis, keepdims=op.attribute("keepdims"))
    return np.asarray(found, np.int64)
