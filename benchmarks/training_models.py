"""The losses whose training steps are timed, in `nn`; and their weights, drawn once for all runtimes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

BATCH = 128
RATE = 0.05
"""Of plain gradient descent."""


@dataclass(frozen=True)
class Example:
    """A loss of weights (named, in order), a batch, and its labels."""

    name: str
    text: Callable[[], str]
    """The function ``@loss`` of weights, ``%x`` and ``%labels``."""
    shapes: dict[str, tuple[int, ...]]
    """Of the weights: filters in the order height, width, input, output; matrices [input, output]."""
    image: tuple[int, ...]

    def weights(self) -> list[np.ndarray]:
        """First weights, by He's distribution; biases are zero."""
        random = np.random.default_rng(0)
        return [
            (random.standard_normal(s) * np.sqrt(2 / max(1, np.prod(s[:-1])))).astype(np.float32)
            if len(s) > 1
            else np.zeros(s, np.float32)
            for s in self.shapes.values()
        ]

    def batch(self) -> tuple[np.ndarray, np.ndarray]:
        """Images and labels, one each time the same."""
        random = np.random.default_rng(1)
        return random.random((BATCH, *self.image), np.float32), random.integers(0, 10, BATCH)


class _Layers:
    """Writes layers one after the other."""

    def __init__(self, shapes: dict[str, tuple[int, ...]], image: tuple[int, ...]) -> None:
        self._types = {name: _tensor(shape) for name, shape in shapes.items()}
        self._at, self._shape, self._count = "%x", (BATCH, *image), 0
        given = ", ".join(f"%{name}: {kind}" for name, kind in self._types.items())
        given += f", %x: {_tensor(self._shape)}, %labels: tensor<{BATCH}xi64>"
        self.lines = [f"func.func @loss({given}) -> tensor<f32> {{"]

    def add(self, text: str, operands: tuple[str, ...], shape: tuple[int, ...]) -> None:
        """One op on the last value and weights."""
        name, kind = text.split(" ", 1)[0], _tensor(self._shape)
        values = ", ".join([self._at, *(f"%{o}" for o in operands)])
        kinds = ", ".join([kind, *(self._types[o] for o in operands)])
        self._count, self._shape = self._count + 1, shape
        attributes = text[len(name) :]
        self.lines.append(
            f"%{self._count}_ = nn.{name} {values}{attributes} : ({kinds}) -> {_tensor(shape)}".replace(
                "%", "%h", 1
            )
        )
        self._at = f"%h{self._count}_"

    def dense(self, weight: str, bias: str, size: int) -> None:
        """A product with a matrix, and a bias."""
        self.add("matmul", (weight,), (BATCH, size))
        self.add("add", (bias,), (BATCH, size))

    def convolution(self, kernel: str, bias: str, depth: int) -> None:
        """A 3x3 convolution with a bias, relu, and 2x2 max pooling."""
        n, height, width, _ = self._shape
        window = ' {layout = "NHWC", pads = array<i64: 1, 1, 1, 1>}'
        self.add(f"conv2d{window}", (kernel, bias), (n, height, width, depth))
        self.relu()
        window = ' {layout = "NHWC", kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>}'
        self.add(f"max_pool2d{window}", (), (n, height // 2, width // 2, depth))

    def relu(self) -> None:
        """The positive part."""
        self.add("relu", (), self._shape)

    def flatten(self) -> None:
        """Images as rows."""
        size = int(np.prod(self._shape[1:]))
        self.add(f"reshape {{shape = array<i64: {BATCH}, {size}>}}", (), (BATCH, size))

    def cross_entropy(self) -> str:
        """The mean cross-entropy of the last value, and the end of the function."""
        logits, row = _tensor(self._shape), f"tensor<{BATCH}xf32>"
        labels, column, flags = (f"tensor<{BATCH}x{rest}>" for rest in ("i64", "1xi64", "10xi1"))
        self.lines += [
            f"%p = nn.log_softmax {self._at} {{axis = 1 : i64}} : ({logits}) -> {logits}",
            "%zero = nn.constant dense<0.0> : tensor<f32>",
            f"%classes = nn.constant dense<{list(range(10))}> : tensor<10xi64>",
            f"%column = nn.unsqueeze %labels {{axes = array<i64: 1>}} : ({labels}) -> {column}",
            f"%is = nn.equal %column, %classes : ({column}, tensor<10xi64>) -> {flags}",
            f"%chosen = nn.select %is, %p, %zero : ({flags}, {logits}, tensor<f32>) -> {logits}",
            f"%each = nn.reduce_sum %chosen {{axes = array<i64: 1>}} : ({logits}) -> {row}",
            f"%mean = nn.reduce_mean %each {{axes = array<i64: 0>}} : ({row}) -> tensor<f32>",
            "%loss = nn.neg %mean : (tensor<f32>) -> tensor<f32>",
            "return %loss : tensor<f32>",
            "}",
        ]
        return "\n".join(self.lines)


def _tensor(shape: tuple[int, ...]) -> str:
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


MLP_SHAPES = {
    "w1": (784, 512),
    "b1": (512,),
    "w2": (512, 512),
    "b2": (512,),
    "w3": (512, 10),
    "b3": (10,),
}
CNN_SHAPES = {
    "k1": (3, 3, 1, 32),
    "c1": (32,),
    "k2": (3, 3, 32, 64),
    "c2": (64,),
    "w1": (3136, 128),
    "b1": (128,),
    "w2": (128, 10),
    "b2": (10,),
}


def _mlp() -> str:
    layers = _Layers(MLP_SHAPES, (784,))
    layers.dense("w1", "b1", 512)
    layers.relu()
    layers.dense("w2", "b2", 512)
    layers.relu()
    layers.dense("w3", "b3", 10)
    return layers.cross_entropy()


def _cnn() -> str:
    layers = _Layers(CNN_SHAPES, (28, 28, 1))
    layers.convolution("k1", "c1", 32)
    layers.convolution("k2", "c2", 64)
    layers.flatten()
    layers.dense("w1", "b1", 128)
    layers.relu()
    layers.dense("w2", "b2", 10)
    return layers.cross_entropy()


EXAMPLES = {
    example.name: example
    for example in (
        Example("mlp-784-512-512-10", _mlp, MLP_SHAPES, (784,)),
        Example("cnn-32-64-128-10", _cnn, CNN_SHAPES, (28, 28, 1)),
    )
}
