"""Reference values of operations whose bounds are values."""

from __future__ import annotations

import numpy as np

from lamina.dialects.nn.base import NnOp, reference
from lamina.dialects.nn.shapes.dynamic_index import arange_count
from lamina.dialects.nn.shapes.movement import slice_range


@reference("nn.dynamic_slice")
def _(op: NnOp, x: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    for axis, start, end, step in zip(op.attribute("axes"), starts, ends, op.attribute("steps"), strict=True):
        first, count = slice_range(int(start), int(end), step, x.shape[axis])
        x = np.take(x, first + np.arange(count) * step, axis)
    return x


@reference("nn.arange")
def _(op: NnOp, start: np.ndarray, limit: np.ndarray, step: np.ndarray) -> np.ndarray:
    count = arange_count(start, limit, step)
    wide = np.int64 if start.dtype.kind in "iu" else np.float64
    return (start.astype(wide) + np.arange(count) * step.astype(wide)).astype(start.dtype)
