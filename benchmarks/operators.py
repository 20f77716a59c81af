"""The ONNX operators that array libraries spell alike, and what windows of convolutions and pooling need."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from benchmarks.graph import Compute, Node, Table

Pads = list[tuple[int, int]]


def shared_operators(xp: Any) -> Table:
    """Operators in terms of functions of ``torch`` or ``jax.numpy``."""

    def reshape(node: Node) -> Compute:
        target = [int(n) for n in node.constant(1, "the shape")]
        zero_is_zero = node.attributes.get("allowzero", 0)

        def compute(x: Any, shape: Any) -> Any:
            return x.reshape([n if n or zero_is_zero else x.shape[i] for i, n in enumerate(target)])

        return compute

    def concat(node: Node) -> Compute:
        axis = node.attributes["axis"]
        return lambda *parts: xp.concatenate(parts, axis=axis)

    return {
        "Identity": lambda node: lambda x: x,
        "Add": lambda node: lambda a, b: a + b,
        "Mul": lambda node: lambda a, b: a * b,
        "Div": lambda node: lambda a, b: a / b,
        "MatMul": lambda node: lambda a, b: a @ b,
        "Max": _maximum(xp),
        "Flatten": _flatten,
        "Reshape": reshape,
        "Concat": concat,
        "ReduceSum": _reduction(xp.sum),
        "ReduceMean": _reduction(xp.mean),
        "GlobalAveragePool": lambda node: lambda x: xp.mean(x, axis=tuple(range(2, x.ndim)), keepdims=True),
    }


def _maximum(xp: Any) -> Any:
    def of(node: Node) -> Compute:
        node.refuse(len(node.operands) == 2, "not of two operands")
        return xp.maximum

    return of


def _flatten(node: Node) -> Compute:
    axis = node.attributes.get("axis", 1)
    return lambda x: x.reshape([math.prod(x.shape[:axis]), -1])


def _reduction(function: Any) -> Any:
    def of(node: Node) -> Compute:
        given, keep = node.setting("axes", 1), bool(node.attributes.get("keepdims", 1))
        node.refuse(bool(given), "without axes")
        axes = tuple(given)
        return lambda x, *_: function(x, axis=axes, keepdims=keep)

    return of


def softmax_axis(node: Node) -> int:
    """The axis of a softmax. Before operator set 13 it means all axes from it on: the same for the last."""
    return node.attributes.get("axis", -1 if node.opset >= 13 else 1)


def limits_of_clip(node: Node) -> tuple[float | None, float | None]:
    """The lower and the upper limit."""
    return node.setting("min", 1), node.setting("max", 2)


def padding(node: Node) -> tuple[Pads, float]:
    """By dimension how much to add before and after, and with which value."""
    mode = node.attributes.get("mode", "constant")
    node.refuse(mode == "constant", f"mode {mode}")
    node.refuse(len(node.operands) < 4, "with axes")
    amounts = [int(n) for n in node.setting("pads", 1)]
    half = len(amounts) // 2
    return list(zip(amounts[:half], amounts[half:], strict=True)), float(node.setting("value", 2) or 0)


class Window:
    """Strides, dilations and padding of a convolution or pooling."""

    def __init__(self, node: Node, kernel: Sequence[int]) -> None:
        rank = len(kernel)
        node.refuse(not node.attributes.get("ceil_mode", 0), "ceil_mode")
        self.kernel = tuple(int(n) for n in kernel)
        self.strides = node.ints("strides", (1,) * rank)
        self.dilations = node.ints("dilations", (1,) * rank)
        self._automatic = node.attributes.get("auto_pad", "NOTSET")
        given = node.ints("pads", (0,) * 2 * rank)
        self._pads = list(zip(given[:rank], given[rank:], strict=True))

    def pads(self, extents: Sequence[int]) -> Pads:
        """The padding of an image's dimensions."""
        if self._automatic in ("NOTSET", "VALID"):
            return self._pads
        found: Pads = []
        for extent, kernel, stride, step in zip(
            extents, self.kernel, self.strides, self.dilations, strict=True
        ):
            count = -(-extent // stride)
            total = max(0, (count - 1) * stride + (kernel - 1) * step + 1 - extent)
            less = total // 2
            found.append((less, total - less) if self._automatic == "SAME_UPPER" else (total - less, less))
        return found
