"""ONNX models of known networks with random weights: the shapes of MobileNetV2, ResNet-50 and BERT.

What they compute means nothing; their operators and sizes are those of the trained networks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import helper

from benchmarks.models import model, weights


class Network:
    """Nodes in order, each with a result named by its number, and the constants they use."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, np.ndarray] = {}

    def constant(self, array: np.ndarray) -> str:
        """A constant's name."""
        name = f"c{len(self.constants)}"
        self.constants[name] = array
        return name

    def add(self, operator: str, *operands: str | np.ndarray, **attributes: Any) -> str:
        """A node; returns the name of its result. Arrays become constants."""
        names = [self.constant(o) if isinstance(o, np.ndarray) else o for o in operands]
        result = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, names, [result], **attributes))
        return result

    def finished(self, inputs: dict[str, tuple[int, ...]], source: str, shape: tuple[int, ...]) -> Any:
        """The model whose result is the value of a name."""
        self.nodes.append(helper.make_node("Identity", [source], ["y"]))
        return model((self.nodes, self.constants), inputs, shape)

    def random(self, *shape: int) -> np.ndarray:
        """Weights, other ones for each constant."""
        return weights(shape, len(self.constants))

    def convolution(
        self, x: str, channels: tuple[int, int], kernel: int = 1, stride: int = 1, groups: int = 1
    ) -> str:
        """A convolution without bias, and batch normalisation."""
        count = channels[1]
        filters = self.random(count, channels[0] // groups, kernel, kernel)
        given = {"strides": [stride] * 2, "pads": [kernel // 2] * 4, "group": groups}
        y = self.add("Conv", x, filters, kernel_shape=[kernel] * 2, **given)
        around_one, small = (np.linspace(0.9, 1.1, count, dtype=np.float32), np.full(count, 0.1, np.float32))
        return self.add("BatchNormalization", y, around_one, small, small, around_one)

    def classifier(self, x: str, channels: int, classes: int = 1000) -> str:
        """The mean over the image and a dense layer."""
        flat = self.add("Flatten", self.add("GlobalAveragePool", x))
        return self.add("Gemm", flat, self.random(channels, classes), np.zeros(classes, np.float32))


def mobilenet_v2() -> Any:
    """MobileNetV2 of width 1 for one image of 224x224."""
    net = Network()

    def relu6(x: str) -> str:
        return net.add("Clip", x, np.array(0, np.float32), np.array(6, np.float32))

    x, channels = relu6(net.convolution("x", (3, 32), 3, 2)), 32
    blocks = (
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    )
    for expansion, out, repeats, first_stride in blocks:
        for repeat in range(repeats):
            stride, wide = (first_stride if repeat == 0 else 1), channels * expansion
            y = relu6(net.convolution(x, (channels, wide))) if expansion > 1 else x
            y = relu6(net.convolution(y, (wide, wide), 3, stride, wide))
            y = net.convolution(y, (wide, out))
            x = net.add("Add", x, y) if stride == 1 and channels == out else y
            channels = out
    x = net.classifier(relu6(net.convolution(x, (channels, 1280))), 1280)
    return net.finished({"x": (1, 3, 224, 224)}, x, (1, 1000))


def resnet_50() -> Any:
    """ResNet-50 (version 1.5) for one image of 224x224."""
    net = Network()
    x = net.add("Relu", net.convolution("x", (3, 64), 7, 2))
    x = net.add("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    channels = 64
    for width, repeats in ((64, 3), (128, 4), (256, 6), (512, 3)):
        for repeat in range(repeats):
            stride = 2 if repeat == 0 and width > 64 else 1
            y = net.add("Relu", net.convolution(x, (channels, width)))
            y = net.add("Relu", net.convolution(y, (width, width), 3, stride))
            y = net.convolution(y, (width, 4 * width))
            short = net.convolution(x, (channels, 4 * width), 1, stride) if repeat == 0 else x
            x, channels = net.add("Relu", net.add("Add", y, short)), 4 * width
    return net.finished({"x": (1, 3, 224, 224)}, net.classifier(x, channels), (1, 1000))


def bert(layers: int = 12, width: int = 768, heads: int = 12, length: int = 128) -> Any:
    """The encoder of BERT-base on embedded tokens, with an additive mask."""
    net = Network()
    x = _layer_norm(net, "x", width)
    for _ in range(layers):
        x = _layer_norm(net, net.add("Add", x, _attention(net, x, width, heads, length)), width)
        inner = net.add("Gelu", _dense(net, x, width, 4 * width))
        x = _layer_norm(net, net.add("Add", x, _dense(net, inner, 4 * width, width)), width)
    return net.finished({"x": (1, length, width), "mask": (1, 1, 1, length)}, x, (1, length, width))


def _dense(net: Network, x: str, inputs: int, outputs: int) -> str:
    return net.add(
        "Add", net.add("MatMul", x, net.random(inputs, outputs)), np.full(outputs, 0.01, np.float32)
    )


def _layer_norm(net: Network, x: str, width: int) -> str:
    scale, bias = np.linspace(0.9, 1.1, width, dtype=np.float32), np.full(width, 0.01, np.float32)
    return net.add("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-12)


def _attention(net: Network, x: str, width: int, heads: int, length: int) -> str:
    size = width // heads
    split = np.array([1, length, heads, size], np.int64)

    def head(permutation: list[int]) -> str:
        return net.add("Transpose", net.add("Reshape", _dense(net, x, width, width), split), perm=permutation)

    query, key, value = head([0, 2, 1, 3]), head([0, 2, 3, 1]), head([0, 2, 1, 3])
    scores = net.add("Div", net.add("MatMul", query, key), np.array(size**0.5, np.float32))
    shares = net.add("Softmax", net.add("Add", scores, "mask"), axis=-1)
    context = net.add("Transpose", net.add("MatMul", shares, value), perm=[0, 2, 1, 3])
    return _dense(net, net.add("Reshape", context, np.array([1, length, width], np.int64)), width, width)


def gpt2_step(past: int = 128) -> Any:
    """One token through GPT-2 small: keys and values of the past are inputs, the logits are the result."""
    net, width, heads = Network(), 768, 12
    size = width // heads
    inputs: dict[str, tuple[int, ...]] = {"x": (1, width)}
    x = "x"
    for layer in range(12):
        inputs |= {f"k{layer}": (heads, past, size), f"v{layer}": (heads, past, size)}
        x = net.add("Add", x, _cached_attention(net, _layer_norm(net, x, width), layer, heads, size))
        inner = net.add("Gelu", _dense(net, _layer_norm(net, x, width), width, 4 * width), approximate="tanh")
        x = net.add("Add", x, _dense(net, inner, 4 * width, width))
    logits = net.add("MatMul", _layer_norm(net, x, width), net.random(width, 50257))
    return net.finished(inputs, logits, (1, 50257))


def _cached_attention(net: Network, x: str, layer: int, heads: int, size: int) -> str:
    """Attention of one token over the past and itself."""
    width = heads * size
    shape = np.array([heads, 1, size], np.int64)
    query, key, value = (net.add("Reshape", _dense(net, x, width, width), shape) for _ in range(3))
    keys = net.add("Concat", f"k{layer}", key, axis=1)
    values = net.add("Concat", f"v{layer}", value, axis=1)
    scores = net.add("MatMul", query, net.add("Transpose", keys, perm=[0, 2, 1]))
    shares = net.add("Softmax", net.add("Mul", scores, np.array(size**-0.5, np.float32)), axis=-1)
    context = net.add("Reshape", net.add("MatMul", shares, values), np.array([1, width], np.int64))
    return _dense(net, context, width, width)
