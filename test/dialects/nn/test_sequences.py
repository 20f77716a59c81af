"""Sorting and cumulative operations against NumPy, interpreted and compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from nn_programs import compiled, interpreted, program

import lamina

SHAPES = [((7,), 0), ((3, 8), 1), ((5, 3), 0), ((2, 6, 3), 1), ((4, 1), 1), ((0, 3), 1), ((33,), -1)]


def _values(shape: Any, dtype: str) -> np.ndarray:
    generator = np.random.default_rng(0)
    if np.dtype(dtype).kind == "f":
        x = generator.integers(-4, 4, shape).astype(dtype)
        x[generator.random(shape) < 0.2] = np.nan
        x[generator.random(shape) < 0.1] = -0.0
        return x
    return generator.integers(0, 2 if dtype == "?" else 100, shape).astype(dtype)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_argsort_is_stable(shape: Any, axis: int, descending: bool) -> None:
    x = _values(shape, "f8")
    key = np.where(np.isnan(x), np.inf, x)
    wanted = np.argsort(-key if descending else key, axis=axis, kind="stable")
    got = interpreted("nn.argsort", x, axis=axis, descending=descending)
    assert got.dtype == np.int64
    np.testing.assert_array_equal(got, wanted)
    np.testing.assert_array_equal(compiled("nn.argsort", x, axis=axis, descending=descending), wanted)
    taken = np.take_along_axis(x, wanted, axis)
    np.testing.assert_array_equal(interpreted("nn.sort", x, axis=axis, descending=descending), taken)
    np.testing.assert_array_equal(compiled("nn.sort", x, axis=axis, descending=descending), taken)


@pytest.mark.parametrize("dtype", ["f2", "i4", "u1", "?"])
def test_sort_of_types(dtype: str) -> None:
    x = _values((3, 9), dtype)
    wanted = np.sort(x, axis=1)
    np.testing.assert_array_equal(interpreted("nn.sort", x, axis=1), wanted)
    np.testing.assert_array_equal(compiled("nn.sort", x, axis=1), wanted)


CUMULATIVE: dict[str, Any] = {
    "nn.cumsum": np.cumsum,
    "nn.cumprod": np.cumprod,
    "nn.cummax": np.maximum.accumulate,
    "nn.cummin": np.minimum.accumulate,
}


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", list(CUMULATIVE))
@pytest.mark.parametrize(("shape", "axis"), SHAPES[:5])
def test_cumulative(name: str, shape: Any, axis: int, reverse: bool) -> None:
    x = np.random.default_rng(2).normal(size=shape)
    wanted = (
        np.flip(CUMULATIVE[name](np.flip(x, axis), axis=axis), axis)
        if reverse
        else CUMULATIVE[name](x, axis=axis)
    )
    np.testing.assert_allclose(interpreted(name, x, axis=axis, reverse=reverse), wanted, rtol=1e-14)
    np.testing.assert_allclose(compiled(name, x, axis=axis, reverse=reverse), wanted, rtol=1e-14)


@pytest.mark.parametrize("dtype", ["f2", "i4", "u1"])
def test_cumulative_of_types(dtype: str) -> None:
    x = np.array([1, 3, 2, 5, 2, 1], dtype)
    for name, function in CUMULATIVE.items():
        wanted = function(x) if name.endswith(("max", "min")) else function(x, dtype=dtype)
        np.testing.assert_array_equal(interpreted(name, x, axis=0), wanted)
        np.testing.assert_array_equal(compiled(name, x, axis=0), wanted)


def test_bitcast() -> None:
    from xdsl.dialects.builtin import TensorType, f32, i32

    x = np.array([1.0, -0.0, np.inf], np.float32)
    for run in (interpreted, compiled):
        bits = run("nn.bitcast", x, types=[TensorType(i32, [3])])
        np.testing.assert_array_equal(bits, x.view(np.int32))
        np.testing.assert_array_equal(run("nn.bitcast", bits, types=[TensorType(f32, [3])]), x)


def test_an_axis_out_of_range_is_an_error() -> None:
    with pytest.raises(Exception, match="names axis 2"):
        program("nn.sort", np.zeros((2, 3)), axis=2)
    assert lamina.LaminaError
