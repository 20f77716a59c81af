"""Ops whose bounds are values: against ``nn.slice`` and NumPy's ``arange``, and what simplifies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lamina.dialects.core.text import parse, to_text
from lamina.passes.nn.nn_set_shapes import set_shapes

BIG = 2**63 - 1
SLICES = [
    (0, 3, 1),
    (1, BIG, 2),
    (-3, -1, 1),
    (-100, 2, 1),
    (5, 2, 1),
    (BIG, -BIG, -1),
    (-1, 1, -2),
    (2, -100, -1),
]


@pytest.mark.parametrize(("start", "end", "step"), SLICES)
def test_dynamic_slice_is_slice(start: int, end: int, step: int, run: Callable[..., Any]) -> None:
    x = np.arange(24).reshape(2, 6, 2)
    wanted = run("nn.slice", x, starts=[0, start, 0], ends=[BIG, end, BIG], steps=[1, step, 1])
    got = run("nn.dynamic_slice", x, np.array([start]), np.array([end]), axes=[1], steps=[step])
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize(
    ("start", "limit", "step", "dtype"),
    [
        (0, 5, 1, "i8"),
        (7, -2, -3, "i4"),
        (3, 3, 1, "i8"),
        (0, 1, 0.25, "f4"),
        (1, 0, 0.5, "f8"),
        (2, 9, 2, "u1"),
    ],
)
def test_arange(start: float, limit: float, step: float, dtype: str, run: Callable[..., Any]) -> None:
    arrays = [np.array(value, dtype) for value in (start, limit, step)]
    got = run("nn.arange", *arrays)
    np.testing.assert_array_equal(got, np.arange(start, limit, step).astype(dtype))
    assert got.dtype == np.dtype(dtype)


def test_step_of_zero_gives_nothing(run: Callable[..., Any]) -> None:
    assert run("nn.arange", np.array(0), np.array(5), np.array(0)).shape == (0,)


TEXT = """
func.func @main(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?xi64>) {
  %zero = nn.constant dense<0> : tensor<i64>
  %one = nn.constant dense<1> : tensor<i64>
  %start = nn.constant dense<1> : tensor<1xi64>
  %shape = nn.shape_of %x : (tensor<?x?xf32>) -> tensor<2xi64>
  %end = nn.slice %shape {starts = array<i64: 0>, ends = array<i64: 1>, steps = array<i64: 1>}
    : (tensor<2xi64>) -> tensor<1xi64>
  %n = nn.squeeze %end {axes = array<i64: 0>} : (tensor<1xi64>) -> tensor<i64>
  %0 = nn.dynamic_slice %x, %start, %end {axes = array<i64: 1>, steps = array<i64: 1>}
    : (tensor<?x?xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  %1 = nn.arange %zero, %n, %one : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return %0, %1 : tensor<?x?xf32>, tensor<?xi64>
}
"""


def test_both_become_static_with_the_shapes() -> None:
    module = parse(TEXT)
    set_shapes(module, "main", [(4, 9)])
    text = to_text(module)
    assert "nn.slice %x {starts = array<i64: 0, 1>, ends = array<i64: 9223372036854775807, 4>" in text
    assert "-> (tensor<4x3xf32>, tensor<4xi64>)" in text
    assert "nn.constant dense<[0, 1, 2, 3]>" in text
    assert "dynamic" not in text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "nn.dynamic_slice %x, %i, %i {axes = array<i64: 0, 1>, steps = array<i64: 1, 1>} : "
            "(tensor<2x3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>",
            "starts has type tensor<1xi64>, expected tensor<2xi64> for 2 axes",
        ),
        (
            "nn.dynamic_slice %x, %i, %i {axes = array<i64: 0>, steps = array<i64: 0>} : "
            "(tensor<2x3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x3xf32>",
            "attribute 'steps' has an entry 0",
        ),
        (
            "nn.arange %i, %i, %i : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi64>",
            "start has type tensor<1xi64>, expected a scalar",
        ),
    ],
)
def test_errors(line: str, message: str) -> None:
    from lamina.dialects.core.diagnostics import LaminaError
    from lamina.dialects.core.verifier import verify

    module = parse(f"func.func @f(%x: tensor<2x3xf32>, %i: tensor<1xi64>) {{\n  %0 = {line}\n  return\n}}")
    with pytest.raises(LaminaError) as caught:
        verify(module)
    assert message in str(caught.value)
