"""Reference values of matrix products."""

from __future__ import annotations

import numpy as np

from lamina.dialects.nn.base import reference
from lamina.dialects.nn.linear import MatmulOp
from lamina.dialects.nn.reference._numerics import matmul


@reference("nn.matmul")
def _(op: MatmulOp, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return matmul(a, b)
