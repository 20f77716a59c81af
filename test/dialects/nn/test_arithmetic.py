"""Arithmetic on two tensors against Python's exact integers, the math module and IEEE's special cases."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import IntegerType, Signedness, TensorType
from xdsl.ir import Block

from lamina.dialects.core.dtypes import integer_limits, numpy_dtype
from lamina.dialects.nn.base import make
from lamina.dialects.nn.evaluate import evaluate

FLOATS = (np.float64, np.float32, np.float16, ml_dtypes.bfloat16)
INTEGERS = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
ODD = (IntegerType(4), IntegerType(7), IntegerType(4, Signedness.UNSIGNED), IntegerType(33))


def truncated_quotient(a: int, b: int) -> int:
    return int(Fraction(a, b)) if b else 0


def power(a: int, b: int) -> int:
    if b >= 0:
        return a**b
    return {1: 1, -1: 1 if b % 2 == 0 else -1}.get(a, 0)


EXACT: dict[str, Callable[[int, int], int]] = {
    "nn.add": lambda a, b: a + b,
    "nn.sub": lambda a, b: a - b,
    "nn.mul": lambda a, b: a * b,
    "nn.div": truncated_quotient,
    "nn.rem": lambda a, b: a - b * truncated_quotient(a, b) if b else 0,
    "nn.mod": lambda a, b: a % b if b else 0,
    "nn.pow": power,
    "nn.maximum": max,
    "nn.minimum": min,
    "nn.bitwise_and": lambda a, b: a & b,
    "nn.bitwise_or": lambda a, b: a | b,
    "nn.bitwise_xor": lambda a, b: a ^ b,
}


def wrap(value: int, element: IntegerType) -> int:
    low, high = integer_limits(element)
    return (value - low) % (high - low + 1) + low


def evaluate_integers(name: str, element: IntegerType, *columns: list[int]) -> list[int]:
    kind = TensorType(element, [len(columns[0])])
    op = make(name, Block(arg_types=[kind] * len(columns)).args)
    op.verify()
    return evaluate(op, [np.array(c, numpy_dtype(element)) for c in columns])[0].tolist()


def integers_of(element: IntegerType) -> st.SearchStrategy[int]:
    low, high = integer_limits(element)
    return st.integers(low, high) | st.sampled_from([low, high, 0, 1, max(low, -1), 2])


@pytest.mark.parametrize("name", EXACT)
@given(data=st.data())
@settings(max_examples=40)
def test_integers_are_exact_modulo_their_width(name: str, data: st.DataObject) -> None:
    standard = [IntegerType(n) for n in (8, 16, 32, 64)]
    unsigned = [IntegerType(n, Signedness.UNSIGNED) for n in (8, 16, 32, 64)]
    element = data.draw(st.sampled_from([*standard, *unsigned, *ODD]))
    pairs = data.draw(st.lists(st.tuples(integers_of(element), integers_of(element)), min_size=1, max_size=8))
    if name == "nn.pow":
        pairs = [(a, min(b, 70)) for a, b in pairs]
    expected = [wrap(EXACT[name](a, b), element) for a, b in pairs]
    assert evaluate_integers(name, element, *map(list, zip(*pairs, strict=True))) == expected


@given(data=st.data())
@settings(max_examples=60)
def test_shifts_read_their_amount_as_unsigned(data: st.DataObject) -> None:
    element = data.draw(
        st.sampled_from([IntegerType(8), IntegerType(64), IntegerType(16, Signedness.UNSIGNED), *ODD])
    )
    width = element.width.data
    a, b = data.draw(integers_of(element)), data.draw(integers_of(element) | st.integers(0, width - 1))
    b = wrap(b, element)
    amount = b % (1 << width)
    left = wrap(a << amount, element) if amount < width else 0
    right = a >> min(amount, width)
    assert evaluate_integers("nn.shift_left", element, [a], [b]) == [left]
    assert evaluate_integers("nn.shift_right", element, [a], [b]) == [right]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["nn.add", "nn.sub", "nn.mul", "nn.div"])
def test_floats_are_rounded_once(run: Callable[..., Any], name: str, dtype: Any) -> None:
    random = np.random.default_rng(1)
    a, b = (random.standard_normal(500).astype(dtype) for _ in range(2))
    exact = {
        "nn.add": lambda x, y: x + y,
        "nn.sub": lambda x, y: x - y,
        "nn.mul": lambda x, y: x * y,
        "nn.div": lambda x, y: x / y,
    }[name]
    wanted = [float(exact(Fraction(float(x)), Fraction(float(y)))) for x, y in zip(a, b, strict=True)]
    got = run(name, a, b)
    assert got.dtype == dtype
    # Conversion of the f64 quotient to f16 and bf16 rounds a second time, which matters only for ties.
    np.testing.assert_array_equal(got, np.array(wanted).astype(dtype))


@pytest.mark.parametrize("dtype", FLOATS)
def test_extremes_propagate_nan_and_order_zeros(run: Callable[..., Any], dtype: Any) -> None:
    a = np.array([math.nan, 1, -0.0, 0.0, -0.0, -math.inf], dtype)
    b = np.array([1, math.nan, 0.0, -0.0, -0.0, math.nan], dtype)
    for x, y in ((a, b), (b, a)):
        largest, smallest = (run(n, x, y).astype(np.float64) for n in ("nn.maximum", "nn.minimum"))
        assert np.isnan(largest[[0, 1, 5]]).all() and np.isnan(smallest[[0, 1, 5]]).all()
        assert np.signbit(largest[2:5]).tolist() == [False, False, True]
        assert np.signbit(smallest[2:5]).tolist() == [True, True, True]


@pytest.mark.parametrize("dtype", FLOATS)
@given(data=st.data())
@settings(max_examples=40)
def test_float_remainders(run: Callable[..., Any], dtype: Any, data: st.DataObject) -> None:
    number = st.floats(-100, 100, width=16) | st.sampled_from([0.0, -0.0, math.inf, -math.inf, math.nan])
    a, b = (np.array(data.draw(number)).astype(dtype) for _ in range(2))
    x, y = float(a), float(b)
    undefined = math.isnan(x) or math.isnan(y) or math.isinf(x) or y == 0
    remainder = math.nan if undefined else math.fmod(x, y)
    modulus = math.nan if undefined else x % y
    for name, wanted in (("nn.rem", remainder), ("nn.mod", modulus)):
        got = float(run(name, a, b))
        wanted = float(np.array(wanted).astype(dtype))
        assert (math.isnan(got) and math.isnan(wanted)) or got == wanted
        assert math.isnan(wanted) or math.copysign(1, got) == math.copysign(1, wanted)


@pytest.mark.parametrize(
    ("base", "exponent", "expected"),
    [
        *((math.nan, 0.0, 1.0), (1.0, math.nan, 1.0), (-8.0, 1 / 3, math.nan), (0.0, -1.0, math.inf)),
        *((-0.0, -1.0, -math.inf), (-0.0, -3.0, -math.inf), (-0.0, 2.0, 0.0), (2.0, -2.0, 0.25)),
        *((-math.inf, 0.5, math.inf), (-1.0, math.inf, 1.0), (0.5, -math.inf, math.inf)),
    ],
)
def test_powers_are_those_of_c(
    run: Callable[..., Any], base: float, exponent: float, expected: float
) -> None:
    for dtype in (np.float64, np.float32, np.float16):
        got = run("nn.pow", np.array(base, dtype), np.array(exponent, dtype))
        np.testing.assert_array_equal(got, np.array(expected, dtype))


BROADCASTS = [((2, 3), (3,)), ((2, 1), (1, 3)), ((), (2,)), ((0, 3), (1, 1)), ((4, 1, 0), (5, 1)), ((), ())]


@pytest.mark.parametrize(("first", "second"), BROADCASTS)
def test_shapes_broadcast_as_in_numpy(run: Callable[..., Any], first: Any, second: Any) -> None:
    for dtype in (np.float32, np.int8, ml_dtypes.bfloat16):
        a, b = np.full(first, 3, dtype), np.full(second, 4, dtype)
        got = run("nn.add", a, b)
        assert got.shape == np.broadcast_shapes(first, second) and (got == 7).all()


@pytest.mark.parametrize(
    ("first", "second", "result"),
    [
        *(((-1, 3), (3,), (-1, 3)), ((-1,), (4,), (4,)), ((-1,), (1,), (-1,)), ((-1,), (0,), (0,))),
        *(((-1,), (-1,), (-1,)), ((2, -1), (-1, 1), (2, -1))),
    ],
)
def test_unknown_extents(
    build: Callable[..., Any], extents: Any, first: Any, second: Any, result: Any
) -> None:
    assert extents(build("nn.add", first, second)) == [result]
    assert extents(build("nn.add", second, first)) == [result]
