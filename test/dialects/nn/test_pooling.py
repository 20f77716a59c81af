"""nn.max_pool2d and nn.avg_pool2d against loops and against ONNX Runtime."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import i32

from lamina.dialects.nn.base import ShapeError


def windows(extent: int, k: int, s: int, low: int, high: int, d: int, ceil: bool) -> list[list[int]]:
    """The positions that each window along an axis covers, padding included."""
    room = extent + low + high - (k - 1) * d - 1
    count = (math.ceil(room / s) if ceil else room // s) + 1
    starts = [i * s - low for i in range(count)]
    return [[start + p * d for p in range(k)] for start in starts if not (ceil and start >= extent)]


def naive(x: np.ndarray, a: dict[str, Any], average: bool, include: bool = False) -> np.ndarray:
    """Pooling by the definition, one window at a time (NCHW)."""
    rows = windows(
        x.shape[2],
        a["kernel"][0],
        a["strides"][0],
        a["pads"][0],
        a["pads"][2],
        a["dilations"][0],
        a["ceil_mode"],
    )
    columns = windows(
        x.shape[3],
        a["kernel"][1],
        a["strides"][1],
        a["pads"][1],
        a["pads"][3],
        a["dilations"][1],
        a["ceil_mode"],
    )
    result = np.zeros((*x.shape[:2], len(rows), len(columns)), x.dtype)
    for n, c, i, j in np.ndindex(result.shape):
        inside = [
            x[n, c, p, q] for p in rows[i] for q in columns[j] if 0 <= p < x.shape[2] and 0 <= q < x.shape[3]
        ]
        if average:
            padded = sum(
                p < x.shape[2] + a["pads"][2] and q < x.shape[3] + a["pads"][3]
                for p in rows[i]
                for q in columns[j]
            )
            result[n, c, i, j] = np.sum(inside, dtype=np.float64) / (padded if include else len(inside))
        else:
            result[n, c, i, j] = max(inside)
    return result


ATTRIBUTES = [
    {"kernel": kernel, "strides": strides, "pads": pads, "dilations": dilations, "ceil_mode": ceil}
    for kernel, strides, pads, dilations, ceil in itertools.product(
        [(2, 2), (3, 2)], [(1, 1), (2, 3)], [(0, 0, 0, 0), (1, 0, 1, 1)], [(1, 1), (2, 1)], [False, True]
    )
]


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("attributes", ATTRIBUTES)
def test_equals_the_definition(run: Callable[..., Any], attributes: dict[str, Any], layout: str) -> None:
    x = np.random.default_rng(0).integers(-9, 9, (2, 2, 7, 6)).astype(np.float32)

    def pooled(name: str, **more: Any) -> np.ndarray:
        if layout == "NCHW":
            return run(name, x, **attributes, **more)
        return run(name, x.transpose(0, 2, 3, 1), **attributes, **more, layout=layout).transpose(0, 3, 1, 2)

    np.testing.assert_array_equal(pooled("nn.max_pool2d"), naive(x, attributes, False))
    for include in (False, True):
        got = pooled("nn.avg_pool2d", count_include_pad=include)
        np.testing.assert_allclose(got, naive(x, attributes, True, include), rtol=1e-6)


@pytest.mark.parametrize("attributes", ATTRIBUTES)
@pytest.mark.parametrize("operator", ["MaxPool", "AveragePool", "AveragePool including padding"])
def test_agrees_with_onnx_runtime(run: Callable[..., Any], attributes: dict[str, Any], operator: str) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    from onnx import TensorProto, helper

    x = np.random.default_rng(1).standard_normal((1, 3, 8, 7)).astype(np.float32)
    kind = operator.split()[0]
    more = {"count_include_pad": int("including" in operator)} if kind == "AveragePool" else {}
    node = helper.make_node(
        kind,
        ["x"],
        ["y"],
        kernel_shape=attributes["kernel"],
        strides=attributes["strides"],
        pads=attributes["pads"],
        dilations=attributes["dilations"],
        ceil_mode=int(attributes["ceil_mode"]),
        **more,
    )
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)]
    graph = helper.make_graph(
        [node], "g", inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    expected = session.run(None, {"x": x})[0]
    name = {"MaxPool": "nn.max_pool2d", "AveragePool": "nn.avg_pool2d"}[kind]
    got = run(name, x, **attributes, **{key: bool(value) for key, value in more.items()})
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.float16, np.float64, ml_dtypes.bfloat16])
def test_element_types_of_max(run: Callable[..., Any], dtype: Any) -> None:
    x = np.random.default_rng(0).integers(0, 100, (1, 1, 4, 4)).astype(dtype)
    expected = x.astype(np.float64).reshape(1, 1, 2, 2, 2, 2).max(axis=(3, 5)).astype(dtype)
    np.testing.assert_array_equal(run("nn.max_pool2d", x, kernel=[2, 2], strides=[2, 2]), expected)


def test_padding_is_never_the_maximum(run: Callable[..., Any]) -> None:
    x = np.full((1, 1, 2, 2), -5, np.int8)
    assert (run("nn.max_pool2d", x, kernel=[2, 2], pads=[1, 1, 1, 1]) == -5).all()


def test_nan_propagates(run: Callable[..., Any]) -> None:
    x = np.array([[[[np.nan, 1, 2, 3]]]], np.float32)
    for name in ("nn.max_pool2d", "nn.avg_pool2d"):
        got = run(name, x, kernel=[1, 2], strides=[1, 2])
        assert np.isnan(got[0, 0, 0, 0]), name
        assert not np.isnan(got[0, 0, 0, 1]), name


def test_a_window_of_padding_only(run: Callable[..., Any]) -> None:
    """Dilated taps on both sides of a single element."""
    x = np.ones((1, 1, 1, 1), np.float32)
    arguments = {"kernel": [1, 2], "dilations": [1, 2], "pads": [0, 1, 0, 1]}
    assert run("nn.max_pool2d", x, **arguments).item() == -np.inf
    assert np.isnan(run("nn.avg_pool2d", x, **arguments).item())
    assert run("nn.avg_pool2d", x, **arguments, count_include_pad=True).item() == 0


def test_f16_average_does_not_overflow(run: Callable[..., Any]) -> None:
    x = np.full((1, 1, 2, 2), 60000, np.float16)
    assert run("nn.avg_pool2d", x, kernel=[2, 2]).item() == 60000


@given(data=st.data())
def test_the_reference_has_the_inferred_shape(run: Callable[..., Any], data: st.DataObject) -> None:
    """evaluate() compares them; values are those of the other tests."""
    small = st.integers(1, 3)
    kernel, strides, dilations = (data.draw(st.tuples(small, small)) for _ in range(3))
    pads = data.draw(st.lists(st.integers(0, 3), min_size=4, max_size=4))
    reach = [(k - 1) * d + 1 - low for k, d, low in zip(kernel, dilations, pads, strict=False)]
    extents = [data.draw(st.integers(max(n, 0), max(n, 0) + 4)) for n in reach]
    attributes = {"kernel": kernel, "strides": strides, "pads": pads, "dilations": dilations}
    attributes["ceil_mode"] = data.draw(st.booleans())
    layout = data.draw(st.sampled_from(["NCHW", "NHWC"]))
    shape = (1, 2, *extents) if layout == "NCHW" else (1, *extents, 2)
    for name in ("nn.max_pool2d", "nn.avg_pool2d"):
        run(name, np.zeros(shape, np.float32), **attributes, layout=layout)


@pytest.mark.parametrize(
    ("x", "attributes", "shape"),
    [
        ((-1, 3, 8, 8), {"kernel": [2, 2]}, (-1, 3, 7, 7)),
        ((1, -1, -1, 8), {"kernel": [2, 2], "strides": [2, 2]}, (1, -1, -1, 4)),
        ((0, 3, 8, 8), {"kernel": [2, 2]}, (0, 3, 7, 7)),
        ((1, 3, 0, 8), {"kernel": [2, 2]}, (1, 3, 0, 7)),
        ((1, 8, 9, 0), {"kernel": [2, 2], "layout": "NHWC"}, (1, 7, 8, 0)),
        ((1, 1, 5, 5), {"kernel": [2, 2], "strides": [2, 2], "ceil_mode": True}, (1, 1, 3, 3)),
        (
            (1, 1, 4, 4),
            {"kernel": [1, 1], "strides": [2, 2], "pads": [0, 0, 1, 1], "ceil_mode": True},
            (1, 1, 2, 2),
        ),
    ],
)
def test_shapes(
    extents: Callable[..., Any], build: Callable[..., Any], x: Any, attributes: Any, shape: Any
) -> None:
    for name in ("nn.max_pool2d", "nn.avg_pool2d"):
        assert extents(build(name, x, **attributes)) == [shape]


@pytest.mark.parametrize(
    ("name", "operand", "attributes", "message"),
    [
        ("nn.max_pool2d", [3, 8, 8], {"kernel": [2, 2]}, "the input has rank 3, expected 4"),
        ("nn.max_pool2d", [1, 3, 8, 8], {}, "attribute 'kernel' is None, expected array<i64: …>"),
        ("nn.max_pool2d", [1, 3, 8, 8], {"kernel": [2]}, "attribute 'kernel' has 1 entries, expected 2"),
        (
            "nn.max_pool2d",
            [1, 3, 2, 8],
            {"kernel": [3, 3]},
            "the window spans 3 rows, more than the padded input's 2",
        ),
        (
            "nn.avg_pool2d",
            ([1, 3, 8, 8], i32),
            {"kernel": [2, 2]},
            "element type i32 is not supported, expected a floating-point type",
        ),
        (
            "nn.avg_pool2d",
            [1, 3, 8, 8],
            {"kernel": [2, 2], "ceil_mode": 1},
            "attribute 'ceil_mode' is 1 : i64, expected true or false",
        ),
    ],
)
def test_rejects(build: Callable[..., Any], name: str, operand: Any, attributes: Any, message: str) -> None:
    with pytest.raises(ShapeError) as caught:
        build(name, operand, **attributes)
    assert str(caught.value) == message
