"""The ONNX operators in JAX. What depends on constants alone is computed by NumPy, while JAX traces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.graph import Compute, Node, Table
from benchmarks.operators import Window, limits_of_clip, padding, shared_operators, softmax_axis


def _by_channel(parameter: Any, like: Any) -> Any:
    """A parameter of the channels, for ``[N, C, …]``."""
    return parameter.reshape([-1] + [1] * (like.ndim - 2))


def _conv(node: Node) -> Compute:
    filters = node.constant(1, "the filter").shape
    window, groups = Window(node, filters[2:]), node.attributes.get("group", 1)

    def compute(x: Any, w: Any, bias: Any = None) -> Any:
        y = lax.conv_general_dilated(
            x,
            w,
            window.strides,
            window.pads(x.shape[2:]),
            rhs_dilation=window.dilations,
            feature_group_count=groups,
        )
        return y if bias is None else y + _by_channel(bias, y)

    return compute


def _windows(x: Any, window: Window, start: Any, combine: Callable[..., Any]) -> Any:
    return lax.reduce_window(
        x,
        start,
        combine,
        (1, 1, *window.kernel),
        (1, 1, *window.strides),
        [(0, 0), (0, 0), *window.pads(x.shape[2:])],
        window_dilation=(1, 1, *window.dilations),
    )


def _max_pool(node: Node) -> Compute:
    window = Window(node, node.ints("kernel_shape"))
    return lambda x: _windows(x, window, -np.inf, lax.max)


def _average_pool(node: Node) -> Compute:
    window, whole = Window(node, node.ints("kernel_shape")), node.attributes.get("count_include_pad", 0)

    def compute(x: Any) -> Any:
        count = np.prod(window.kernel) if whole else _windows(jnp.ones_like(x), window, 0.0, lax.add)
        padded = any(pad for pair in window.pads(x.shape[2:]) for pad in pair)
        return _windows(x, window, 0.0, lax.add) / (count if padded else np.float32(np.prod(window.kernel)))

    return compute


def _batch_normalization(node: Node) -> Compute:
    epsilon = np.float32(node.attributes.get("epsilon", 1e-5))

    def compute(x: Any, scale: Any, bias: Any, mean: Any, variance: Any) -> Any:
        factor = scale / (variance + epsilon) ** np.float32(0.5)
        return x * _by_channel(factor, x) + _by_channel(bias - mean * factor, x)

    return compute


def _layer_normalization(node: Node) -> Compute:
    first, epsilon = node.attributes.get("axis", -1), node.attributes.get("epsilon", 1e-5)

    def compute(x: Any, scale: Any, bias: Any = None) -> Any:
        axes = tuple(range(first % x.ndim, x.ndim))
        centred = x - jnp.mean(x, axes, keepdims=True)
        variance = jnp.mean(centred * centred, axes, keepdims=True)
        y = centred * lax.rsqrt(variance + epsilon) * scale
        return y if bias is None else y + bias

    return compute


def _gemm(node: Node) -> Compute:
    alpha, beta = node.attributes.get("alpha", 1.0), node.attributes.get("beta", 1.0)
    left, right = node.attributes.get("transA", 0), node.attributes.get("transB", 0)

    def compute(a: Any, b: Any, c: Any = None) -> Any:
        y = (a.T if left else a) @ (b.T if right else b)
        y = y if alpha == 1 else alpha * y
        return y if c is None else y + (c if beta == 1 else beta * c)

    return compute


def _pad(node: Node) -> Compute:
    pads, value = padding(node)
    return lambda x, *_: jnp.pad(x, pads, constant_values=value)


def _clip(node: Node) -> Compute:
    low, high = limits_of_clip(node)
    return lambda x, *_: jnp.clip(x, low, high)


def _softmax(node: Node) -> Compute:
    axis = softmax_axis(node)
    return lambda x: jax.nn.softmax(x, axis)


def _gelu(node: Node) -> Compute:
    """A composite under the name by which LiteRT knows it; elsewhere it is what it is composed of."""
    kind = node.attributes.get("approximate", "none")
    composite = lax.composite(_gelu_of, name="aten.gelu.default")
    return lambda x: composite(x, approximate=kind)


def _gelu_of(x: Any, approximate: str) -> Any:
    if approximate == "tanh":
        return jax.nn.gelu(x, approximate=True)
    return x * (0.5 * (1 + lax.erf(x * np.float32(np.sqrt(0.5)))))


def _leaky_relu(node: Node) -> Compute:
    slope = node.attributes.get("alpha", 0.01)
    return lambda x: jnp.where(x >= 0, x, slope * x)


def _transpose(node: Node) -> Compute:
    order = node.ints("perm") or None
    return lambda x: jnp.transpose(x, order)


OPERATORS: Table = {
    **shared_operators(jnp),
    "AveragePool": _average_pool,
    "BatchNormalization": _batch_normalization,
    "Clip": _clip,
    "Conv": _conv,
    "Gelu": _gelu,
    "Gemm": _gemm,
    "LayerNormalization": _layer_normalization,
    "LeakyRelu": _leaky_relu,
    "MaxPool": _max_pool,
    "PRelu": lambda node: lambda x, slope: jnp.where(x >= 0, x, slope * x),
    "Pad": _pad,
    "Relu": lambda node: lambda x: jnp.maximum(x, 0),
    "Softmax": _softmax,
    "Transpose": _transpose,
}
