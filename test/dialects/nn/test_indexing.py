"""``nn.gather_nd`` and ``nn.scatter_nd`` against loops over places, interpreted and compiled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from nn_programs import compiled, interpreted

import lamina

GATHERS = [
    # data, indices, axes, sizes, batch_dims
    ((5, 4), (3, 1), [0], [1, 4], 0),
    ((5, 4), (3, 2), [0, 1], [2, 3], 0),
    ((5, 4), (3, 2), [1, 0], [1, 2], 0),
    ((5, 4), (2,), [0, 1], [1, 1], 0),
    ((2, 5, 4), (2, 3, 1), [1], [5, 2], 1),
    ((2, 3, 5), (2, 3, 4, 1), [0], [1], 2),
    ((5, 4), (2, 3, 0), [], [2, 2], 0),
    ((5, 4), (0, 1), [0], [1, 4], 0),
]


def _indices(shape: Sequence[int], dtype: str = "i8") -> np.ndarray:
    return np.random.default_rng(0).integers(-2, 8, shape).astype(dtype)


def _gathered(data: Any, indices: Any, axes: Any, sizes: Any, batch_dims: int) -> np.ndarray:
    result = np.zeros((*indices.shape[:-1], *sizes), data.dtype)
    for place in np.ndindex(*indices.shape[:-1]):
        part = data[place[:batch_dims]]
        start = [0] * part.ndim
        for k, axis in enumerate(axes):
            start[axis] = min(max(int(indices[place][k]), 0), part.shape[axis] - sizes[axis])
        result[place] = part[tuple(slice(a, a + n) for a, n in zip(start, sizes, strict=True))]
    return result


@pytest.mark.parametrize(("data", "indices", "axes", "sizes", "batch_dims"), GATHERS)
def test_gather_nd(data: Any, indices: Any, axes: Any, sizes: Any, batch_dims: int) -> None:
    x = np.random.default_rng(1).normal(size=data)
    at = _indices(indices)
    attributes = {"axes": axes, "sizes": sizes, "batch_dims": batch_dims}
    wanted = _gathered(x, at, axes, sizes, batch_dims)
    np.testing.assert_array_equal(interpreted("nn.gather_nd", x, at, **attributes), wanted)
    np.testing.assert_array_equal(compiled("nn.gather_nd", x, at, **attributes), wanted)


_COMBINE: dict[str, Any] = {
    "set": lambda a, b: b,
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "max": max,
    "min": min,
}


def _scattered(data: Any, indices: Any, updates: Any, axes: Any, batch_dims: int, mode: str) -> np.ndarray:
    result = data.copy()
    rank = data.ndim - batch_dims
    sizes = updates.shape[updates.ndim - rank :]
    for place in np.ndindex(*indices.shape[:-1]):
        start = [0] * rank
        for k, axis in enumerate(axes):
            start[axis] = int(indices[place][k])
        limits = zip(start, sizes, data.shape[batch_dims:], strict=True)
        if any(a < 0 or a + n > extent for a, n, extent in limits):
            continue
        for offset in np.ndindex(*sizes):
            to = (*place[:batch_dims], *(a + o for a, o in zip(start, offset, strict=True)))
            result[to] = _COMBINE[mode](result[to], updates[place][offset])
    return result


@pytest.mark.parametrize("mode", list(_COMBINE))
@pytest.mark.parametrize(("data", "indices", "axes", "sizes", "batch_dims"), GATHERS)
def test_scatter_nd(data: Any, indices: Any, axes: Any, sizes: Any, batch_dims: int, mode: str) -> None:
    generator = np.random.default_rng(1)
    x, at = generator.normal(size=data), _indices(indices)
    updates = generator.normal(size=(*at.shape[:-1], *sizes))
    attributes = {"axes": axes, "batch_dims": batch_dims, "mode": mode}
    wanted = _scattered(x, at, updates, axes, batch_dims, mode)
    np.testing.assert_allclose(interpreted("nn.scatter_nd", x, at, updates, **attributes), wanted, rtol=1e-14)
    if mode in ("set", "add"):
        np.testing.assert_allclose(
            compiled("nn.scatter_nd", x, at, updates, **attributes), wanted, rtol=1e-14
        )


@pytest.mark.parametrize("dtype", ["u1", "i4", "u8"])
def test_indices_of_any_integer_type(dtype: str) -> None:
    x = np.arange(10.0)
    at = np.array([[3], [255 if dtype == "u1" else 2**31 - 1 if dtype == "i4" else 2**64 - 1], [0]], dtype)
    attributes = {"axes": [0], "sizes": [1]}
    wanted = np.array([[3.0], [9.0], [0.0]])
    np.testing.assert_array_equal(interpreted("nn.gather_nd", x, at, **attributes), wanted)
    np.testing.assert_array_equal(compiled("nn.gather_nd", x, at, **attributes), wanted)


@pytest.mark.parametrize("dtype", [np.float16, np.uint8, np.bool_])
def test_scatter_of_narrow_types(dtype: Any) -> None:
    x, at, updates = np.zeros(4, dtype), np.array([[1], [3]]), np.ones((2, 1), dtype)
    mode = "set" if dtype == np.bool_ else "max"
    wanted = np.array([0, 1, 0, 1], dtype)
    np.testing.assert_array_equal(interpreted("nn.scatter_nd", x, at, updates, axes=[0], mode=mode), wanted)
    np.testing.assert_array_equal(compiled("nn.scatter_nd", x, at, updates, axes=[0], mode=mode), wanted)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nn.gather_nd %x, %i {axes = array<i64: 2>, sizes = array<i64: 1, 1>}", "'axes' is [2]"),
        ("nn.gather_nd %x, %i {axes = array<i64: 0>, sizes = array<i64: 6, 1>}", "a part of size 6"),
        ("nn.gather_nd %x, %i {axes = array<i64: 0, 1>, sizes = array<i64: 1, 1>}", "indices hold 1 numbers"),
        ("nn.gather_nd %x, %x {axes = array<i64: 0>, sizes = array<i64: 1, 1>}", "expected an integer type"),
    ],
)
def test_errors(text: str, message: str) -> None:
    kinds = "(tensor<5x4xf32>, tensor<5x4xf32>)" if "%x, %x" in text else "(tensor<5x4xf32>, tensor<3x1xi64>)"
    module = f"""func.func @main(%x: tensor<5x4xf32>, %i: tensor<3x1xi64>) {{
      %0 = {text} : {kinds} -> tensor<3x1x1xf32>
      return
    }}"""
    with pytest.raises(lamina.LaminaError) as caught:
        lamina.parse(module)
    assert message in str(caught.value)
