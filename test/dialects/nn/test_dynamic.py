"""Ops whose shapes are values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import TensorType, f32, i32, i64

from lamina.dialects.nn.base import ShapeError, make


def with_shape(name: str, operand: list[int], shape: list[int], **attributes: Any) -> Any:
    """The op on a tensor of these extents and a constant shape."""
    x = test.TestOp(result_types=[TensorType(f32, operand)]).results[0]
    value = np.array(shape, np.int64)
    constant = make("nn.constant", [], [TensorType(i64, value.shape)], value=value)
    return make(name, [x, constant], **attributes)


def test_shape_of(run: Callable[..., Any]) -> None:
    assert run("nn.shape_of", np.zeros((2, 0, 3), np.float32)).tolist() == [2, 0, 3]
    assert run("nn.shape_of", np.float32(1)).tolist() == []


@pytest.mark.parametrize(
    ("shape", "wanted", "allowzero", "expected"),
    [
        ((2, 6), (3, 4), False, (3, 4)),
        ((2, 6), (0, -1), False, (2, 6)),
        ((2, 6), (0, 3, 2), False, (2, 3, 2)),
        ((0, 6), (3, 0), True, (3, 0)),
        ((0, 6), (0, 2, 3), False, (0, 2, 3)),
    ],
)
def test_dynamic_reshape(
    extents: Callable[..., Any],
    run: Callable[..., Any],
    shape: Any,
    wanted: Any,
    allowzero: bool,
    expected: Any,
) -> None:
    x = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    got = run("nn.dynamic_reshape", x, np.array(wanted), allowzero=allowzero)
    assert got.shape == expected
    assert got.ravel().tolist() == x.ravel().tolist()
    known = with_shape("nn.dynamic_reshape", list(shape), list(wanted), allowzero=allowzero)
    assert extents(known) == [expected]


@pytest.mark.parametrize(
    ("shape", "wanted", "expected"),
    [
        ((3, 1), (2, 1, 6), (2, 3, 6)),
        ((3, 1), (4,), (3, 4)),
        ((2, 3), (1, 1, 1), (1, 2, 3)),
        ((1,), (0,), (0,)),
    ],
)
def test_dynamic_broadcast_to(
    extents: Callable[..., Any], run: Callable[..., Any], shape: Any, wanted: Any, expected: Any
) -> None:
    x = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    got = run("nn.dynamic_broadcast_to", x, np.array(wanted))
    np.testing.assert_array_equal(got, x * np.ones(wanted, int))
    assert got.shape == expected
    known = with_shape("nn.dynamic_broadcast_to", list(shape), list(wanted))
    assert extents(known) == [expected]


@pytest.mark.parametrize(
    ("name", "operands", "shape"),
    [
        ("nn.dynamic_reshape", [[2, 6], ([3], i64)], (-1, -1, -1)),
        ("nn.dynamic_broadcast_to", [[3, 1], ([3], i64)], (-1, 3, -1)),
        ("nn.dynamic_broadcast_to", [[2, 1, 3], ([1], i64)], (2, 1, 3)),
    ],
)
def test_shapes_of_unknown_values(
    extents: Callable[..., Any], build: Callable[..., Any], name: str, operands: Any, shape: Any
) -> None:
    assert extents(build(name, *operands)) == [shape]


def test_an_unknown_extent_that_is_copied(extents: Callable[..., Any]) -> None:
    assert extents(with_shape("nn.dynamic_reshape", [-1, 6], [0, 3, 2])) == [(-1, 3, 2)]
    assert extents(with_shape("nn.dynamic_reshape", [-1, 6], [0, -1])) == [(-1, -1)]


def test_rejects(build: Callable[..., Any]) -> None:
    expectation = "expected tensor<R x i64> with a static R"
    for bad, text in (([3], "tensor<3xf32>"), (([3], i32), "tensor<3xi32>"), (([-1], i64), "tensor<?xi64>")):
        with pytest.raises(ShapeError) as caught:
            build("nn.dynamic_reshape", [2, 6], bad)
        assert str(caught.value) == f"the shape has type {text}, {expectation}"


@pytest.mark.parametrize(
    ("name", "operand", "shape", "message"),
    [
        (
            "nn.dynamic_reshape",
            [2, 6],
            [-1, -1],
            "the shape is [-1, -1], expected extents and at most one -1",
        ),
        (
            "nn.dynamic_reshape",
            [2, 6],
            [3, 4, 0],
            "the shape [3, 4, 0] copies dimension 2, which the operand does not have",
        ),
        ("nn.dynamic_reshape", [2, 6], [5], "[2, 6] has 12 elements, the shape [5] has 5"),
        ("nn.dynamic_broadcast_to", [2, 6], [-1], "the shape is [-1], expected no negative extents"),
        ("nn.dynamic_broadcast_to", [2, 6], [5], "shapes [2, 6] and [5] do not broadcast: 6 and 5 differ"),
    ],
)
def test_rejects_constant_shapes(name: str, operand: Any, shape: Any, message: str) -> None:
    with pytest.raises(ShapeError) as caught:
        with_shape(name, operand, shape)
    assert str(caught.value) == message
