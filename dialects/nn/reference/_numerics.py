"""What references share about number formats: narrow floats compute in f32, integers wrap."""

from __future__ import annotations

from typing import Any

import numpy as np

_EXACT_IN_F64 = float(1 << 53)


def is_narrow_float(dtype: np.dtype) -> bool:
    """f16, and the types of ml_dtypes such as bf16 (whose NumPy kind is ``V``)."""
    return dtype.kind not in "biufc" or (dtype.kind == "f" and dtype.itemsize == 2)


def is_floating(dtype: np.dtype) -> bool:
    """Any floating-point dtype, bf16 included."""
    return dtype.kind == "f" or is_narrow_float(dtype)


def widened(array: np.ndarray) -> np.ndarray:
    """The array in the type that sums run in: f32 for narrower floats, else its own."""
    return array.astype(np.float32) if is_narrow_float(array.dtype) else array


def rounded(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The array in ``dtype``: floats round to nearest even, integers wrap."""
    with np.errstate(all="ignore"):
        return np.asarray(array).astype(dtype, copy=False)


def lowest(dtype: np.dtype) -> Any:
    """The value below (or equal to) all others: the identity of a maximum."""
    if dtype.kind == "b":
        return False
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def highest(dtype: np.dtype) -> Any:
    """The value above (or equal to) all others: the identity of a minimum."""
    if dtype.kind == "b":
        return True
    return np.iinfo(dtype).max if dtype.kind in "iu" else np.inf


def matmul(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``a @ b`` in the arrays' common dtype: narrow floats accumulate in f32, integers wrap.

    Integer products run through BLAS in f64 wherever no sum can pass 2^53, which is exact.
    """
    dtype = a.dtype
    with np.errstate(all="ignore"):
        if is_floating(dtype):
            return rounded(np.matmul(widened(a), widened(b)), dtype)
        bound = _magnitude(a) * _magnitude(b) * max(a.shape[-1], 1)
        if bound < _EXACT_IN_F64:
            product = np.matmul(a.astype(np.float64), b.astype(np.float64))
            return product.astype(np.int64).astype(dtype)
        return np.matmul(a, b).astype(dtype, copy=False)


def _magnitude(array: np.ndarray) -> float:
    """The largest absolute value of an integer array."""
    return max(abs(float(array.max())), abs(float(array.min()))) if array.size else 0.0
