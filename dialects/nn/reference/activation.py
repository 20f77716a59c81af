"""References of activation functions."""

from __future__ import annotations

import numpy as np

from lamina.dialects.nn.base import NnOp
from lamina.dialects.nn.reference._numeric import double, is_float, numeric, single


@numeric("nn.relu")
def relu(op: NnOp, x: np.ndarray) -> np.ndarray:
    """The sum with +0.0 makes -0.0 positive whatever NumPy's maximum returns for equal operands."""
    (x,) = single(x)
    result = np.maximum(x, x.dtype.type(0))
    return result + x.dtype.type(0) if is_float(x) else result


def logistic(x: np.ndarray) -> np.ndarray:
    """The logistic function of f64 values, from an exponential that does not overflow."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))


@numeric("nn.sigmoid")
def sigmoid(op: NnOp, x: np.ndarray) -> np.ndarray:
    return logistic(double(x))
