"""Programs in JAX that tests import through their StableHLO text, with arguments for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

jax = pytest.importorskip("jax")
jnp, lax = jax.numpy, jax.lax

PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[..., tuple[Any, ...]]]] = {}
"""By name: the function, and what makes its arguments from random arrays."""


class Case(NamedTuple):
    """A program as text, what it takes, and what JAX gives for it."""

    text: str
    inputs: list[np.ndarray]
    outputs: list[np.ndarray]


class Arrays:
    """Random arguments of one float type."""

    def __init__(self, dtype: Any) -> None:
        self._generator = np.random.default_rng(3)
        self._dtype = dtype

    def __call__(self, *shape: int) -> np.ndarray:
        """Floats around zero."""
        return (0.5 * self._generator.normal(size=shape)).astype(self._dtype)

    def integers(self, below: int, *shape: int) -> np.ndarray:
        """Indices."""
        return self._generator.integers(0, below, shape).astype(np.int32)


def program(make: Callable[..., tuple[Any, ...]]) -> Callable[[Any], Any]:
    """Registers a function with what makes its arguments."""

    def register(function: Any) -> Any:
        PROGRAMS[function.__name__] = function, make
        return function

    return register


def text(name: str, dtype: Any = np.float32, transform: Callable[[Any], Any] = lambda f: f) -> str:
    """The text of a program, or a transformed one (``jax.grad``), in one float type."""
    function, make = PROGRAMS[name]
    with jax.enable_x64(np.dtype(dtype) == np.float64):
        return jax.jit(transform(function), keep_unused=True).lower(*make(Arrays(dtype))).as_text()


def case(name: str, dtype: Any, transform: Callable[[Any], Any] = lambda f: f) -> Case:
    """A program, or a transformed one, with its results."""
    function, make = PROGRAMS[name]
    arguments = make(Arrays(dtype))
    with jax.enable_x64(np.dtype(dtype) == np.float64):
        jitted = jax.jit(transform(function), keep_unused=True)
        lowered = jitted.lower(*arguments)
        outputs = [np.asarray(value) for value in jax.tree.leaves(lowered.compile()(*arguments))]
    return Case(lowered.as_text(), [np.asarray(value) for value in jax.tree.leaves(arguments)], outputs)


def cross_entropy(logits: Any, labels: Any) -> Any:
    """The mean cross-entropy."""
    wanted = jax.nn.one_hot(labels, logits.shape[-1], dtype=logits.dtype)
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits) * wanted, -1))


def layer_norm(x: Any, scale: Any, offset: Any) -> Any:
    """Normalisation over the last dimension."""
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + offset


def _mlp_arguments(a: Arrays) -> tuple[Any, ...]:
    return (a(6, 8), a(8), a(8, 5), a(5)), a(4, 6), a.integers(5, 4)


@program(_mlp_arguments)
def mlp(parameters: Any, x: Any, labels: Any) -> Any:
    """The loss of two dense layers."""
    w1, b1, w2, b2 = parameters
    return cross_entropy(jnp.tanh(x @ w1 + b1) @ w2 + b2, labels)


@program(lambda a: ((a(6, 8), a(8), a(8, 5)), a(4, 6)))
def activations(parameters: Any, x: Any) -> Any:
    """The activations of networks, one after the other."""
    w1, b1, w2 = parameters
    h = jax.nn.gelu(x @ w1 + b1) + jax.nn.silu(x @ w1) + jax.nn.softplus(x @ w1)
    h = jax.nn.relu(h) + jax.nn.elu(h) + jax.nn.gelu(h, approximate=False)
    return jnp.sum(jax.nn.sigmoid(h @ w2) ** 2)


@program(lambda a: ((a(4, 4), a(4, 4), a(4, 4), a(4, 4), a(4), a(4)), a(2, 5, 4)))
def attention(parameters: Any, x: Any) -> Any:
    """A causal attention layer of two heads on a layer norm."""
    wq, wk, wv, wo, scale, offset = parameters
    batch, time, width = x.shape
    h = layer_norm(x, scale, offset)
    q, k, v = ((h @ w).reshape(batch, time, 2, width // 2) for w in (wq, wk, wv))
    scores = jnp.einsum("bthd,bshd->bhts", q, k) / np.sqrt(width // 2).astype(x.dtype)
    scores = jnp.where(jnp.tril(jnp.ones((time, time), bool)), scores, -1e9)
    mixed = jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(scores), v)
    return jnp.sum((x + mixed.reshape(batch, time, width) @ wo) ** 2)


@program(lambda a: (a(3, 5),))
def reductions(x: Any) -> Any:
    """Reductions of every kind."""
    flags = x > 0
    return (
        (x.sum(0), x.max(1), x.min(), x.prod(1), x.mean((0, 1))),
        (flags.any(0), flags.all(1), jnp.argmax(x, 1), jnp.argmin(x, 0)),
        (jnp.max(x, 0, initial=0.1), jax.nn.logsumexp(x, 1)),
    )


@program(lambda a: (a(3, 5), a(3, 5)))
def elementwise(x: Any, y: Any) -> Any:
    """Functions of elements."""
    whole, one, three = (x * 10).astype(jnp.int32), jnp.int32(1), jnp.int32(3)
    return (
        (jnp.abs(x), jnp.sign(x), jnp.floor(x), jnp.ceil(x), jnp.round(x), x / y, jnp.power(jnp.abs(x), y)),
        (jnp.exp(x), jnp.expm1(x), jnp.log1p(jnp.abs(x)), jnp.log(jnp.abs(x)), lax.cbrt(x), lax.rsqrt(x * x)),
        (jnp.sin(x), jnp.cos(x), jnp.tan(x), jnp.arctan(x), jnp.arcsinh(x), jnp.sinh(x), jnp.cosh(x)),
        (
            whole & 3,
            whole | 3,
            whole ^ 3,
            ~whole,
            whole << 2,
            whole >> 1,
            lax.shift_right_logical(whole, one),
        ),
        (jnp.remainder(x, 0.3), whole // 3, whole % 3, lax.rem(whole, three), lax.div(whole, three)),
        (jnp.clip(x, -0.2, 0.2), jnp.where(x > y, x, 0), jnp.isfinite(x), jnp.isinf(x), jnp.nan_to_num(x)),
        (jnp.logaddexp(x, y), jnp.hypot(x, y), jnp.minimum(x, y), lax.erf(x), lax.reduce_precision(x, 8, 7)),
        (x.astype(jnp.float16).astype(x.dtype), (x > 0).astype(x.dtype), x.astype(bool)),
    )


@program(lambda a: (a(3, 4), a()))
def movement(x: Any, filler: Any) -> Any:
    """Operations that move elements."""
    zero = jnp.zeros((), x.dtype)
    return (
        (x.T, x.reshape(2, 6), jnp.flip(x, 1), jnp.concatenate([x, x], 1), x[::2, 1:], jnp.roll(x, 1)),
        (lax.pad(x, zero, [(1, 2, 0), (0, 1, 2)]), lax.pad(x, zero, [(-1, 0, 1), (2, -2, 0)])),
        (lax.pad(x, filler, [(1, 0, 1), (0, 1, 0)]), jnp.tile(x, (2, 1)), jnp.repeat(x, 2, 0)),
        (jnp.arange(7), jnp.eye(3), jnp.linspace(0, 1, 5), jnp.broadcast_to(x[:, None], (3, 2, 4))),
    )


def _cnn_arguments(a: Arrays) -> tuple[Any, ...]:
    parameters = (a(3, 3, 1, 4), a(4), a(4), a(3, 3, 2, 4), a(16, 5))
    return parameters, a(2, 12, 12, 1), a.integers(5, 2)


@program(_cnn_arguments)
def cnn(parameters: Any, x: Any, labels: Any) -> Any:
    """Strided, dilated and grouped convolutions, batch norm, both poolings, and a dense layer."""
    kernel, scale, offset, grouped, dense = parameters
    names = ("NHWC", "HWIO", "NHWC")
    h = lax.conv_general_dilated(x, kernel, (2, 2), "SAME", dimension_numbers=names)
    mean, variance = jnp.mean(h, (0, 1, 2)), jnp.var(h, (0, 1, 2))
    h = jax.nn.relu((h - mean) / jnp.sqrt(variance + 1e-5) * scale + offset)
    h = lax.reduce_window(h, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    h = lax.conv_general_dilated(
        h, grouped, (1, 1), "SAME", rhs_dilation=(2, 2), dimension_numbers=names, feature_group_count=2
    )
    h = lax.reduce_window(h, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "SAME") / 4
    return cross_entropy(h.reshape(h.shape[0], -1) @ dense, labels)


@program(lambda a: (a(2, 3, 9), a(4, 3, 3), a(2, 3, 7, 6), a(3, 2, 3, 2)))
def convolutions(x: Any, w: Any, images: Any, kernel: Any) -> Any:
    """Sequences, channels-first images, transposed convolutions, and negative padding."""
    sequence = lax.conv_general_dilated(x, w, (2,), [(1, 2)])
    convolve, depthwise = lax.conv_general_dilated, kernel[:, :1]
    dilated = convolve(images, depthwise, (1, 1), [(2, 1), (0, 1)], (2, 3), feature_group_count=3)
    smaller = convolve(images, depthwise, (1, 1), [(-1, 0), (0, -1)], feature_group_count=3)
    batches = convolve(images, kernel[:2].repeat(2, 1)[:, :3], (1, 1), "VALID", batch_group_count=2)
    names = ("NCH", "IOH", "NCH")
    transposed = lax.conv_transpose(x, w, (2,), "SAME", dimension_numbers=names, transpose_kernel=True)
    return sum(jnp.sum(y**2) for y in (sequence, dilated, smaller, batches, transposed))


@program(lambda a: ((a(3, 16), a(4, 16), a(16), a(4, 5)), a(7, 2, 3), a.integers(5, 2)))
def lstm(parameters: Any, x: Any, labels: Any) -> Any:
    """A recurrent layer by ``lax.scan``."""
    inputs, recurrent, bias, dense = parameters

    def cell(carry: Any, step: Any) -> Any:
        h, c = carry
        i, f, g, o = jnp.split(step @ inputs + h @ recurrent + bias, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    start = jnp.zeros((x.shape[1], recurrent.shape[0]), x.dtype)
    (h, _), states = lax.scan(cell, (start, start), x)
    return cross_entropy(h @ dense, labels) + jnp.sum(states**2)


@program(lambda a: (a(3), a.integers(3), a.integers(9)))
def loops(x: Any, which: Any, turns: Any) -> Any:
    """Counted loops, one of unknown length, and branches."""
    counted = lax.fori_loop(0, 5, lambda i, c: c * 2 + i, x)
    unknown = lax.fori_loop(0, turns, lambda i, c: c + jnp.sin(c) * i, x)
    waiting = lax.while_loop(lambda c: jnp.sum(c) < 10, lambda c: c + 1.0, x)
    chosen = lax.switch(which, [jnp.sin, jnp.cos, jnp.tan], x)
    return counted, unknown, waiting, chosen, lax.cond(x[0] > 0, jnp.exp, jnp.abs, x)


@program(lambda a: (a(10, 4), a(3, 4), a.integers(10, 3)))
def gather_and_scatter(table: Any, rows: Any, places: Any) -> Any:
    """An embedding, and updates of every kind at places."""
    read = table[places]
    columns = jnp.array([[1], [2], [0], [1], [3], [1], [0], [1], [2], [1]])
    z = jnp.zeros((10, 4), table.dtype).at[places].add(read * rows)
    z = z.at[jnp.array([1, 2])].set(rows[:2]).at[0, 1:3].max(table[1, :2]).at[5].min(rows[1])
    along = jnp.take_along_axis(z, columns, 1)
    part = lax.dynamic_slice(table, (places[0], jnp.int32(1)), (2, 2))
    updated = lax.dynamic_update_slice(table, rows[:2, :3], (places[1], places[2]))
    return jnp.sum(z * table) + jnp.sum(along**2) + jnp.sum(part**2) + jnp.sum(updated**3)


@program(lambda a: (a(3, 5), a(2, 6)))
def sorting(x: Any, y: Any) -> Any:
    """A sort, a median, and the largest elements."""
    weights = jnp.arange(5.0, dtype=x.dtype)
    ordered = jnp.sum(jnp.sort(x, -1) * weights) + jnp.sum(jnp.sort(x, 0)[:2] ** 3)
    return ordered + jnp.median(y) + jnp.sum(lax.top_k(x, 2)[0] ** 2)


@program(lambda a: (a.integers(4, 2, 6), a(2, 6)))
def orders(keys: Any, x: Any) -> Any:
    """Orders by one key and by two."""
    return jnp.argsort(x, -1), jnp.argsort(-keys, 1), lax.sort((keys, x), num_keys=2), lax.top_k(keys, 3)


@program(lambda a: (a(3, 5),))
def cumulative(x: Any) -> Any:
    """Cumulative operations."""
    total = jnp.sum(jnp.cumsum(x, 1) ** 2) + jnp.sum(jnp.cumprod(x, 0)) + jnp.sum(lax.cummax(x, 1) * 2)
    return total + jnp.sum(lax.cummin(x, 0, reverse=True) * x) + jnp.sum(jnp.cumsum(x, 0) * x)


@program(lambda a: (a(2, 6, 3), a(2, 5, 6, 3)))
def windows(x: Any, y: Any) -> Any:
    """Poolings of sequences, overlapping windows, and windows over other dimensions."""
    pooled = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 1), (1, 2, 1), "SAME")
    overlapping = lax.reduce_window(y, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 1, 1), "SAME")
    channels = lax.reduce_window(y, 0.0, lax.add, (1, 2, 1, 2), (1, 1, 1, 1), "VALID")
    return jnp.sum(pooled**2) + jnp.sum(overlapping**3) + jnp.sum(channels**2)


@program(lambda a: (a(9),))
def recurrence(x: Any) -> Any:
    """An associative scan, which takes every second element apart."""
    return lax.associative_scan(lambda a, b: a * b + b, x)
