"""Reference values of reading and writing at places that are values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lamina.dialects.nn.base import NnOp, reference
from lamina.dialects.nn.reference._numerics import rounded, widened


@reference("nn.gather_nd")
def _(op: NnOp, data: np.ndarray, indices: np.ndarray) -> np.ndarray:
    count, sizes = op.attribute("batch_dims"), op.attribute("sizes")
    extents = data.shape[count:]
    starts = _starts(indices, op.attribute("axes"), len(extents))
    limits = [extent - size for extent, size in zip(extents, sizes, strict=True)]
    held = [np.clip(start, 0, limit) for start, limit in zip(starts, limits, strict=True)]
    return data[_index(held, sizes, count)]


@reference("nn.scatter_nd")
def _(op: NnOp, data: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
    count = op.attribute("batch_dims")
    extents = data.shape[count:]
    sizes = updates.shape[updates.ndim - len(extents) :]
    starts = _starts(indices, op.attribute("axes"), len(extents))
    inside = np.ones(indices.shape[:-1], np.bool_)
    for start, size, extent in zip(starts, sizes, extents, strict=True):
        inside &= (start >= 0) & (start <= extent - size)
    index = _index([np.where(inside, start, 0) for start in starts], sizes, count)
    kept = inside.reshape(*inside.shape, *[1] * len(extents)) & np.ones(updates.shape, np.bool_)
    places = tuple(np.broadcast_to(part, updates.shape)[kept] for part in index)
    result = widened(data).copy()
    if op.attribute("mode") == "set":
        result[places] = widened(updates)[kept]
    else:
        _COMBINE[op.attribute("mode")].at(result, places, widened(updates)[kept])
    return rounded(result, data.dtype)


_COMBINE: dict[str, Any] = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


def _starts(indices: np.ndarray, axes: Sequence[int], rank: int) -> list[np.ndarray]:
    """For each dimension behind the batches, where the parts begin: ``[B…, I…]``."""
    wide = np.minimum(indices, np.iinfo(np.int64).max) if indices.dtype == np.uint64 else indices
    wide = wide.astype(np.int64)
    zeros = np.zeros(indices.shape[:-1], np.int64)
    return [wide[..., list(axes).index(d)] if d in axes else zeros for d in range(rank)]


def _index(starts: Sequence[np.ndarray], sizes: Sequence[int], batch_dims: int) -> tuple[np.ndarray, ...]:
    """The indices of every element of every part, in NumPy's form; each broadcasts to ``[B…, I…, s…]``."""
    rank, places = len(sizes), starts[0].ndim if starts else 0
    batches = [
        np.arange(starts[0].shape[b]).reshape([-1 if i == b else 1 for i in range(places + rank)])
        for b in range(batch_dims)
    ]
    parts = [
        start.reshape(*start.shape, *[1] * rank)
        + np.arange(size).reshape([-1 if i == d else 1 for i in range(rank)])
        for d, (start, size) in enumerate(zip(starts, sizes, strict=True))
    ]
    return (*batches, *parts)
