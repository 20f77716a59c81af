"""Activation functions against ONNX Runtime, and against their formulas where that has none."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import onnxruntime
import pytest
from onnx import helper

FLOATS = (np.float64, np.float32, np.float16, ml_dtypes.bfloat16)


def runtime(operator: str, *arrays: np.ndarray, **attributes: Any) -> np.ndarray:
    """The result of one ONNX operator in ONNX Runtime."""
    kinds = [helper.np_dtype_to_tensor_dtype(a.dtype) for a in arrays]
    inputs = [f"x{i}" for i in range(len(arrays))]
    graph = helper.make_graph(
        [helper.make_node(operator, inputs, ["y"], **attributes)],
        "one",
        [helper.make_tensor_value_info(n, k, a.shape) for n, k, a in zip(inputs, kinds, arrays, strict=True)],
        [helper.make_tensor_value_info("y", kinds[0], arrays[0].shape)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    (result,) = session.run(None, dict(zip(inputs, arrays, strict=True)))
    assert isinstance(result, np.ndarray)
    return result


X = np.concatenate([np.linspace(-6, 6, 97), [0.0, -0.0, 1e-3, -1e-3, 30, -30]]).astype(np.float32)

CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("nn.relu", "Relu", {}),
    ("nn.sigmoid", "Sigmoid", {}),
    ("nn.softplus", "Softplus", {}),
    ("nn.softsign", "Softsign", {}),
    ("nn.hard_swish", "HardSwish", {}),
    ("nn.gelu", "Gelu", {"approximate": "none"}),
    ("nn.gelu", "Gelu", {"approximate": "tanh"}),
    ("nn.gelu", "Gelu", {}),
    ("nn.leaky_relu", "LeakyRelu", {}),
    ("nn.leaky_relu", "LeakyRelu", {"alpha": 0.25}),
    ("nn.elu", "Elu", {}),
    ("nn.elu", "Elu", {"alpha": 0.5}),
    ("nn.selu", "Selu", {}),
    ("nn.selu", "Selu", {"alpha": 2.0, "gamma": 3.0}),
    ("nn.celu", "Celu", {}),
    ("nn.celu", "Celu", {"alpha": 2.0}),
    ("nn.hard_sigmoid", "HardSigmoid", {}),
    ("nn.hard_sigmoid", "HardSigmoid", {"alpha": 0.5, "beta": 0.25}),
    ("nn.thresholded_relu", "ThresholdedRelu", {}),
    ("nn.thresholded_relu", "ThresholdedRelu", {"alpha": -0.5}),
]


@pytest.mark.parametrize(("name", "operator", "attributes"), CASES)
def test_equals_onnx_runtime(run: Callable[..., Any], name: str, operator: str, attributes: Any) -> None:
    got = run(name, X, **attributes)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, runtime(operator, X, **attributes), rtol=3e-6, atol=2e-6)


@pytest.mark.parametrize(("name", "operator", "attributes"), CASES)
def test_other_types_are_rounded_f64_results(
    run: Callable[..., Any], name: str, operator: str, attributes: Any
) -> None:
    for dtype in FLOATS:
        x = X.astype(dtype)
        got = run(name, x, **attributes)
        wide = run(name, x.astype(np.float64), **attributes)
        assert got.dtype == dtype
        tolerance = float(ml_dtypes.finfo(dtype).eps)
        np.testing.assert_allclose(got.astype(np.float64), wide, rtol=tolerance, atol=1e-7)


def test_silu_is_x_times_sigmoid(run: Callable[..., Any]) -> None:
    wanted = [float(x) / (1 + math.exp(-float(x))) for x in X]
    np.testing.assert_allclose(run("nn.silu", X), wanted, rtol=1e-6)


def test_small_results_of_gelu_keep_their_digits(run: Callable[..., Any]) -> None:
    x = np.array([-3.0, -6.0, -9.0, -12.0])
    wanted = [0.5 * v * math.erfc(-v / math.sqrt(2)) for v in x]
    np.testing.assert_allclose(run("nn.gelu", x), wanted, rtol=1e-14)


@pytest.mark.parametrize("name", sorted({case[0] for case in CASES} | {"nn.silu"}))
def test_large_values_do_not_overflow(run: Callable[..., Any], name: str) -> None:
    for dtype in FLOATS:
        largest = float(ml_dtypes.finfo(dtype).max)
        got = run(name, np.array([largest, -largest, math.nan], dtype)).astype(np.float64)
        if name == "nn.thresholded_relu":
            assert got[2] == 0
        else:
            assert np.isnan(got[2])
        if name not in ("nn.selu", "nn.leaky_relu"):
            assert np.isfinite(got[:2]).all()


def test_relu_makes_zeros_positive(run: Callable[..., Any]) -> None:
    for dtype in FLOATS:
        got = run("nn.relu", np.array([-0.0, 0.0, -1.0, 2.0], dtype)).astype(np.float64)
        assert got.tolist() == [0, 0, 0, 2] and not np.signbit(got).any()
    assert run("nn.relu", np.array([-128, 127], np.int8)).tolist() == [0, 127]
    assert run("nn.relu", np.array([0, 255], np.uint8)).tolist() == [0, 255]


@pytest.mark.parametrize("slope", [(), (1,), (3,), (2, 1), (1, 1, 3)])
def test_prelu_broadcasts_its_slope(run: Callable[..., Any], slope: Any) -> None:
    random = np.random.default_rng(0)
    x = random.standard_normal((4, 2, 3)).astype(np.float32)
    s = random.standard_normal(slope).astype(np.float32)
    np.testing.assert_array_equal(run("nn.prelu", x, s), np.where(x >= 0, x, x * s))
    if slope:
        np.testing.assert_allclose(run("nn.prelu", x, s), runtime("PRelu", x, s))


@pytest.mark.parametrize(
    ("dtype", "low", "high", "wanted"),
    [
        (np.float32, -1.0, 1.0, [-1, -1, -0.5, 0, 1, 1, math.nan]),
        (np.float32, None, 1.0, [-math.inf, -3, -0.5, 0, 1, 1, math.nan]),
        (np.float16, -1.0, None, [-1, -1, -0.5, 0, 2, math.inf, math.nan]),
        (ml_dtypes.bfloat16, 1.0, -1.0, [-1, -1, -1, -1, -1, -1, math.nan]),
    ],
)
def test_clip(run: Callable[..., Any], dtype: Any, low: Any, high: Any, wanted: Any) -> None:
    x = np.array([-math.inf, -3, -0.5, 0, 2, math.inf, math.nan], dtype)
    got = run("nn.clip", x, min=low, max=high)
    assert got.dtype == dtype
    np.testing.assert_array_equal(got.astype(np.float64), wanted)


def test_clip_of_integers(run: Callable[..., Any]) -> None:
    assert run("nn.clip", np.array([-128, 0, 127], np.int8), min=-2, max=5).tolist() == [-2, 0, 5]
    large = (1 << 64) - 1
    assert run("nn.clip", np.array([1, large], np.uint64), min=7).tolist() == [7, large]


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2])
@pytest.mark.parametrize(("name", "operator"), [("nn.softmax", "Softmax"), ("nn.log_softmax", "LogSoftmax")])
def test_softmax_equals_onnx_runtime(run: Callable[..., Any], name: str, operator: str, axis: int) -> None:
    x = np.random.default_rng(0).standard_normal((2, 3, 4)).astype(np.float32) * 20
    np.testing.assert_allclose(run(name, x, axis=axis), runtime(operator, x, axis=axis), rtol=2e-5, atol=1e-6)


def test_softmax_is_stable(run: Callable[..., Any]) -> None:
    for dtype in FLOATS:
        largest = float(ml_dtypes.finfo(dtype).max)
        x = np.array([[largest, largest], [-largest, largest], [-math.inf, 0]], dtype)
        assert run("nn.softmax", x, axis=1).tolist() == [[0.5, 0.5], [0, 1], [0, 1]]
        logs = run("nn.log_softmax", x, axis=-1).astype(np.float64)
        np.testing.assert_allclose(logs[0], -math.log(2), rtol=4e-3)


@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 3)])
def test_softmax_of_nothing(run: Callable[..., Any], shape: Any) -> None:
    for axis in range(len(shape)):
        for name in ("nn.softmax", "nn.log_softmax"):
            assert run(name, np.zeros(shape, np.float32), axis=axis).shape == shape


def test_unknown_extents(build: Callable[..., Any], extents: Any) -> None:
    assert extents(build("nn.prelu", [-1, 3], [3])) == [(-1, 3)]
    assert extents(build("nn.softmax", [-1, 3], axis=-2)) == [(-1, 3)]
    assert extents(build("nn.clip", [-1, 3], min=0.0)) == [(-1, 3)]
