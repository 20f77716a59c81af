"""Reference values of random numbers."""

from __future__ import annotations

import math

import numpy as np
from xdsl.dialects.builtin import TensorType

from lamina.dialects.core.dtypes import numpy_dtype
from lamina.dialects.nn.base import NnOp, reference
from lamina.dialects.nn.reference._threefry import threefry2x32

FRACTION_BITS = {"bfloat16": 8, "float16": 11, "float32": 24}
"""How many bits of a word make a fraction that is exact in a type."""


@reference("nn.rng_uniform")
def _(op: NnOp, key: np.ndarray) -> np.ndarray:
    dtype = _dtype(op)
    return _uniform(op.attribute("shape"), key, dtype, op.attribute("low"), op.attribute("high"))


def _uniform(shape: tuple[int, ...], key: np.ndarray, dtype: np.dtype, low: float, high: float) -> np.ndarray:
    a, b = _blocks(key, math.prod(shape))
    if dtype == np.float64:
        bits = (a >> np.uint32(5)).astype(np.float64) * 2.0**26 + (b >> np.uint32(6)).astype(np.float64)
        fraction = bits * 2.0**-53
    else:
        kept = FRACTION_BITS[dtype.name]
        fraction = (a >> np.uint32(32 - kept)).astype(np.float32) * np.float32(2.0**-kept)
    kind = fraction.dtype.type
    result = kind(low) + fraction * (kind(high) - kind(low))
    return result.astype(dtype).reshape(shape)


@reference("nn.rng_normal")
def _(op: NnOp, key: np.ndarray) -> np.ndarray:
    dtype = _dtype(op)
    kind = np.float64 if dtype == np.float64 else np.float32
    a, b = _blocks(key, math.prod(op.attribute("shape")))
    u = ((a >> np.uint32(8)).astype(kind) + kind(1)) * kind(2.0**-24)
    v = (b >> np.uint32(8)).astype(kind) * kind(2.0**-24)
    number = np.sqrt(kind(-2) * np.log(u)) * np.cos(v * kind(2 * math.pi))
    result = kind(op.attribute("mean")) + number * kind(op.attribute("stddev"))
    return result.astype(dtype).reshape(op.attribute("shape"))


@reference("nn.dropout")
def _(op: NnOp, x: np.ndarray, key: np.ndarray) -> np.ndarray:
    rate = op.attribute("rate")
    numbers = _uniform(x.shape, key, x.dtype, 0.0, 1.0)
    kept = x.dtype.type(1 - rate)
    return np.where(numbers >= x.dtype.type(rate), x / kept, x.dtype.type(0)).astype(x.dtype)


def _blocks(key: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    return threefry2x32(key, (np.arange(count, dtype=np.uint32), np.zeros(count, np.uint32)))


def _dtype(op: NnOp) -> np.dtype:
    kind = op.results[0].type
    assert isinstance(kind, TensorType)
    return numpy_dtype(kind.element_type)
