"""The operator tables of PyTorch and JAX against ONNX Runtime, and what the reader of graphs refuses."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

Shapes = Sequence[Sequence[int]]


def _random(*shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


def _ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


_ROW = _random(6)
_IMAGE = ((2, 4, 9, 8),)
_FILTER = _random(6, 2, 3, 3)
_VARIANCE = np.linspace(0.5, 2, 4, dtype=np.float32)

CASES: dict[str, tuple[str, Shapes, Sequence[Any], dict[str, Any]]] = {
    "relu": ("Relu", [(3, 4)], [], {}),
    "identity": ("Identity", [(3, 4)], [], {}),
    "matmul": ("MatMul", [(2, 3, 4), (4, 5)], [], {}),
    "add": ("Add", [(3, 6)], [_ROW], {}),
    "mul": ("Mul", [(3, 6), (3, 1)], [], {}),
    "div": ("Div", [(3, 6)], [np.float32(3)], {}),
    "max": ("Max", [(3, 6)], [_ROW], {}),
    "softmax": ("Softmax", [(3, 4, 5)], [], {"axis": 1}),
    "softmax of the last axis": ("Softmax", [(3, 4, 5)], [], {}),
    "transpose": ("Transpose", [(2, 3, 4)], [], {"perm": [2, 0, 1]}),
    "transpose of all": ("Transpose", [(2, 3, 4)], [], {}),
    "transpose of keys": ("Transpose", [(2, 3, 4, 5)], [], {"perm": [0, 2, 3, 1]}),
    "flatten": ("Flatten", [(2, 3, 4)], [], {}),
    "reshape": ("Reshape", [(2, 3, 4)], [_ints(0, -1)], {}),
    "concat": ("Concat", [(2, 3), (2, 4)], [], {"axis": 1}),
    "gelu": ("Gelu", [(3, 6)], [], {}),
    "gelu by tanh": ("Gelu", [(3, 6)], [], {"approximate": "tanh"}),
    "gemm": ("Gemm", [(3, 6)], [_random(6, 5), _random(5)], {}),
    "gemm, transposed and scaled": (
        "Gemm",
        [(6, 3)],
        [_random(5, 6), _random(5)],
        {"transA": 1, "transB": 1, "alpha": 0.5, "beta": 2.0},
    ),
    "layer normalization": ("LayerNormalization", [(3, 4, 6)], [_ROW, _ROW + 1], {"epsilon": 1e-3}),
    "batch normalization": (
        "BatchNormalization",
        _IMAGE,
        [_VARIANCE, _VARIANCE + 1, _VARIANCE - 1, _VARIANCE],
        {"epsilon": 1e-3},
    ),
    "convolution": ("Conv", _IMAGE, [_random(6, 4, 3, 3), _ROW], {"pads": [1] * 4}),
    "convolution, strided, dilated, in groups": (
        "Conv",
        _IMAGE,
        [_FILTER],
        {"strides": [2, 1], "dilations": [1, 2], "group": 2, "pads": [1, 0, 2, 1]},
    ),
    "convolution, padded by itself": ("Conv", _IMAGE, [_random(6, 4, 2, 3)], {"auto_pad": "SAME_LOWER"}),
    "convolution of a line": ("Conv", [(1, 4, 9)], [_random(4, 1, 3)], {"group": 4, "pads": [1, 1]}),
    "max pool": ("MaxPool", _IMAGE, [], {"kernel_shape": [3, 2], "strides": [2, 2], "pads": [1, 0, 1, 1]}),
    "max pool, padded by itself": (
        "MaxPool",
        _IMAGE,
        [],
        {"kernel_shape": [3, 3], "strides": [2, 2], "auto_pad": "SAME_UPPER"},
    ),
    "average pool": ("AveragePool", _IMAGE, [], {"kernel_shape": [3, 3], "strides": [2, 1]}),
    "average pool, padded": ("AveragePool", _IMAGE, [], {"kernel_shape": [3, 3], "pads": [1] * 4}),
    "average pool with its padding": (
        "AveragePool",
        _IMAGE,
        [],
        {"kernel_shape": [3, 3], "pads": [1] * 4, "count_include_pad": 1},
    ),
    "global average pool": ("GlobalAveragePool", _IMAGE, [], {}),
    "mean": ("ReduceMean", [(3, 4, 6)], [_ints(-1)], {"keepdims": 0}),
    "sum": ("ReduceSum", [(3, 4, 6)], [_ints(0, 2)], {}),
    "prelu by channel": ("PRelu", _IMAGE, [_VARIANCE.reshape(4, 1, 1)], {}),
    "prelu": ("PRelu", [(3, 6)], [_ROW], {}),
    "leaky relu": ("LeakyRelu", [(3, 6)], [], {"alpha": 0.2}),
    "pad": ("Pad", _IMAGE, [_ints(0, 0, 1, 2, 0, 0, 0, 3), np.float32(0.5)], {}),
    "clip": ("Clip", [(3, 6)], [np.float32(-0.5), np.float32(0.5)], {}),
}


def _model(operator: str, inputs: Shapes, constants: Sequence[Any], attributes: dict[str, Any]) -> Any:
    helper, numpy_helper = onnx.helper, onnx.numpy_helper
    names = [f"x{i}" for i in range(len(inputs))]
    weights = [numpy_helper.from_array(np.asarray(c), f"c{i}") for i, c in enumerate(constants)]
    given = [helper.make_tensor_value_info(n, 1, list(s)) for n, s in zip(names, inputs, strict=True)]
    node = helper.make_node(operator, [*names, *(w.name for w in weights)], ["y"], **attributes)
    graph = helper.make_graph([node], "g", given, [helper.make_tensor_value_info("y", 1, None)], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


@pytest.fixture
def graph() -> ModuleType:
    """The reader of graphs (its folder is on the path by then)."""
    import benchmarks.graph

    return benchmarks.graph


def _operators(framework: str) -> Any:
    if importlib.util.find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")
    return importlib.import_module(f"benchmarks.{framework}_operators").OPERATORS


@pytest.mark.parametrize("framework", ["jax", "torch"])
@pytest.mark.parametrize("case", CASES)
def test_an_operator_gives_what_onnx_runtime_gives(graph: Any, framework: str, case: str) -> None:
    table, model = _operators(framework), _model(*CASES[case])
    steps = graph.Steps(graph.read_graph(model), table)
    inputs = [_random(*shape) for shape in CASES[case][1]]
    if framework == "torch":
        torch = importlib.import_module("torch")
        constants = {name: torch.from_numpy(array.copy()) for name, array in steps.constants.items()}
        (found,) = steps.run(constants, [torch.from_numpy(array) for array in inputs])
    else:
        jax = importlib.import_module("jax")
        (found,) = jax.jit(lambda *x: steps.run(steps.constants, x))(*inputs)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    (right,) = session.run(None, {f"x{i}": array for i, array in enumerate(inputs)})
    np.testing.assert_allclose(np.asarray(found), right, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("framework", ["jax", "torch"])
def test_every_operator_of_a_table_is_tested(framework: str) -> None:
    assert set(_operators(framework)) == {operator for operator, *_ in CASES.values()}


def test_an_operator_that_no_table_has_is_named(graph: Any) -> None:
    model = _model("Erf", [(3,)], [], {})
    with pytest.raises(graph.Unsupported, match="no operator Erf"):
        graph.Steps(graph.read_graph(model), _operators("jax"))


def test_what_a_node_cannot_be_is_refused(graph: Any) -> None:
    pool = _model("MaxPool", _IMAGE, [], {"kernel_shape": [2, 2], "ceil_mode": 1})
    with pytest.raises(graph.Unsupported, match="MaxPool: ceil_mode"):
        graph.Steps(graph.read_graph(pool), _operators("jax"))


def test_older_operator_sets_have_attributes_for_constants(graph: Any) -> None:
    node = graph.Node("Clip", ("x",), "y", {"min": -1.0, "max": 2.0}, {}, 6)
    compute = _operators("jax")["Clip"](node)
    np.testing.assert_array_equal(compute(np.array([-3.0, 0, 3])), [-1, 0, 2])
