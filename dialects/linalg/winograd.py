"""Winograd's convolution F(m x m, 3 x 3): its matrices, and the three transforms on arrays.

A tile of ``m x m`` results of a 3 x 3 convolution is ``A^T [(G g G^T) * (B^T d B)] A`` for the filter ``g``
and the ``m + 2`` squared inputs ``d`` under it (Lavin and Gray, *Fast Algorithms for Convolutional Neural
Networks*, 2015). It takes ``(m + 2)^2`` products in place of ``9 m^2``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Operation, SSAValue

from lamina.dialects.core.ods.classes import class_of

KERNEL = 3
"""The extent of the filters."""


@dataclass(frozen=True)
class Winograd:
    """The matrices for tiles of one size."""

    m: int
    number: int
    """The value of upstream's attribute ``fmr``."""
    input: tuple[tuple[float, ...], ...]
    """B^T: from the inputs of a tile."""
    filter: tuple[tuple[float, ...], ...]
    """G."""
    output: tuple[tuple[float, ...], ...]
    """A^T: to the results of a tile."""

    @property
    def alpha(self) -> int:
        """The extent of a tile's inputs."""
        return self.m + KERNEL - 1


F2 = Winograd(
    m=2,
    number=0,
    input=((1, 0, -1, 0), (0, 1, 1, 0), (0, -1, 1, 0), (0, -1, 0, 1)),
    filter=((1, 0, 0), (0.5, 0.5, 0.5), (0.5, -0.5, 0.5), (0, 0, 1)),
    output=((1, 1, 1, 0), (0, 1, -1, 1)),
)
"""From the points 0, 1, -1 and infinity."""

F4 = Winograd(
    m=4,
    number=1,
    input=(
        (4, 0, -5, 0, 1, 0),
        (0, -4, -4, 1, 1, 0),
        (0, 4, -4, -1, 1, 0),
        (0, -2, -1, 2, 1, 0),
        (0, 2, -1, -2, 1, 0),
        (0, 4, 0, -5, 0, 1),
    ),
    filter=(
        (1 / 4, 0, 0),
        (-1 / 6, -1 / 6, -1 / 6),
        (-1 / 6, 1 / 6, -1 / 6),
        (1 / 24, 1 / 12, 1 / 6),
        (1 / 24, -1 / 12, 1 / 6),
        (0, 0, 1),
    ),
    output=((1, 1, 1, 1, 1, 0), (0, 1, -1, 2, -2, 0), (0, 1, 1, 4, 4, 0), (0, 1, -1, 8, -8, 1)),
)
"""From the points 0, 1, -1, 2, -2 and infinity."""

INPUT, OUTPUT = "linalg.winograd_input_transform", "linalg.winograd_output_transform"


def winograd_of(op: Operation) -> Winograd | None:
    """The matrices of a transform over both dimensions; None for another operation or another F(m, r)."""
    if op.name not in (INPUT, OUTPUT):
        return None
    held = op.properties.get("fmr")
    number = held.value.data if isinstance(held, IntegerAttr) else None
    found = next((one for one in (F2, F4) if one.number == number), None)
    tiles = op.operands[1 if op.name == INPUT else 0].type.get_shape()  # pyright: ignore[reportAttributeAccessIssue]
    return found if found is not None and tuple(tiles[:2]) == (found.alpha, found.alpha) else None


def make_transform(name: str, of: Winograd, source: SSAValue, dest: SSAValue) -> Operation:
    """One of the transforms ``INPUT`` and ``OUTPUT`` of a tensor into a destination."""
    kind = class_of(name)
    assert kind is not None
    properties = {"fmr": IntegerAttr(of.number, i32)}
    return kind.create(operands=[source, dest], result_types=[dest.type], properties=properties)


def _sandwich(matrix: tuple[tuple[float, ...], ...], array: np.ndarray) -> np.ndarray:
    """The matrix applied along the first two axes, in at least double precision."""
    m = np.asarray(matrix, np.float64)
    return np.einsum("ai,ij...,bj->ab...", m, array, m, optimize=True)


def filter_transform(of: Winograd, filters: np.ndarray) -> np.ndarray:
    """``[3, 3, C, F]`` to ``[alpha, alpha, C, F]``, rounded once."""
    return _sandwich(of.filter, filters).astype(filters.dtype)


def input_transform(of: Winograd, images: np.ndarray) -> np.ndarray:
    """``[N, H, W, C]`` to ``[alpha, alpha, tiles, tiles, N, C]``."""
    windows = np.lib.stride_tricks.sliding_window_view(images, (of.alpha, of.alpha), axis=(1, 2))
    tiles = windows[:, :: of.m, :: of.m].transpose(4, 5, 1, 2, 0, 3)
    return _sandwich(of.input, tiles).astype(images.dtype)


def output_transform(of: Winograd, tiles: np.ndarray) -> np.ndarray:
    """``[alpha, alpha, tiles, tiles, N, F]`` to ``[N, H, W, F]``."""
    made = _sandwich(of.output, tiles).transpose(4, 2, 0, 3, 1, 5)
    n, rows, m, columns, _, features = made.shape
    return made.reshape(n, rows * m, columns * m, features).astype(tiles.dtype)
