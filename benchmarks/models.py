"""ONNX models of the workloads, made with ``onnx.helper``: the one definition that every peer runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 20
IR_VERSION = 9

Shape = Sequence[int]
Graph = tuple[list[onnx.NodeProto], Mapping[str, np.ndarray]]
"""Nodes that compute ``y``, and the constants they use."""


def model(graph: Graph, inputs: Mapping[str, Shape], output: Shape) -> onnx.ModelProto:
    """A checked model with f32 inputs of fixed shapes and one f32 result, ``y``."""
    nodes, constants = graph
    made = helper.make_model(
        helper.make_graph(
            nodes,
            "workload",
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, list(s)) for name, s in inputs.items()],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, list(output))],
            [numpy_helper.from_array(array, name) for name, array in constants.items()],
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
    )
    onnx.checker.check_model(made)
    return made


def weights(shape: Shape, seed: int = 0) -> np.ndarray:
    """Random f32 weights whose products keep the size of their inputs."""
    fan_in = int(np.prod(shape[1:])) if len(shape) == 4 else shape[0]
    random = np.random.default_rng(seed).standard_normal(shape)
    return (random / np.sqrt(max(1, fan_in))).astype(np.float32)


def matmul(m: int, n: int, k: int) -> onnx.ModelProto:
    """``[m, k] x [k, n]``, both operands are inputs."""
    graph: Graph = ([helper.make_node("MatMul", ["a", "b"], ["y"])], {})
    return model(graph, {"a": (m, k), "b": (k, n)}, (m, n))


def matmul_constant(m: int, n: int, k: int) -> onnx.ModelProto:
    """``[m, k] x [k, n]``, the second operand is a constant."""
    graph: Graph = ([helper.make_node("MatMul", ["a", "b"], ["y"])], {"b": weights((k, n))})
    return model(graph, {"a": (m, k)}, (m, n))


def perceptron(batch: int, widths: Sequence[int]) -> onnx.ModelProto:
    """Dense layers with biases and ReLU between them."""
    layers = [
        (weights((k, n), seed), np.full(n, 0.01, np.float32)) for seed, (k, n) in enumerate(pairwise(widths))
    ]
    return model(_dense(layers, "Identity"), {"x": (batch, widths[0])}, (batch, widths[-1]))


def _dense(layers: Sequence[tuple[np.ndarray, np.ndarray]], last: str, source: str = "x") -> Graph:
    nodes: list[onnx.NodeProto] = []
    constants: dict[str, np.ndarray] = {}
    for i, (weight, bias) in enumerate(layers):
        constants |= {f"w{i}": weight, f"b{i}": bias}
        activation, result = (last, "y") if i + 1 == len(layers) else ("Relu", f"x{i}")
        nodes += [
            helper.make_node("MatMul", [source, f"w{i}"], [f"product{i}"]),
            helper.make_node("Add", [f"product{i}", f"b{i}"], [f"sum{i}"]),
            helper.make_node(activation, [f"sum{i}"], [result]),
        ]
        source = result
    return nodes, constants


def convolution(
    channels: tuple[int, int], size: int, kernel: int, stride: int = 1, groups: int = 1
) -> onnx.ModelProto:
    """A convolution with bias and ReLU over ``[1, channels[0], size, size]``, padded by half its kernel."""
    pad, extent = kernel // 2, (size - 1) // stride + 1
    constants = {
        "w": weights((channels[1], channels[0] // groups, kernel, kernel)),
        "b": np.full(channels[1], 0.01, np.float32),
    }
    nodes = [
        helper.make_node(
            "Conv",
            ["x", "w", "b"],
            ["sum"],
            strides=[stride, stride],
            pads=[pad] * 4,
            kernel_shape=[kernel] * 2,
            group=groups,
        ),
        helper.make_node("Relu", ["sum"], ["y"]),
    ]
    return model((nodes, constants), {"x": (1, channels[0], size, size)}, (1, channels[1], extent, extent))


def gelu_of_affine(rows: int, columns: int) -> onnx.ModelProto:
    """``gelu(x * a + b) * c`` with rows a, b and c as constants."""
    constants = {
        name: np.linspace(0.5, 1.5, columns, dtype=np.float32) * factor
        for name, factor in (("a", 1.0), ("b", 0.1), ("c", 2.0))
    }
    nodes = [
        helper.make_node("Mul", ["x", "a"], ["scaled"]),
        helper.make_node("Add", ["scaled", "b"], ["shifted"]),
        helper.make_node("Gelu", ["shifted"], ["activated"]),
        helper.make_node("Mul", ["activated", "c"], ["y"]),
    ]
    return model((nodes, constants), {"x": (rows, columns)}, (rows, columns))


def softmax(rows: int, columns: int) -> onnx.ModelProto:
    """Softmax over rows."""
    graph: Graph = ([helper.make_node("Softmax", ["x"], ["y"], axis=-1)], {})
    return model(graph, {"x": (rows, columns)}, (rows, columns))


def layer_norm(rows: int, columns: int) -> onnx.ModelProto:
    """Layer normalisation over rows with scale and bias."""
    constants = {
        "scale": np.linspace(0.5, 1.5, columns, dtype=np.float32),
        "bias": np.linspace(-0.1, 0.1, columns, dtype=np.float32),
    }
    node = helper.make_node("LayerNormalization", ["x", "scale", "bias"], ["y"], axis=-1, epsilon=1e-5)
    return model(([node], constants), {"x": (rows, columns)}, (rows, columns))


def relu_of_sum(rows: int, columns: int) -> onnx.ModelProto:
    """``relu(x + y) * c`` with a row c as a constant: little arithmetic, much memory."""
    constants = {"c": np.linspace(0.5, 1.5, columns, dtype=np.float32)}
    nodes = [
        helper.make_node("Add", ["x", "z"], ["sum"]),
        helper.make_node("Relu", ["sum"], ["activated"]),
        helper.make_node("Mul", ["activated", "c"], ["y"]),
    ]
    return model((nodes, constants), {"x": (rows, columns), "z": (rows, columns)}, (rows, columns))


def row_sum(rows: int, columns: int) -> onnx.ModelProto:
    """The sum of each row."""
    node = helper.make_node("ReduceSum", ["x", "axes"], ["y"], keepdims=0)
    return model(([node], {"axes": np.array([1])}), {"x": (rows, columns)}, (rows,))


def transpose(rows: int, columns: int) -> onnx.ModelProto:
    """The transpose of a matrix."""
    return model(([helper.make_node("Transpose", ["x"], ["y"])], {}), {"x": (rows, columns)}, (columns, rows))


def digits_perceptron(batch: int, parameters: Sequence[np.ndarray]) -> onnx.ModelProto:
    """The trained perceptron of ``examples/digits_mlp.mlir``; parameters in the order of that file."""
    layers = list(zip(parameters[0::2], parameters[1::2], strict=True))
    return model(_dense(layers, "Softmax"), {"x": (batch, 64)}, (batch, 10))


def digits_network(batch: int, parameters: Sequence[np.ndarray]) -> onnx.ModelProto:
    """The trained network of ``examples/digits_cnn.mlir``; parameters in the order of that file."""
    given = iter(parameters)
    nodes: list[onnx.NodeProto] = []
    constants: dict[str, np.ndarray] = {}

    def add(operator: str, parameter_count: int = 0, **attributes: Any) -> None:
        step = len(nodes)
        names = [f"p{step}_{i}" for i in range(parameter_count)]
        constants.update({name: next(given) for name in names})
        source = f"t{step - 1}" if nodes else "x"
        nodes.append(helper.make_node(operator, [source, *names], [f"t{step}"], **attributes))

    for layer in (1, 2, 3):
        add("Conv", 2, pads=[1] * 4)
        if layer < 3:
            add("BatchNormalization", 4)
        add("Relu")
        if layer > 1:
            add("MaxPool", kernel_shape=[2, 2], strides=[2, 2])
    add("Flatten")
    head, head_constants = _dense([(next(given), next(given))], "Softmax", f"t{len(nodes) - 1}")
    return model(([*nodes, *head], constants | dict(head_constants)), {"x": (batch, 1, 8, 8)}, (batch, 10))
