"""Reference values of sorting and of cumulative operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from lamina.dialects.nn.base import NnOp, reference
from lamina.dialects.nn.reference._numerics import is_floating, rounded, widened


@reference("nn.sort")
def _(op: NnOp, x: np.ndarray) -> np.ndarray:
    return np.take_along_axis(x, order(op, x), op.attribute("axis"))


@reference("nn.argsort")
def _(op: NnOp, x: np.ndarray) -> np.ndarray:
    return order(op, x)


def order(op: NnOp, x: np.ndarray) -> np.ndarray:
    """The stable order of elements along the axis of an op; NaN counts as the largest."""
    axis = op.attribute("axis")
    if not op.attribute("descending"):
        return np.argsort(widened(x), axis=axis, kind="stable").astype(np.int64)
    # Sorting backwards what stands backwards leaves equal elements in their order.
    backwards = np.flip(widened(x), axis)
    rising = np.argsort(backwards, axis=axis, kind="stable")
    return (x.shape[axis] - 1 - np.flip(rising, axis)).astype(np.int64)


_ACCUMULATE: dict[str, Any] = {
    "nn.cumsum": np.add,
    "nn.cumprod": np.multiply,
    "nn.cummax": np.maximum,
    "nn.cummin": np.minimum,
}


@reference(*_ACCUMULATE)
def _(op: NnOp, x: np.ndarray) -> np.ndarray:
    axis = op.attribute("axis")
    wide = widened(x) if is_floating(x.dtype) else x
    wide = np.flip(wide, axis) if op.attribute("reverse") else wide
    with np.errstate(all="ignore"):
        result = _ACCUMULATE[op.name].accumulate(wide, axis=axis, dtype=wide.dtype)
    return rounded(np.flip(result, axis) if op.attribute("reverse") else result, x.dtype)
