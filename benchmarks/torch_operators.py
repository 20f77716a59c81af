"""The ONNX operators in PyTorch."""

from __future__ import annotations

import importlib
from typing import Any

from benchmarks.graph import Compute, Node, Table
from benchmarks.operators import (
    Pads,
    Window,
    limits_of_clip,
    padding,
    shared_operators,
    softmax_axis,
)

torch: Any = importlib.import_module("torch")  # no part of the extra [test]: its types are not known
functional = torch.nn.functional


def _padded(x: Any, pads: Pads, value: float) -> Any:
    """PyTorch counts from the last dimension on."""
    return functional.pad(x, [n for pair in reversed(pads) for n in pair], value=value)


def _symmetric(pads: Pads) -> bool:
    return all(before == after for before, after in pads)


def _conv(node: Node) -> Compute:
    filters = node.constant(1, "the filter").shape
    node.refuse(2 <= len(filters) - 1 <= 3, f"a filter of rank {len(filters)}")
    window, groups = Window(node, filters[2:]), node.attributes.get("group", 1)
    convolve = functional.conv1d if len(filters) == 3 else functional.conv2d

    def compute(x: Any, w: Any, bias: Any = None) -> Any:
        pads = window.pads(x.shape[2:])
        if not _symmetric(pads):
            x, pads = _padded(x, pads, 0.0), [(0, 0)] * len(pads)
        before = [pad for pad, _ in pads]
        return convolve(x, w, bias, window.strides, before, window.dilations, groups)

    return compute


def _max_pool(node: Node) -> Compute:
    window = Window(node, node.ints("kernel_shape"))
    node.refuse(len(window.kernel) == 2, "not of images")

    def compute(x: Any) -> Any:
        pads = window.pads(x.shape[2:])
        if not _symmetric(pads):
            x, pads = _padded(x, pads, -float("inf")), [(0, 0), (0, 0)]
        before = [pad for pad, _ in pads]
        return functional.max_pool2d(x, window.kernel, window.strides, before, window.dilations)

    return compute


def _average_pool(node: Node) -> Compute:
    window = Window(node, node.ints("kernel_shape"))
    node.refuse(len(window.kernel) == 2 and set(window.dilations) == {1}, "not of images")
    whole = bool(node.attributes.get("count_include_pad", 0))

    def compute(x: Any) -> Any:
        pads = window.pads(x.shape[2:])
        node.refuse(_symmetric(pads), "other padding before than after")
        before = [pad for pad, _ in pads]
        return functional.avg_pool2d(x, window.kernel, window.strides, before, count_include_pad=whole)

    return compute


def _batch_normalization(node: Node) -> Compute:
    epsilon = node.attributes.get("epsilon", 1e-5)
    return lambda x, scale, bias, mean, variance: functional.batch_norm(
        x, mean, variance, scale, bias, eps=epsilon
    )


def _layer_normalization(node: Node) -> Compute:
    axis, epsilon = node.attributes.get("axis", -1), node.attributes.get("epsilon", 1e-5)
    return lambda x, scale, bias=None: functional.layer_norm(x, x.shape[axis:], scale, bias, epsilon)


def _gemm(node: Node) -> Compute:
    alpha, beta = node.attributes.get("alpha", 1.0), node.attributes.get("beta", 1.0)
    left, right = node.attributes.get("transA", 0), node.attributes.get("transB", 0)

    def compute(a: Any, b: Any, c: Any = None) -> Any:
        a, b = a.T if left else a, b.T if right else b
        return alpha * (a @ b) if c is None else torch.addmm(c, a, b, beta=beta, alpha=alpha)

    return compute


def _prelu(node: Node) -> Compute:
    def compute(x: Any, slope: Any) -> Any:
        if slope.ndim == x.ndim - 1 and slope.numel() == slope.shape[0] == x.shape[1]:
            return functional.prelu(x, slope.reshape(-1))
        return torch.where(x >= 0, x, slope * x)

    return compute


def _pad(node: Node) -> Compute:
    pads, value = padding(node)
    return lambda x, *_: _padded(x, pads, value)


def _clip(node: Node) -> Compute:
    low, high = limits_of_clip(node)
    return lambda x, *_: torch.clamp(x, low, high)


def _softmax(node: Node) -> Compute:
    axis = softmax_axis(node)
    return lambda x: torch.softmax(x, axis)


def _gelu(node: Node) -> Compute:
    kind = node.attributes.get("approximate", "none")
    return lambda x: functional.gelu(x, approximate=kind)


def _leaky_relu(node: Node) -> Compute:
    slope = node.attributes.get("alpha", 0.01)
    return lambda x: functional.leaky_relu(x, slope)


def _transpose(node: Node) -> Compute:
    """``permute``, and after it the swap by which attention turns its keys round: Inductor takes whatever
    permutes keys for that swap alone."""
    order = node.ints("perm")
    if len(order) > 2 and order[-2] == len(order) - 1:
        before = (*order[:-2], order[-1], order[-2])
        return lambda x: x.permute(before).transpose(-2, -1)
    return lambda x: x.permute(order or tuple(reversed(range(x.ndim))))


OPERATORS: Table = {
    **shared_operators(torch),
    "AveragePool": _average_pool,
    "BatchNormalization": _batch_normalization,
    "Clip": _clip,
    "Conv": _conv,
    "Gelu": _gelu,
    "Gemm": _gemm,
    "LayerNormalization": _layer_normalization,
    "LeakyRelu": _leaky_relu,
    "MaxPool": _max_pool,
    "PRelu": _prelu,
    "Pad": _pad,
    "Relu": lambda node: torch.relu,
    "Softmax": _softmax,
    "Transpose": _transpose,
}
