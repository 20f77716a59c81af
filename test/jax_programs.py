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
