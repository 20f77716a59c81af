"""Gradients of JAX's losses, taken by Lamina on their StableHLO text, are those of ``jax.grad``."""

from __future__ import annotations

from typing import Any

import jax_programs
import numpy as np
import pytest
from jax_programs import Arrays

import lamina
from lamina.passes.nn.nn_grad import add_gradient

jax = pytest.importorskip("jax")

LOSSES = ("mlp", "activations", "attention", "cnn", "lstm", "gather_and_scatter", "sorting", "cumulative")


def _floats(arrays: list[np.ndarray]) -> list[int]:
    return [i for i, array in enumerate(arrays) if array.dtype.kind == "f"]


@pytest.mark.parametrize(
    ("name", "dtype"), [(name, dtype) for dtype in (np.float64, np.float32) for name in LOSSES]
)
def test_a_gradient(name: str, dtype: Any) -> None:
    function, make = jax_programs.PROGRAMS[name]
    arguments = make(Arrays(dtype))
    inputs = [np.asarray(value) for value in jax.tree.leaves(arguments)]
    places = _floats(inputs)

    def loss(floats: list[Any]) -> Any:
        leaves = list(inputs)
        for place, value in zip(places, floats, strict=True):
            leaves[place] = value
        return function(*jax.tree.unflatten(jax.tree.structure(arguments), leaves))

    with jax.enable_x64(dtype == np.float64):
        wanted = [np.asarray(g) for g in jax.jit(jax.grad(loss))([inputs[i] for i in places])]
    module = lamina.from_stablehlo(jax_programs.text(name, dtype))
    gradient = lamina.grad(module, "main", wrt=tuple(places))
    lamina.run_pipeline(module, "canonicalize,cse")
    found = lamina.interpret(module, *inputs, entry=gradient)
    found = found if isinstance(found, tuple) else (found,)
    tolerance = 1e-9 if dtype == np.float64 else 1e-5
    for i, (ours, theirs) in enumerate(zip(found, wanted, strict=True)):
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, i
        assert np.linalg.norm(ours - theirs) <= tolerance * max(np.linalg.norm(theirs), 1e-6), i


def test_second_derivatives_of_a_small_network() -> None:
    function, make = jax_programs.PROGRAMS["mlp"]
    (w1, b1, w2, b2), x, labels = make(Arrays(np.float64))
    with jax.enable_x64(True):

        def loss(w: Any) -> Any:
            return function((w, b1, w2, b2), x, labels)

        wanted = np.asarray(jax.jit(jax.hessian(loss))(w1))
    module = lamina.from_stablehlo(jax_programs.text("mlp", np.float64))
    first = lamina.grad(module, "main", wrt=(0,))
    second = add_gradient(module, first, (0,), cotangents=True)
    lamina.run_pipeline(module, "canonicalize,cse")
    inputs = [w1, b1, w2, b2, x, labels]
    for place in ((0, 0), (2, 3), (5, 7)):
        direction = np.zeros_like(w1)
        direction[place] = 1
        row = lamina.interpret(module, *inputs, direction, entry=second)
        assert np.linalg.norm(row - wanted[place]) <= 1e-8 * np.linalg.norm(wanted[place])


def test_the_loss_over_training_steps() -> None:
    """Gradient descent by Lamina's gradient and by JAX's, step by step from the same weights."""
    function, make = jax_programs.PROGRAMS["mlp"]
    parameters, x, labels = make(Arrays(np.float32))
    module = lamina.from_stablehlo(jax_programs.text("mlp", np.float32))
    name = lamina.value_and_grad(module, "main", wrt=(0, 1, 2, 3))
    step = lamina.compile(module, entry=name)
    theirs_step = jax.jit(jax.value_and_grad(function))
    ours, theirs = list(parameters), parameters
    for _ in range(200):
        loss, *gradients = step(*ours, x, labels)
        wanted, their_gradients = theirs_step(theirs, x, labels)
        assert abs(float(loss) - float(wanted)) <= 1e-3 * abs(float(wanted))
        ours = [p - 0.1 * g for p, g in zip(ours, gradients, strict=True)]
        theirs = jax.tree.map(lambda p, g: p - 0.1 * g, theirs, their_gradients)
