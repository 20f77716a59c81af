"""Reference values of ops that exist for derivatives."""

from __future__ import annotations

import numpy as np

from lamina.dialects.nn.base import NnOp, reference
from lamina.dialects.nn.reference._numerics import rounded, widened


@reference("nn.stop_gradient")
def _(op: NnOp, x: np.ndarray) -> np.ndarray:
    return x


@reference("nn.sum_to")
def _(op: NnOp, x: np.ndarray, like: np.ndarray) -> np.ndarray:
    added = x.ndim - like.ndim
    axes = [i for i, n in enumerate(x.shape) if i < added or (like.shape[i - added] == 1 and n != 1)]
    return rounded(widened(x).sum(axis=tuple(axes), dtype=widened(x).dtype).reshape(like.shape), x.dtype)
