"""Reference values of normalisations."""

from __future__ import annotations

import numpy as np

from lamina.dialects.nn.base import NnOp, reference
from lamina.dialects.nn.reference._numerics import rounded, widened


@reference("nn.batch_norm")
def _(
    op: NnOp, x: np.ndarray, scale: np.ndarray, bias: np.ndarray, mean: np.ndarray, variance: np.ndarray
) -> np.ndarray:
    shape = [1] * x.ndim
    shape[op.attribute("axis")] = -1
    scale, bias, mean, variance = (widened(p).reshape(shape) for p in (scale, bias, mean, variance))
    epsilon = np.asarray(op.attribute("epsilon"), variance.dtype)
    with np.errstate(all="ignore"):
        result = (widened(x) - mean) / np.sqrt(variance + epsilon) * scale + bias
    return rounded(result, x.dtype)


@reference("nn.layer_norm")
def _(op: NnOp, x: np.ndarray, scale: np.ndarray, bias: np.ndarray | None = None) -> np.ndarray:
    axes = tuple(range(op.attribute("axis") % x.ndim, x.ndim))
    wide = widened(x)
    epsilon = np.asarray(op.attribute("epsilon"), wide.dtype)
    if x.size == 0:
        return x
    with np.errstate(all="ignore"):
        centred = wide - wide.mean(axis=axes, keepdims=True)
        variance = np.square(centred).mean(axis=axes, keepdims=True)
        result = centred / np.sqrt(variance + epsilon) * widened(scale)
        if bias is not None:
            result += widened(bias)
    return rounded(result, x.dtype)
