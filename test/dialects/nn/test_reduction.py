"""Reductions and argmax/argmin against plain Python loops."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import i1

from lamina.dialects.nn.base import ShapeError


def naive(
    x: np.ndarray, axes: tuple[int, ...], keepdims: bool, reduce: Callable[[list[Any]], Any]
) -> np.ndarray:
    """Group the elements by their place outside the axes, and reduce each group's Python list."""
    axes = tuple(a % x.ndim for a in axes)
    shape = [1 if d in axes else n for d, n in enumerate(x.shape)]
    groups: dict[tuple[int, ...], list[Any]] = {place: [] for place in np.ndindex(*shape)}
    for place in np.ndindex(*x.shape):
        groups[tuple(0 if d in axes else i for d, i in enumerate(place))].append(x[place].item())
    result = np.empty(shape, object)
    for place, members in groups.items():
        result[place] = reduce(members)
    return result if keepdims else result.reshape([n for d, n in enumerate(x.shape) if d not in axes])


REDUCTIONS: dict[str, Callable[[list[Any]], Any]] = {
    "nn.reduce_sum": sum,
    "nn.reduce_prod": lambda v: functools.reduce(lambda a, b: a * b, v, 1),
    "nn.reduce_max": max,
    "nn.reduce_min": min,
    "nn.reduce_mean": lambda v: sum(v) / len(v),
}
AXES = [(), (0,), (-1,), (0, 2), (2, 0, 1), (-2,)]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_floats(run: Callable[..., Any], name: str, axes: tuple[int, ...], keepdims: bool) -> None:
    x = np.random.default_rng(0).integers(-3, 4, (2, 3, 4)).astype(np.float32)
    got = run(name, x, axes=list(axes), keepdims=keepdims)
    expected = naive(x, axes, keepdims, REDUCTIONS[name]).astype(np.float32)
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_integers_wrap_and_their_mean_truncates(run: Callable[..., Any], name: str, dtype: Any) -> None:
    info = np.iinfo(dtype)
    x = np.random.default_rng(0).integers(info.min, info.max, (4, 5), dtype, endpoint=True)

    def wrapped(value: int) -> int:
        value %= 1 << info.bits
        return value - (1 << info.bits) if value > info.max else value

    def mean(values: list[int]) -> int:
        total = wrapped(sum(values))
        return int(math.copysign(1, total)) * (abs(total) // len(values))

    reduce = mean if name == "nn.reduce_mean" else lambda v: wrapped(REDUCTIONS[name](v))
    expected = naive(x, (1,), False, reduce)
    np.testing.assert_array_equal(run(name, x, axes=[1]), expected.astype(dtype))


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_narrow_floats_sum_in_f32(run: Callable[..., Any], dtype: Any) -> None:
    x = np.ones(4096, dtype)
    assert run("nn.reduce_sum", x, axes=[0]) == 4096
    assert run("nn.reduce_mean", x * dtype(60000), axes=[0]) == dtype(60000)
    assert run("nn.reduce_max", -x, axes=[0]) == -1


@pytest.mark.parametrize(
    ("name", "dtype", "identity"),
    [
        ("nn.reduce_sum", np.float32, 0),
        ("nn.reduce_prod", np.int32, 1),
        ("nn.reduce_max", np.float32, -np.inf),
        ("nn.reduce_max", np.int8, -128),
        ("nn.reduce_max", np.uint8, 0),
        ("nn.reduce_max", np.bool_, False),
        ("nn.reduce_min", np.float16, np.inf),
        ("nn.reduce_min", np.uint8, 255),
        ("nn.reduce_min", np.bool_, True),
        ("nn.reduce_and", np.bool_, True),
        ("nn.reduce_or", np.bool_, False),
        ("nn.reduce_mean", np.float32, np.nan),
        ("nn.reduce_mean", np.int32, 0),
    ],
)
def test_no_elements_give_the_identity(run: Callable[..., Any], name: str, dtype: Any, identity: Any) -> None:
    np.testing.assert_array_equal(
        run(name, np.empty((2, 0), dtype), axes=[1]), np.array([identity, identity], dtype)
    )


def test_nan_propagates(run: Callable[..., Any]) -> None:
    x = np.array([[1, np.nan, -1], [1, 2, 3]], np.float32)
    for name in REDUCTIONS:
        assert np.isnan(run(name, x, axes=[1])).tolist() == [True, False], name


@pytest.mark.parametrize(("name", "reduce"), [("nn.reduce_and", all), ("nn.reduce_or", any)])
def test_booleans(run: Callable[..., Any], name: str, reduce: Any) -> None:
    x = np.random.default_rng(0).integers(0, 4, (5, 3)) > 0
    np.testing.assert_array_equal(run(name, x, axes=[1]), naive(x, (1,), False, reduce).astype(bool))


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.uint64, np.bool_, ml_dtypes.bfloat16])
def test_argmax_and_argmin(run: Callable[..., Any], dtype: Any, keepdims: bool, last: bool) -> None:
    x = np.random.default_rng(0).integers(0, 3, (4, 6)).astype(dtype)
    for name, best in (("nn.argmax", max), ("nn.argmin", min)):

        def place(values: list[Any], best: Any = best) -> int:
            wanted = best(values)
            return len(values) - 1 - values[::-1].index(wanted) if last else values.index(wanted)

        got = run(name, x, axis=-1, keepdims=keepdims, select_last_index=last)
        np.testing.assert_array_equal(got, naive(x, (1,), keepdims, place).astype(np.int64))


