"""Reference values of operations whose shapes are values."""

from __future__ import annotations

import numpy as np

from lamina.dialects.nn.base import NnOp, reference
from lamina.dialects.nn.shapes.dynamic import requested_shape


@reference("nn.shape_of")
def _(op: NnOp, x: np.ndarray) -> np.ndarray:
    return np.array(x.shape, np.int64)


@reference("nn.dynamic_reshape")
def _(op: NnOp, x: np.ndarray, shape: np.ndarray) -> np.ndarray:
    return x.reshape(requested_shape(shape.tolist(), x.shape, op.attribute("allowzero")))


@reference("nn.dynamic_broadcast_to")
def _(op: NnOp, x: np.ndarray, shape: np.ndarray) -> np.ndarray:
    return np.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(shape.tolist())))
