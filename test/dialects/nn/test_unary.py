"""Functions of one tensor against the math module, in every float type."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

FLOATS = (np.float64, np.float32, np.float16, ml_dtypes.bfloat16)


def log(x: float) -> float:
    return -math.inf if x == 0 else math.log(x)


def log1p(x: float) -> float:
    return -math.inf if x == -1 else math.log1p(x)


def reciprocal(x: float) -> float:
    return math.copysign(math.inf, x) if x == 0 else 1 / x


def rsqrt(x: float) -> float:
    return reciprocal(math.sqrt(x))


def atanh(x: float) -> float:
    return math.copysign(math.inf, x) if abs(x) == 1 else math.atanh(x)


def whole(function: Callable[[float], int]) -> Callable[[float], float]:
    """A rounding function on all floats, which keeps the sign of zeros."""
    return lambda x: math.copysign(float(function(x)), x) if math.isfinite(x) else x


FUNCTIONS: dict[str, Callable[[float], float]] = {
    "nn.neg": lambda x: -x,
    "nn.abs": abs,
    "nn.sign": lambda x: x if x == 0 or math.isnan(x) else math.copysign(1, x),
    "nn.exp": math.exp,
    "nn.expm1": math.expm1,
    "nn.log": log,
    "nn.log1p": log1p,
    "nn.sqrt": math.sqrt,
    "nn.rsqrt": rsqrt,
    "nn.reciprocal": reciprocal,
    "nn.floor": whole(math.floor),
    "nn.ceil": whole(math.ceil),
    "nn.round": whole(round),
    "nn.sin": math.sin,
    "nn.cos": math.cos,
    "nn.tan": math.tan,
    "nn.asin": math.asin,
    "nn.acos": math.acos,
    "nn.atan": math.atan,
    "nn.sinh": math.sinh,
    "nn.cosh": math.cosh,
    "nn.tanh": math.tanh,
    "nn.asinh": math.asinh,
    "nn.acosh": math.acosh,
    "nn.atanh": atanh,
    "nn.erf": math.erf,
}
_GROW_NEGATIVE = ("nn.sinh",)


def expected(name: str, x: float) -> float:
    """The function's value: NaN outside its domain, infinite where it overflows."""
    try:
        return FUNCTIONS[name](x)
    except ValueError:
        return math.nan
    except OverflowError:
        return math.copysign(math.inf, x) if name in _GROW_NEGATIVE else math.inf


def close(got: Any, wanted: float, dtype: Any) -> bool:
    """Equal up to the last place of the type (four of f64, NumPy's own bound), signs of zeros included."""
    with np.errstate(all="ignore"):
        rounded = np.array(wanted).astype(dtype)
    number, target = float(got), float(rounded)
    if math.isnan(target) or math.isnan(number):
        return math.isnan(target) and math.isnan(number)
    if number == target:
        return number != 0 or math.copysign(1, number) == math.copysign(1, target)
    places = 4 if rounded.dtype == np.float64 else 1
    return abs(number - target) <= places * abs(float(np.spacing(rounded)))


VALUES = st.floats(-20, 20, width=16) | st.floats(-1, 1, width=16) | st.floats(width=16)


@pytest.mark.parametrize("name", FUNCTIONS)
@given(data=st.data())
@settings(max_examples=25)
def test_functions_are_precise(run: Callable[..., Any], name: str, data: st.DataObject) -> None:
    x = data.draw(VALUES)
    for dtype in FLOATS:
        array = np.array([x]).astype(dtype)
        (got,) = run(name, array)
        assert got.dtype == dtype
        wanted = expected(name, float(array[0]))
        assert close(got, wanted, dtype), f"{name}({x!r}) in {dtype.__name__}: {got!r}, expected {wanted!r}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_special_values(run: Callable[..., Any], name: str) -> None:
    special = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, math.inf, -math.inf, math.nan]
    for dtype in FLOATS:
        got = run(name, np.array(special, dtype))
        for x, y in zip(special, got, strict=True):
            assert close(y, expected(name, x), dtype), f"{name}({x}) in {dtype.__name__} is {y}"


@pytest.mark.parametrize("dtype", FLOATS)
def test_predicates(run: Callable[..., Any], dtype: Any) -> None:
    values = np.array([math.nan, math.inf, -math.inf, 0, 1], dtype)
    assert run("nn.isnan", values).tolist() == [True, False, False, False, False]
    assert run("nn.isinf", values).tolist() == [False, True, True, False, False]


def test_erf_is_precise_everywhere(run: Callable[..., Any]) -> None:
    x = np.concatenate([np.linspace(-7, 7, 2001), np.logspace(-300, 0, 200)])
    wanted = np.array([math.erf(v) for v in x])
    assert np.max(np.abs(run("nn.erf", x) - wanted) / np.spacing(np.abs(wanted))) <= 2


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64])
def test_signed_integers_wrap(run: Callable[..., Any], dtype: Any) -> None:
    low = np.iinfo(dtype).min
    values = np.array([low, -3, 0, 5], dtype)
    assert run("nn.neg", values).tolist() == [low, 3, 0, -5]
    assert run("nn.abs", values).tolist() == [low, 3, 0, 5]
    assert run("nn.sign", values).tolist() == [-1, -1, 0, 1]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint64])
def test_unsigned_integers_wrap(run: Callable[..., Any], dtype: Any) -> None:
    values = np.array([0, 1, 200], dtype)
    size = 1 << np.iinfo(dtype).bits
    assert [int(v) for v in run("nn.neg", values)] == [0, size - 1, size - 200]
    assert run("nn.abs", values).tolist() == [0, 1, 200]
    assert run("nn.sign", values).tolist() == [0, 1, 1]


def test_shapes_stay(build: Callable[..., Any], extents: Any, run: Callable[..., Any]) -> None:
    for shape in ([], [0], [-1, 3], [2, 0, 3]):
        assert extents(build("nn.exp", shape)) == [tuple(shape)]
    for shape in ((), (0,), (2, 0, 3)):
        for name in ("nn.erf", "nn.sign", "nn.exp", "nn.neg"):
            assert run(name, np.zeros(shape, np.float32)).shape == shape