def test_nan_is_the_extreme_of_argmax_and_argmin(run: Callable[..., Any]) -> None:
    x = np.array([1, np.nan, 5, np.nan], np.float32)
    for name in ("nn.argmax", "nn.argmin"):
        assert run(name, x, axis=0).item() == 1
        assert run(name, x, axis=0, select_last_index=True).item() == 3


@given(
    shape=st.lists(st.integers(0, 4), min_size=1, max_size=4),
    data=st.data(),
    keepdims=st.booleans(),
    name=st.sampled_from(sorted(REDUCTIONS)),
)
def test_the_reference_has_the_inferred_shape(
    run: Any, shape: Any, data: Any, keepdims: bool, name: str
) -> None:
    rank = len(shape)
    axes = data.draw(
        st.lists(st.integers(0, rank - 1), unique=True).map(lambda a: [d - rank if d % 2 else d for d in a])
    )
    run(name, np.zeros(shape, np.float32), axes=axes, keepdims=keepdims)


@pytest.mark.parametrize(
    ("name", "operand", "attributes", "message"),
    [
        ("nn.reduce_sum", [2, 3], {"axes": [2]}, "attribute 'axes' names axis 2 of a tensor of rank 2"),
        ("nn.reduce_sum", [2, 3], {"axes": [0, -2]}, "attribute 'axes' names an axis twice: [0, -2]"),
        ("nn.reduce_sum", [2, 3], {}, "attribute 'axes' is None, expected array<i64: …>"),
        (
            "nn.reduce_sum",
            ([2, 3], i1),
            {"axes": [0]},
            "element type i1 is not supported, expected an integer or floating-point type",
        ),
        ("nn.reduce_and", [2, 3], {"axes": [0]}, "element type f32 is not supported, expected i1"),
        ("nn.argmax", [2, 3], {"axis": -3}, "attribute 'axis' names axis -3 of a tensor of rank 2"),
        ("nn.argmin", [2, 0], {"axis": 1}, "axis 1 has extent 0, expected at least one element"),
        ("nn.argmax", [2, 3], {}, "attribute 'axis' is None, expected an integer"),
    ],
)
def test_rejects(build: Callable[..., Any], name: str, operand: Any, attributes: Any, message: str) -> None:
    with pytest.raises(ShapeError) as caught:
        build(name, operand, **attributes)
    assert str(caught.value) == message
