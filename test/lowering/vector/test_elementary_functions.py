"""The expanded elementary functions against wider arithmetic, over the whole range of their type."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import lamina

_FUNCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "exp": np.exp,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "tanh": np.tanh,
    "erf": np.vectorize(math.erf, otypes=[np.float64]),
}
_RANGES = {
    "exp": (-110, 90, -750, 712),
    "expm1": (-20, 90, -45, 712),
    "log": (0, 3, 0, 3),
    "log1p": (-1, 3, -1, 3),
    "tanh": (-10, 10, -20, 20),
    "erf": (-5, 5, -7, 7),
}
"""Where a function is neither constant nor infinite: for f32, then for f64."""
_BOUNDS = {("log1p", "float32"): 3.0, ("log1p", "float64"): 3.0, ("erf", "float32"): 6.0}
_ULPS = 2.0
"""The bound for functions that are not in the table above."""
_COUNT = 8192


def _points(name: str, dtype: np.dtype) -> np.ndarray:
    """Special values, random bits, and random numbers where the function varies."""
    random = np.random.default_rng(3)
    info = np.finfo(dtype)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.625, 475 / 512, info.max, -info.max]
    special += [info.tiny, -info.tiny, info.smallest_subnormal, -info.smallest_subnormal]
    bits = random.integers(0, 256, (2048, dtype.itemsize), np.uint8).view(dtype).ravel()
    low, high = _RANGES[name][:2] if dtype == np.float32 else _RANGES[name][2:]
    wide = random.uniform(low, high, 4096).astype(dtype)
    near = random.uniform(-1.2, 1.2, _COUNT - len(special) - len(bits) - len(wide)).astype(dtype)
    return np.concatenate([np.array(special, dtype), bits, wide, near])


@cache
def _compiled(dtype: str):
    """All functions as one program: one compilation for each element type."""
    element = {"float32": "f32", "float64": "f64"}[dtype]
    kind = f"tensor<{_COUNT}x{element}>"
    arguments = ", ".join(f"%x_{name}: {kind}" for name in _FUNCTIONS)
    body = "\n".join(f"  %{name} = nn.{name} %x_{name} : ({kind}) -> {kind}" for name in _FUNCTIONS)
    kinds = ", ".join([kind] * len(_FUNCTIONS))
    results = ", ".join(f"%{name}" for name in _FUNCTIONS)
    text = f"func.func @main({arguments}) -> ({kinds}) {{\n{body}\n  return {results} : {kinds}\n}}"
    return lamina.compile(lamina.parse(text))


def _errors(got: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Errors in units in the last place; infinite where only one of the two is a finite number."""
    rounded = exact.astype(got.dtype)
    same = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
    finite = np.isfinite(rounded) & np.isfinite(got)
    unit = np.spacing(np.abs(np.where(finite, rounded, 1))).astype(np.longdouble)
    difference = np.abs(np.where(finite, got, 0).astype(np.longdouble) - np.where(finite, exact, 0))
    return np.where(finite, difference / unit, np.where(same, 0, np.inf)).astype(np.float64)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions_are_exact_to_a_few_units_in_the_last_place(dtype: str) -> None:
    points = {name: _points(name, np.dtype(dtype)) for name in _FUNCTIONS}
    with np.errstate(all="ignore"):
        results = _compiled(dtype)(*points.values())
        for (name, function), x, got in zip(_FUNCTIONS.items(), points.values(), results, strict=True):
            wider = np.float64 if dtype == "float32" or name == "erf" else np.longdouble
            error = _errors(got, function(x.astype(wider)))
            worst = int(np.argmax(error))
            bound = _BOUNDS.get((name, dtype), _ULPS)
            assert error[worst] <= bound, f"{name}({x[worst]!r}) = {got[worst]!r}: {error[worst]} ulp"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_odd_functions_keep_the_sign_of_zero(dtype: str) -> None:
    zeros = np.zeros(_COUNT, dtype)
    zeros[1::2] = -0.0
    results = dict(zip(_FUNCTIONS, _compiled(dtype)(*[zeros] * len(_FUNCTIONS)), strict=True))
    for name in ("expm1", "log1p", "tanh", "erf"):
        assert (np.signbit(results[name]) == np.signbit(zeros)).all(), name
