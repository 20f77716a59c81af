"""nn.batch_norm and nn.layer_norm against loops in f64."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import f16, i32

from lamina.dialects.nn.base import ShapeError

TOLERANCE = {np.float64: 1e-12, np.float32: 1e-5, np.float16: 2e-3, ml_dtypes.bfloat16: 2e-2}


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(("shape", "axis"), [((2, 3, 4, 2), 1), ((2, 4, 2, 3), -1), ((5, 3), 1), ((3,), 0)])
def test_batch_norm(run: Callable[..., Any], shape: tuple[int, ...], axis: int, dtype: Any) -> None:
    random = np.random.default_rng(0)
    x = random.standard_normal(shape).astype(dtype)
    scale, bias, mean = (random.standard_normal(3).astype(dtype) for _ in range(3))
    variance = random.uniform(0.5, 2, 3).astype(dtype)
    expected = np.empty(shape)
    for place in np.ndindex(*shape):
        c = place[axis]
        centred = float(x[place]) - float(mean[c])
        expected[place] = centred / math.sqrt(float(variance[c]) + 0.01) * float(scale[c]) + float(bias[c])
    got = run("nn.batch_norm", x, scale, bias, mean, variance, axis=axis, epsilon=0.01)
    np.testing.assert_allclose(got.astype(np.float64), expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("with_bias", [False, True])
@pytest.mark.parametrize(("shape", "axis"), [((2, 3, 4), -1), ((2, 3, 4), 1), ((4,), 0), ((2, 3, 4), 0)])
def test_layer_norm(
    run: Callable[..., Any], shape: tuple[int, ...], axis: int, with_bias: bool, dtype: Any
) -> None:
    random = np.random.default_rng(0)
    x = random.standard_normal(shape).astype(dtype)
    inner = shape[axis % len(shape) :]
    scale, bias = (random.standard_normal(inner).astype(dtype) for _ in range(2))
    rows = x.astype(np.float64).reshape(-1, math.prod(inner))
    expected = np.empty_like(rows)
    for i, row in enumerate(rows.tolist()):
        mean = sum(row) / len(row)
        deviation = math.sqrt(sum((v - mean) ** 2 for v in row) / len(row) + 1e-3)
        for j, value in enumerate(row):
            shift = float(bias.reshape(-1)[j]) if with_bias else 0.0
            expected[i, j] = (value - mean) / deviation * float(scale.reshape(-1)[j]) + shift
    got = run("nn.layer_norm", x, scale, *([bias] if with_bias else []), axis=axis, epsilon=1e-3)
    tolerance = TOLERANCE[dtype]
    np.testing.assert_allclose(
        got.astype(np.float64), expected.reshape(shape), rtol=tolerance, atol=tolerance
    )


def test_nothing_to_normalise(run: Callable[..., Any]) -> None:
    parameters = [np.ones(3, np.float32)] * 4
    assert run("nn.batch_norm", np.ones((0, 3, 2), np.float32), *parameters).shape == (0, 3, 2)
    assert run("nn.layer_norm", np.ones((2, 0), np.float32), np.ones(0, np.float32)).shape == (2, 0)


def test_unknown_extents_propagate(extents: Callable[..., Any], build: Callable[..., Any]) -> None:
    channels = [[3]] * 4
    assert extents(build("nn.batch_norm", [-1, -1, 8], *channels)) == [(-1, 3, 8)]
    assert extents(build("nn.layer_norm", [-1, 4], [4], [4])) == [(-1, 4)]


@pytest.mark.parametrize(
    ("name", "operands", "attributes", "message"),
    [
        (
            "nn.batch_norm",
            ([1, 3, 4], [3], [3], [2], [3]),
            {},
            "the channels of x and mean: 3 and 2 differ",
        ),
        ("nn.batch_norm", ([1, 3, 4], [3], [3, 1], [3], [3]), {}, "bias has shape [3, 1], expected [3]"),
        (
            "nn.batch_norm",
            ([1, 3], [3], [3], [3], [3]),
            {"axis": 2},
            "attribute 'axis' names axis 2 of a tensor of rank 2",
        ),
        (
            "nn.batch_norm",
            ([1, 3], ([3], f16), [3], [3], [3]),
            {},
            "operand 1 has element type f16, expected f32 as operand 0 has",
        ),
        (
            "nn.layer_norm",
            ([2, 3], [2]),
            {},
            "scale: [2] does not broadcast to [2, 3]: 2 and 3 differ",
        ),
        (
            "nn.layer_norm",
            (([2, 3], i32), ([3], i32)),
            {},
            "element type i32 is not supported, expected a floating-point type",
        ),
    ],
)
def test_rejects(build: Callable[..., Any], name: str, operands: Any, attributes: Any, message: str) -> None:
    with pytest.raises(ShapeError) as caught:
        build(name, *operands, **attributes)
    assert str(caught.value) == message
