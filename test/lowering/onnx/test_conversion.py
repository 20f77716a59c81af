"""``convert-onnx-to-nn``: what it reports, and importers' classic faults against ONNX Runtime."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import lamina
from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.onnx.table import DEFAULT_DOMAIN
from lamina.lowering.onnx.convert_onnx_to_nn import import_onnx
from lamina.lowering.onnx.rule_table import first_opset

onnx = pytest.importorskip("onnx")
helper, TensorProto = onnx.helper, onnx.TensorProto
Run = Callable[..., list[np.ndarray]]


def _model(
    nodes: list[Any], inputs: Mapping[str, np.ndarray], constants: Mapping[str, Any], opset: int
) -> Any:
    kinds = {name: helper.np_dtype_to_tensor_dtype(a.dtype) for name, a in inputs.items()}
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(name, kinds[name], a.shape) for name, a in inputs.items()],
        [onnx.ValueInfoProto(name="y")],
        initializer=[onnx.numpy_helper.from_array(np.asarray(v), name) for name, v in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def _check(
    run_nn: Run,
    node: Any,
    inputs: Mapping[str, np.ndarray],
    constants: Mapping[str, Any] | None = None,
    opset: int = 17,
    tolerance: float = 1e-5,
) -> None:
    """One node in `nn` gives what ONNX Runtime gives."""
    onnxruntime = pytest.importorskip("onnxruntime")
    model = _model([node], inputs, constants or {}, opset)
    typed = onnx.shape_inference.infer_shapes(model)
    session = onnxruntime.InferenceSession(typed.SerializeToString(), providers=["CPUExecutionProvider"])
    [want] = session.run(None, dict(inputs))
    [result] = run_nn(import_onnx(model), list(inputs.values()))
    assert result.shape == want.shape
    assert result.dtype == want.dtype
    np.testing.assert_allclose(result, want, rtol=tolerance, atol=tolerance)


def _random(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


POOLS = [
    dict(kernel_shape=[3, 3], strides=[2, 2], ceil_mode=ceil, pads=pads)
    for ceil, pads in itertools.product([0, 1], [[0, 0, 0, 0], [1, 1, 1, 1], [1, 0, 0, 1]])
] + [
    dict(kernel_shape=[3, 3], strides=[2, 3], auto_pad="SAME_UPPER"),
    dict(kernel_shape=[2, 3], strides=[2, 2], auto_pad="SAME_LOWER"),
    dict(kernel_shape=[2, 2], strides=[3, 3], auto_pad="VALID"),
]


@pytest.mark.parametrize("size", [7, 8])
@pytest.mark.parametrize("attributes", POOLS)
def test_pooling(attributes: dict[str, Any], size: int, run_nn: Run) -> None:
    x = {"x": _random(2, 3, size, size + 1)}
    _check(run_nn, helper.make_node("MaxPool", ["x"], ["y"], **attributes), x, opset=19)
    for include in (0, 1):
        node = helper.make_node("AveragePool", ["x"], ["y"], count_include_pad=include, **attributes)
        _check(run_nn, node, x, opset=19)


CONVOLUTIONS = [
    ([1, 6, 9], [4, 6, 3], {}),
    ([2, 6, 9], [6, 1, 3], dict(group=6, pads=[1, 2], dilations=[2], strides=[2])),
    ([2, 4, 8, 9], [4, 2, 3, 2], dict(group=2, strides=[2, 1], dilations=[2, 1], pads=[2, 0, 1, 1])),
    ([2, 4, 8, 9], [6, 4, 3, 3], dict(auto_pad="SAME_UPPER", strides=[2, 2])),
    ([2, 4, 8, 9], [6, 4, 2, 2], dict(auto_pad="SAME_LOWER", strides=[3, 1])),
    ([1, 2, 5, 6, 7], [4, 1, 2, 3, 2], dict(group=2, strides=[2, 1, 1], pads=[1, 1, 0, 0, 1, 2])),
]


@pytest.mark.parametrize(("x", "w", "attributes"), CONVOLUTIONS)
def test_convolution(x: list[int], w: list[int], attributes: dict[str, Any], run_nn: Run) -> None:
    node = helper.make_node("Conv", ["x", "w", "b"], ["y"], **attributes)
    _check(run_nn, node, {"x": _random(*x)}, {"w": _random(*w), "b": _random(w[0])}, tolerance=1e-4)


TRANSPOSED = [
    ([1, 4, 5], [4, 3, 3], dict(strides=[2])),
    ([2, 4, 5, 6], [4, 2, 3, 3], dict(group=2, strides=[2, 3], output_padding=[1, 2], pads=[1, 0, 1, 1])),
    ([2, 4, 5, 6], [4, 3, 3, 2], dict(auto_pad="SAME_UPPER", strides=[2, 2])),
    ([2, 4, 5, 6], [4, 3, 3, 2], dict(auto_pad="SAME_LOWER", strides=[2, 2], dilations=[2, 1])),
    ([2, 4, 5, 6], [4, 3, 3, 3], dict(output_shape=[11, 14], strides=[2, 2])),
    ([1, 1, 3, 3], [1, 1, 2, 2], dict(pads=[1, 1, 1, 1])),
]


@pytest.mark.parametrize(("x", "w", "attributes"), TRANSPOSED)
def test_transposed_convolution(x: list[int], w: list[int], attributes: dict[str, Any], run_nn: Run) -> None:
    node = helper.make_node("ConvTranspose", ["x", "w"], ["y"], **attributes)
    _check(run_nn, node, {"x": _random(*x)}, {"w": _random(*w)}, tolerance=1e-4)


@pytest.mark.parametrize(
    ("trans_a", "trans_b", "c", "alpha"),
    [(0, 0, (4,), 1.0), (1, 0, (3, 4), 0.5), (0, 1, (3, 1), 2.0), (1, 1, (1, 4), 1.0), (0, 0, (), 1.0)],
)
def test_gemm(trans_a: int, trans_b: int, c: tuple[int, ...], alpha: float, run_nn: Run) -> None:
    a, b = _random(*((5, 3) if trans_a else (3, 5))), _random(*((4, 5) if trans_b else (5, 4)))
    node = helper.make_node(
        "Gemm", ["a", "b", "c"], ["y"], transA=trans_a, transB=trans_b, alpha=alpha, beta=0.25
    )
    _check(run_nn, node, {"a": a}, {"b": b, "c": _random(*c)})


@pytest.mark.parametrize(
    ("a", "b"),
    [((3,), (3,)), ((3,), (2, 3, 4)), ((2, 4, 3), (3,)), ((5, 1, 2, 3), (4, 3, 1)), ((2, 3), (3, 2))],
)
def test_matmul_of_any_ranks(a: tuple[int, ...], b: tuple[int, ...], run_nn: Run) -> None:
    _check(run_nn, helper.make_node("MatMul", ["a", "b"], ["y"]), {"a": _random(*a), "b": _random(*b)})


@pytest.mark.parametrize("axis", [-2, 0, 2])
def test_negative_indices(axis: int, run_nn: Run) -> None:
    x, indices = _random(3, 4, 3), np.array([[-1, 0], [2, -3]])
    _check(run_nn, helper.make_node("Gather", ["x", "i"], ["y"], axis=axis), {"x": x}, {"i": indices})
    places = np.array([[[-1, 1, 0]], [[2, -2, -3]]])
    node = helper.make_node("GatherElements", ["x", "i"], ["y"], axis=axis)
    _check(run_nn, node, {"x": x, "i": places})
    updates = _random(2, 1, 3)
    for values in (_random(2, 1, 3), updates):
        node = helper.make_node("ScatterElements", ["x", "i", "u"], ["y"], axis=1)
        _check(run_nn, node, {"x": x, "i": places[:, :, :], "u": values}, opset=18)


@pytest.mark.parametrize("opset", [9, 13])
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("op_type", ["Softmax", "LogSoftmax", "Hardmax"])
def test_softmax_before_and_after_operator_set_13(op_type: str, axis: int, opset: int, run_nn: Run) -> None:
    _check(run_nn, helper.make_node(op_type, ["x"], ["y"], axis=axis), {"x": _random(2, 3, 4)}, opset=opset)


def test_product_with_zero_keeps_nan(run_nn: Run) -> None:
    x = np.array([np.nan, np.inf, 1.0], np.float32)
    _check(run_nn, helper.make_node("Mul", ["x", "z"], ["y"]), {"x": x}, {"z": np.zeros(3, np.float32)})


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_quantisation_at_the_ends_of_the_range(dtype: type, run_nn: Run) -> None:
    x = np.linspace(-20, 20, 41, dtype=np.float32)
    constants = {"s": np.float32(0.1), "z": dtype(3)}
    _check(run_nn, helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"]), {"x": x}, constants)
    rank_one = {"s": np.array([0.1], np.float32), "z": np.array([3], dtype)}
    _check(run_nn, helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"]), {"x": x}, rank_one)


RESIZES = list(
    itertools.product(
        [("nearest", "floor"), ("nearest", "round_prefer_ceil"), ("linear", ""), ("cubic", "")],
        ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"],
        [(2.0, 2.0), (0.5, 1.5)],
    )
)


@pytest.mark.parametrize(("mode", "coordinates", "scales"), RESIZES)
def test_resize(mode: tuple[str, str], coordinates: str, scales: tuple[float, float], run_nn: Run) -> None:
    attributes = {"mode": mode[0], "coordinate_transformation_mode": coordinates}
    attributes |= {"nearest_mode": mode[1]} if mode[1] else {}
    node = helper.make_node("Resize", ["x", "", "s"], ["y"], **attributes)
    constants = {"s": np.array([1, 1, *scales], np.float32)}
    _check(run_nn, node, {"x": _random(1, 2, 4, 6)}, constants, opset=13, tolerance=1e-4)


@pytest.mark.parametrize("steps", [5, 40])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
def test_recurrent_layers_unrolled_and_as_loops(direction: str, steps: int, run_nn: Run) -> None:
    count = 2 if direction == "bidirectional" else 1
    for op_type, gates in (("RNN", 1), ("GRU", 3), ("LSTM", 4)):
        node = helper.make_node(op_type, ["x", "w", "r", "b"], ["y"], hidden_size=4, direction=direction)
        w, r = _random(count, gates * 4, 3), _random(count, gates * 4, 4)
        constants = {"w": w, "r": r, "b": _random(count, 8 * gates)}
        _check(run_nn, node, {"x": _random(steps, 2, 3)}, constants, tolerance=1e-4)


def test_all_unsupported_operators_are_reported_at_once() -> None:
    nodes = [
        helper.make_node("NonZero", ["x"], ["i"], name="first"),
        helper.make_node("NonZero", ["x"], ["j"], name="second"),
        helper.make_node("Foo", ["x"], ["k"], domain="com.example", name="third"),
        helper.make_node("Abs", ["i"], ["a"]),
        helper.make_node("Concat", ["a", "j", "k"], ["y"], axis=0),
    ]
    with pytest.raises(LaminaError) as caught:
        import_onnx(_model(nodes, {"x": _random(2, 3)}, {}, 13))
    [diagnostic] = caught.value.diagnostics
    assert "cannot be converted: NonZero, com.example.Foo" in diagnostic.message
    assert [note.message for note in diagnostic.notes] == [
        "NonZero: 2 nodes, first 'first': there is no conversion for this operator",
        "com.example.Foo: 1 node, first 'third': there is no conversion for this operator",
    ]


def test_unsupported_operators_that_nothing_reads_do_not_matter(run_nn: Run) -> None:
    nodes = [helper.make_node("NonZero", ["x"], ["i"]), helper.make_node("Abs", ["x"], ["y"])]
    x = _random(2, 3)
    [result] = run_nn(import_onnx(_model(nodes, {"x": x}, {}, 13)), [x])
    np.testing.assert_array_equal(result, np.abs(x))


def test_old_operator_sets_are_refused() -> None:
    with pytest.raises(LaminaError, match="uses operator set 6; 7 is the oldest"):
        import_onnx(_model([helper.make_node("Abs", ["x"], ["y"])], {"x": _random(2)}, {}, 6))


def test_wrong_shapes_are_an_error_with_the_node() -> None:
    node = helper.make_node("MatMul", ["a", "b"], ["y"], name="dense")
    with pytest.raises(LaminaError) as caught:
        import_onnx(_model([node], {"a": _random(2, 3), "b": _random(2, 3)}, {}, 13))
    assert "MatMul: 1 node, first 'dense'" in str(caught.value)


def test_fixed_input_shapes_and_values(run_nn: Run) -> None:
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", "m"]),
        helper.make_tensor_value_info("axes", TensorProto.INT64, [1]),
    ]
    node = helper.make_node("ReduceSum", ["x", "axes"], ["y"], keepdims=0)
    graph = helper.make_graph([node], "g", inputs, [onnx.ValueInfoProto(name="y")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    with pytest.raises(LaminaError, match="its list of axes is no constant"):
        import_onnx(model)
    x = _random(2, 3)
    module = import_onnx(model, input_shapes={"x": [2, 3]}, constants={"axes": np.array([1])})
    [result] = run_nn(module, [x, np.array([1])])
    np.testing.assert_allclose(result, x.sum(1), rtol=1e-6)
    with pytest.raises(LaminaError, match="no input 'axis'"):
        import_onnx(model, constants={"axis": np.array([1])})
    with pytest.raises(LaminaError, match="cannot have the shape"):
        import_onnx(model, input_shapes={"x": [2, 3, 4]})


def test_recurrent_layers_of_unknown_length_compile() -> None:
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["steps", "batch", 3])]
    node = helper.make_node("GRU", ["x", "w", "r"], ["y", "h"], hidden_size=4, direction="bidirectional")
    weights = {"w": _random(2, 12, 3), "r": _random(2, 12, 4)}
    outputs = [onnx.ValueInfoProto(name=name) for name in ("y", "h")]
    initializers = [onnx.numpy_helper.from_array(v, name) for name, v in weights.items()]
    graph = helper.make_graph([node], "g", inputs, outputs, initializer=initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    module = import_onnx(model)
    compiled = lamina.compile(module)
    for steps, batch in ((3, 2), (50, 1)):
        x = _random(steps, batch, 3)
        for result, want in zip(compiled(x), lamina.interpret(module, x), strict=True):
            np.testing.assert_allclose(result, want, rtol=1e-4, atol=1e-5)


def test_branches_by_a_computed_condition_compile() -> None:
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3])]
    inputs.append(helper.make_tensor_value_info("c", TensorProto.BOOL, []))
    branches = {
        f"{name}_branch": helper.make_graph(
            [helper.make_node(op_type, ["x"], [name])], name, [], [onnx.ValueInfoProto(name=name)]
        )
        for name, op_type in (("then", "Neg"), ("else", "Abs"))
    }
    node = helper.make_node("If", ["c"], ["y"], **branches)
    graph = helper.make_graph([node], "g", inputs, [onnx.ValueInfoProto(name="y")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 16)], ir_version=8)
    compiled = lamina.compile(import_onnx(model))
    x = np.array([1.0, -2.0, 3.0], np.float32)
    np.testing.assert_array_equal(compiled(x, np.array(True)), -x)
    np.testing.assert_array_equal(compiled(x, np.array(False)), np.abs(x))


def test_the_list_of_operators_says_from_when_on_each_is_converted() -> None:
    assert first_opset("Relu", DEFAULT_DOMAIN) == 1
    assert first_opset("TopK", DEFAULT_DOMAIN) == 10  # before, the count was an attribute
    assert first_opset("NonZero", DEFAULT_DOMAIN) is None
