"""nn.cast and nn.constant: every pair of element types against exact arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import IntegerType, Signedness, TensorType

from lamina.dialects.core.dtypes import element_type, integer_limits, numpy_dtype
from lamina.dialects.core.text import parse, to_text
from lamina.dialects.nn.constant import ConstantOp
from lamina.dialects.nn.evaluate import evaluate

FLOATS = (np.float64, np.float32, np.float16, ml_dtypes.bfloat16)
INTEGERS = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)


@pytest.fixture(scope="module")
def cast(run: Callable[..., Any]) -> Callable[..., list[Any]]:
    """``cast(array, element)``: the values of nn.cast, which a list holds exactly."""

    def convert(array: np.ndarray, element: Any) -> list[Any]:
        result = run("nn.cast", array, result_types=[TensorType(element, array.shape)])
        assert result.dtype == numpy_dtype(element)
        return result.astype(np.float64).tolist() if result.dtype.kind not in "biu" else result.tolist()

    return convert


def interesting(dtype: Any) -> np.ndarray:
    """Ends, zeros, units, halves, and for floats what is no number."""
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        return np.array([info.min, info.max, 0, 1, info.max // 2 + 1, info.max // 3], dtype)
    info = ml_dtypes.finfo(dtype)
    edges = [127.5, 128, 255, 255.5, 256, 32768, 65535, 2.0**31, 2.0**32, 2.0**63, 2.0**64]
    values = [
        0.0,
        0.5,
        0.99,
        1.5,
        2.5,
        float(info.max),
        math.inf,
        *(e for e in edges if e <= float(info.max)),
    ]
    return np.array([*values, *(-v for v in values), math.nan], dtype)


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("target", [*INTEGERS, IntegerType(4), IntegerType(7, Signedness.UNSIGNED)])
def test_floats_saturate(cast: Callable[..., list[Any]], source: Any, target: Any) -> None:
    element = target if isinstance(target, IntegerType) else element_type(target)
    assert isinstance(element, IntegerType)
    low, high = integer_limits(element)
    x = interesting(source)

    def wanted(value: float) -> int:
        if math.isnan(value):
            return 0
        return (low if value < 0 else high) if math.isinf(value) else min(max(math.trunc(value), low), high)

    assert cast(x, element) == [wanted(float(v)) for v in x]


@pytest.mark.parametrize("source", [*INTEGERS, np.bool_])
@pytest.mark.parametrize("target", [*INTEGERS, IntegerType(4), IntegerType(7, Signedness.UNSIGNED)])
def test_integers_wrap(cast: Callable[..., list[Any]], source: Any, target: Any) -> None:
    element = target if isinstance(target, IntegerType) else element_type(target)
    assert isinstance(element, IntegerType)
    low, high = integer_limits(element)
    x = np.array([False, True]) if source is np.bool_ else interesting(source)
    assert cast(x, element) == [(int(v) - low) % (high - low + 1) + low for v in x]


def nearest(value: int, bits: int, largest: float) -> float:
    """An integer rounded to ``bits`` significant bits, ties to even; infinite above the largest."""
    size = abs(value)
    drop = max(size.bit_length() - bits, 0)
    kept, rest = size >> drop, size & ((1 << drop) - 1)
    if drop and (rest > 1 << (drop - 1) or (rest == 1 << (drop - 1) and kept & 1)):
        kept += 1
    rounded = float(kept << drop)
    return math.copysign(rounded if rounded <= largest else math.inf, value) if value else 0.0


@pytest.mark.parametrize("source", INTEGERS)
@pytest.mark.parametrize(("target", "bits"), [(np.float64, 53), (np.float32, 24), (np.float16, 11)])
def test_integers_become_the_nearest_float(
    cast: Callable[..., list[Any]], source: Any, target: Any, bits: int
) -> None:
    random = np.random.default_rng(0)
    info = np.iinfo(source)
    x = np.concatenate([interesting(source), random.integers(info.min, info.max, 200, source, endpoint=True)])
    largest = float(ml_dtypes.finfo(target).max)
    assert cast(x, element_type(target)) == [nearest(int(v), bits, largest) for v in x]


@pytest.mark.parametrize("source", [*FLOATS, *INTEGERS, np.bool_])
def test_bfloat16_is_reached_through_f32(cast: Callable[..., list[Any]], source: Any) -> None:
    x = np.array([False, True]) if source is np.bool_ else interesting(source)
    with np.errstate(all="ignore"):
        wanted = x.astype(np.float32).astype(ml_dtypes.bfloat16).astype(np.float64)
    np.testing.assert_array_equal(cast(x, element_type(ml_dtypes.bfloat16)), wanted)


@pytest.mark.parametrize("source", FLOATS)
def test_truth_is_being_unequal_to_zero(cast: Callable[..., list[Any]], source: Any) -> None:
    x = np.array([0.0, -0.0, 1e-7, -2.0, math.inf, math.nan], source)
    assert cast(x, IntegerType(1)) == [float(v) != 0 for v in x]
    assert cast(np.array([0, 2, 255], np.uint8), IntegerType(1)) == [False, True, True]
    assert cast(np.array([False, True]), element_type(source)) == [0.0, 1.0]


def test_floats_overflow_to_infinity(cast: Callable[..., list[Any]]) -> None:
    assert cast(np.array([1e39, -1e39, 65519.0, 65520.0]), element_type(np.float16)) == [
        *(math.inf, -math.inf, 65504.0, math.inf)
    ]


def test_constant_prints_and_parses() -> None:
    array = np.array([[1.5, -0.0]], np.float32)
    op = ConstantOp.of(array)
    assert evaluate(op, [])[0].tobytes() == array.tobytes()
    text = '%0 = nn.constant {nn.origin = "w"} dense<[1, -2]> : tensor<2xi8>'
    assert text in to_text(parse(f"func.func @f() {{ {text} func.return }}"))
