"""nn.conv2d against a loop over every output element, and against ONNX Runtime."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import f16, i1

from lamina.dialects.nn.base import ShapeError


def naive(
    x: np.ndarray,
    w: np.ndarray,
    strides: tuple[int, int],
    pads: tuple[int, ...],
    dilations: tuple[int, int],
    groups: int,
) -> np.ndarray:
    """The definition, one product at a time, in f64 (NCHW)."""
    n, _, height, width = x.shape
    filters, depth, kh, kw = w.shape
    oh = (height + pads[0] + pads[2] - (kh - 1) * dilations[0] - 1) // strides[0] + 1
    ow = (width + pads[1] + pads[3] - (kw - 1) * dilations[1] - 1) // strides[1] + 1
    result = np.zeros((n, filters, oh, ow))
    for b, o, i, j in np.ndindex(result.shape):
        for c, p, q in np.ndindex(depth, kh, kw):
            row = i * strides[0] + p * dilations[0] - pads[0]
            column = j * strides[1] + q * dilations[1] - pads[1]
            if 0 <= row < height and 0 <= column < width:
                channel = o // (filters // groups) * depth + c
                result[b, o, i, j] += float(x[b, channel, row, column]) * float(w[o, c, p, q])
    return result


CASES = [
    # x, w, strides, pads, dilations, groups
    ((1, 2, 5, 5), (3, 2, 3, 3), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    ((2, 2, 5, 6), (3, 2, 3, 2), (2, 1), (1, 0, 2, 1), (1, 1), 1),
    ((1, 1, 7, 7), (2, 1, 3, 3), (1, 2), (2, 2, 2, 2), (2, 3), 1),
    ((1, 4, 4, 4), (6, 2, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 2),
    ((1, 4, 5, 5), (4, 1, 3, 3), (2, 2), (0, 1, 1, 0), (1, 1), 4),
    ((1, 3, 5, 5), (6, 1, 3, 3), (1, 1), (1, 1, 1, 1), (2, 2), 3),
    ((2, 3, 4, 4), (5, 3, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    ((1, 3, 5, 4), (5, 3, 1, 1), (2, 2), (0, 0, 0, 0), (1, 1), 1),
    ((0, 2, 5, 5), (3, 2, 3, 3), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    ((1, 2, 5, 5), (0, 2, 3, 3), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    ((1, 0, 5, 5), (3, 0, 3, 3), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    ((1, 2, 0, 5), (3, 2, 1, 3), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    ((1, 2, 0, 5), (3, 2, 3, 3), (1, 1), (2, 0, 2, 0), (1, 1), 1),
]


def _arrays(case: Any, dtype: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    x, w, bias = (random.integers(-4, 5, shape) for shape in (case[0], case[1], case[1][:1]))
    return x.astype(dtype), w.astype(dtype), bias.astype(dtype)


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("case", CASES)
def test_equals_the_definition(run: Callable[..., Any], case: Any, layout: str) -> None:
    x, w, bias = _arrays(case, np.float32)
    expected = naive(x, w, *case[2:]) + bias[None, :, None, None]
    if layout == "NHWC":
        x, w, expected = x.transpose(0, 2, 3, 1), w.transpose(2, 3, 1, 0), expected.transpose(0, 2, 3, 1)
    _, _, strides, pads, dilations, groups = case
    got = run(
        "nn.conv2d", x, w, bias, strides=strides, pads=pads, dilations=dilations, groups=groups, layout=layout
    )
    np.testing.assert_array_equal(got, expected.astype(np.float32))


@pytest.mark.parametrize(
    "dtype", [np.float64, np.float16, ml_dtypes.bfloat16, np.int8, np.uint8, np.int32, np.int64]
)
def test_element_types(run: Callable[..., Any], dtype: Any) -> None:
    """Small integers are exact in all of them; in eight bits the sums wrap."""
    x, w, _ = _arrays(CASES[3], np.int64)
    expected = naive(x, w, *CASES[3][2:]).astype(np.int64).astype(dtype)
    got = run("nn.conv2d", x.astype(dtype), w.astype(dtype), pads=CASES[3][3], groups=2)
    np.testing.assert_array_equal(got, expected)


def test_large_integers_wrap(run: Callable[..., Any]) -> None:
    x = np.full((1, 1, 1, 2), 2**62, np.int64)
    w = np.full((1, 1, 1, 2), 3, np.int64)
    assert run("nn.conv2d", x, w).item() == 3 * 2**63 % 2**64 - 2**64


def test_f16_accumulates_in_f32(run: Callable[..., Any]) -> None:
    """2048 + 1 + 1 is 2050 only if the partial sum 2049 is held exactly."""
    x = np.array([2048, 1, 1], np.float16).reshape(1, 3, 1, 1)
    assert run("nn.conv2d", x, np.ones((1, 3, 1, 1), np.float16)).item() == 2050


@pytest.mark.parametrize(
    ("strides", "pads", "dilations", "groups"),
    [*itertools.product([(1, 1), (2, 3)], [(0, 0, 0, 0), (1, 2, 0, 1)], [(1, 1), (2, 1)], [1, 2, 4])],
)
def test_agrees_with_onnx_runtime(
    run: Callable[..., Any], strides: Any, pads: Any, dilations: Any, groups: int
) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    from onnx import TensorProto, helper

    random = np.random.default_rng(1)
    x = random.standard_normal((2, 4, 9, 8)).astype(np.float32)
    w = random.standard_normal((8, 4 // groups, 3, 2)).astype(np.float32)
    node = helper.make_node(
        "Conv", ["x", "w"], ["y"], strides=strides, pads=pads, dilations=dilations, group=groups
    )
    values = [
        helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", x.shape), ("w", w.shape))
    ]
    graph = helper.make_graph(
        [node], "g", values, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    expected = session.run(None, {"x": x, "w": w})[0]
    got = run("nn.conv2d", x, w, strides=strides, pads=pads, dilations=dilations, groups=groups)
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)


@given(data=st.data())
def test_the_reference_has_the_inferred_shape(run: Callable[..., Any], data: st.DataObject) -> None:
    """evaluate() compares them; values are those of the other tests."""
    small = st.integers(1, 3)
    groups, depth, repeat = data.draw(st.tuples(small, st.integers(0, 2), st.integers(0, 2)))
    kernel, strides, dilations = (data.draw(st.tuples(small, small)) for _ in range(3))
    pads = data.draw(st.lists(st.integers(0, 3), min_size=4, max_size=4))
    least = [
        (k - 1) * d + 1 - low - high
        for k, d, low, high in zip(kernel, dilations, pads, pads[2:], strict=False)
    ]
    extents = [data.draw(st.integers(max(n, 0), max(n, 0) + 4)) for n in least]
    x = np.zeros((data.draw(st.integers(0, 2)), groups * depth, *extents), np.float32)
    w = np.zeros((groups * repeat, depth, *kernel), np.float32)
    layout = data.draw(st.sampled_from(["NCHW", "NHWC"]))
    if layout == "NHWC":
        x, w = x.transpose(0, 2, 3, 1), w.transpose(2, 3, 1, 0)
    run("nn.conv2d", x, w, strides=strides, pads=pads, dilations=dilations, groups=groups, layout=layout)


@pytest.mark.parametrize(
    ("x", "w", "attributes", "shape"),
    [
        ((-1, 3, 8, 8), (4, 3, 3, 3), {}, (-1, 4, 6, 6)),
        ((1, 3, -1, 8), (4, 3, 3, 3), {"strides": [2, 2]}, (1, 4, -1, 3)),
        ((1, -1, 8, 8), (4, 3, -1, 3), {}, (1, 4, -1, 6)),
        ((1, 8, 8, -1), (3, 3, 3, 4), {"layout": "NHWC"}, (1, 6, 6, 4)),
    ],
)
def test_unknown_extents_propagate(
    extents: Callable[..., Any], build: Callable[..., Any], x: Any, w: Any, attributes: Any, shape: Any
) -> None:
    assert extents(build("nn.conv2d", x, w, **attributes)) == [shape]


@pytest.mark.parametrize(
    ("operands", "attributes", "message"),
    [
        (([3, 8, 8], [4, 3, 3, 3]), {}, "the input has rank 3, expected 4"),
        (([1, 3, 8, 8], [4, 3, 3]), {}, "the filter has rank 3, expected 4"),
        (
            ([1, 3, 8, 8], [4, 2, 3, 3]),
            {},
            "the input has 3 channels, expected 2 (groups = 1 times 2 channels of the filter)",
        ),
        (
            ([1, 4, 8, 8], [3, 2, 3, 3]),
            {"groups": 2},
            "groups = 2 does not divide the filter's 3 output channels",
        ),
        (([1, 3, 2, 8], [4, 3, 3, 3]), {}, "the window spans 3 rows, more than the padded input's 2"),
        (
            ([1, 3, 8, 4], [4, 3, 3, 3]),
            {"dilations": [1, 2]},
            "the window spans 5 columns, more than the padded input's 4",
        ),
        (([1, 3, 8, 8], [4, 3, 0, 3]), {}, "the filter has a 0x3 window, expected at least 1x1"),
        (
            ([1, 3, 8, 8], [4, 3, 3, 3], [3]),
            {},
            "the bias and the filter's output channels: 3 and 4 differ",
        ),
        (([1, 3, 8, 8], [4, 3, 3, 3], [1, 4]), {}, "the bias has rank 2, expected 1"),
        (
            ([1, 3, 8, 8], ([4, 3, 3, 3], f16)),
            {},
            "operand 1 has element type f16, expected f32 as operand 0 has",
        ),
        (
            (([1, 3, 8, 8], i1), ([4, 3, 3, 3], i1)),
            {},
            "element type i1 is not supported, expected an integer or floating-point type",
        ),
        (
            ([1, 3, 8, 8], [4, 3, 3, 3]),
            {"strides": [1]},
            "attribute 'strides' has 1 entries, expected 2",
        ),
        (
            ([1, 3, 8, 8], [4, 3, 3, 3]),
            {"strides": [0, 1]},
            "attribute 'strides' is [0, 1], expected entries of at least 1",
        ),
        (
            ([1, 3, 8, 8], [4, 3, 3, 3]),
            {"pads": [0, 0, 0, -1]},
            "attribute 'pads' is [0, 0, 0, -1], expected entries of at least 0",
        ),
        (([1, 3, 8, 8], [4, 3, 3, 3]), {"groups": 0}, "attribute 'groups' is 0, expected at least 1"),
        (
            ([1, 3, 8, 8], [4, 3, 3, 3]),
            {"layout": "CHWN"},
            'attribute \'layout\' is "CHWN", expected "NCHW" or "NHWC"',
        ),
    ],
)
def test_rejects(build: Callable[..., Any], operands: Any, attributes: Any, message: str) -> None:
    with pytest.raises(ShapeError) as caught:
        build("nn.conv2d", *operands, **attributes)
    assert str(caught.value) == message
