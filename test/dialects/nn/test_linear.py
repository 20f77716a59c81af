"""nn.matmul against einsum and exact integer arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import f64, i1

from lamina.dialects.nn.base import ShapeError

SHAPES = [
    ((2, 3), (3, 4)),
    ((1, 3), (3, 1)),
    ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)),
    ((2, 1, 2, 3), (4, 3, 2)),
    ((2, 0), (0, 3)),
    ((0, 2, 3), (3, 4)),
    ((2, 3), (3, 0)),
]


@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_equals_a_sum_of_products(run: Callable[..., Any], a: Any, b: Any) -> None:
    random = np.random.default_rng(0)
    x, y = random.integers(-5, 6, a), random.integers(-5, 6, b)
    expected = (x[..., :, :, None] * y[..., None, :, :]).sum(axis=-2)
    for dtype in (np.float32, np.float64, np.float16, ml_dtypes.bfloat16, np.int8, np.int64):
        got = run("nn.matmul", x.astype(dtype), y.astype(dtype))
        assert got.dtype == dtype
        np.testing.assert_array_equal(got, expected.astype(dtype))


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
)
def test_integers_wrap(run: Callable[..., Any], dtype: Any) -> None:
    info = np.iinfo(dtype)
    random = np.random.default_rng(0)
    a, b = (random.integers(info.min, info.max, s, dtype, endpoint=True) for s in ((3, 7), (7, 2)))
    exact = a.astype(object) @ b.astype(object)
    expected = np.array(exact % (1 << info.bits), object).astype(f"u{info.dtype.itemsize}").astype(dtype)
    np.testing.assert_array_equal(run("nn.matmul", a, b), expected)


@pytest.mark.parametrize(
    ("a", "b", "shape"),
    [
        ((-1, 3), (3, 4), (-1, 4)),
        ((2, -1), (3, -1), (2, -1)),
        ((-1, 2, 3), (1, 3, 4), (-1, 2, 4)),
        ((-1, 2, 3), (7, 3, 4), (7, 2, 4)),
        ((-1, 2, 3), (3, 4), (-1, 2, 4)),
    ],
)
def test_unknown_extents_propagate(
    extents: Callable[..., Any], build: Callable[..., Any], a: Any, b: Any, shape: Any
) -> None:
    assert extents(build("nn.matmul", a, b)) == [shape]


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([3], [3, 4], "operand a has rank 1, expected at least 2"),
        ([2, 3], [3], "operand b has rank 1, expected at least 2"),
        ([2, 3], [4, 5], "the columns of a and the rows of b: 3 and 4 differ"),
        (
            [2, 2, 3],
            [3, 3, 4],
            "batch dimensions [2] and [3] do not broadcast: 2 and 3 differ",
        ),
        ([2, 3], ([3, 4], f64), "operand 1 has element type f64, expected f32 as operand 0 has"),
        (
            ([2, 3], i1),
            ([3, 4], i1),
            "element type i1 is not supported, expected an integer or floating-point type",
        ),
    ],
)
def test_rejects(build: Callable[..., Any], a: Any, b: Any, message: str) -> None:
    with pytest.raises(ShapeError) as caught:
        build("nn.matmul", a, b)
    assert str(caught.value) == message
