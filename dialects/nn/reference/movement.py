"""Reference values of data movement. Results may be views of the operands."""

from __future__ import annotations

from typing import Any

import numpy as np

from lamina.dialects.nn.base import NnOp, reference
from lamina.dialects.nn.shapes.movement import broadcast_extents, slice_range


@reference("nn.reshape")
def _(op: NnOp, x: np.ndarray) -> np.ndarray:
    return x.reshape(op.attribute("shape"))


@reference("nn.transpose")
def _(op: NnOp, x: np.ndarray) -> np.ndarray:
    return x.transpose(op.attribute("permutation"))


@reference("nn.concat")
def _(op: NnOp, *inputs: np.ndarray) -> np.ndarray:
    return np.concatenate(inputs, axis=op.attribute("axis"))


@reference("nn.slice")
def _(op: NnOp, x: np.ndarray) -> np.ndarray:
    bounds = zip(op.attribute("starts"), op.attribute("ends"), op.attribute("steps"), x.shape, strict=True)
    return x[tuple(_python_slice(*bound) for bound in bounds)]


def _python_slice(start: int, end: int, step: int, extent: int) -> slice:
    """The Python slice that takes the elements of an ONNX slice."""
    first, count = slice_range(start, end, step, extent)
    if count == 0:
        return slice(0, 0)
    stop = first + count * step
    return slice(first, stop if stop >= 0 else None, step)


@reference("nn.pad")
def _(op: NnOp, x: np.ndarray) -> np.ndarray:
    widths = list(zip(op.attribute("low"), op.attribute("high"), strict=True))
    mode = op.attribute("mode")
    if mode != "constant":
        return np.pad(x, widths, mode=mode)
    shape = [extent + low + high for extent, (low, high) in zip(x.shape, widths, strict=True)]
    padded = np.full(shape, fill_value(op, x.dtype), x.dtype)
    padded[tuple(slice(low, low + extent) for extent, (low, _) in zip(x.shape, widths, strict=True))] = x
    return padded


def fill_value(op: NnOp, dtype: np.dtype) -> Any:
    """What a constant ``nn.pad`` adds, as a NumPy scalar of ``dtype``."""
    with np.errstate(all="ignore"):
        return np.asarray(op.attribute("value", 0)).astype(dtype)[()]


@reference("nn.split")
def _(op: NnOp, x: np.ndarray) -> tuple[np.ndarray, ...]:
    ends = np.cumsum(op.attribute("sizes"))
    return tuple(np.split(x, ends[:-1], axis=op.attribute("axis"))) if len(ends) else ()


@reference("nn.gather")
def _(op: NnOp, data: np.ndarray, indices: np.ndarray) -> np.ndarray:
    extent = data.shape[op.attribute("axis")]
    wanted = (
        indices.astype(np.int64)
        if indices.dtype != np.uint64
        else np.minimum(indices, extent).astype(np.int64)
    )
    wanted = np.where(wanted < 0, wanted + extent, wanted)
    return np.take(data, np.clip(wanted, 0, max(extent - 1, 0)), axis=op.attribute("axis"))


@reference("nn.broadcast_to")
def _(op: NnOp, x: np.ndarray) -> np.ndarray:
    return np.broadcast_to(x, broadcast_extents(x.shape, op.attribute("shape")))


@reference("nn.squeeze")
def _(op: NnOp, x: np.ndarray) -> np.ndarray:
    return np.squeeze(x, axis=op.attribute("axes"))


@reference("nn.unsqueeze")
def _(op: NnOp, x: np.ndarray) -> np.ndarray:
    return np.expand_dims(x, axis=op.attribute("axes"))


@reference("nn.tile")
def _(op: NnOp, x: np.ndarray) -> np.ndarray:
    return np.tile(x, op.attribute("repeats"))
