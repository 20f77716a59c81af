"""Gradients of JAX's losses, imported through their StableHLO text, equal those of ``jax.grad``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

jax = pytest.importorskip("jax")
import jax_programs  # noqa: E402
from jax_programs import Arrays  # noqa: E402

import lamina  # noqa: E402
from lamina.passes.nn.nn_grad import add_gradient  # noqa: E402
from lamina.passes.nn.nn_set_shapes import find_function  # noqa: E402

LOSSES = ("mlp", "activations", "attention")
TOLERANCE = {np.float64: 1e-9, np.float32: 1e-5}


def leaves(tree: Any) -> list[np.ndarray]:
    return [np.asarray(leaf) for leaf in jax.tree.leaves(tree)]


@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["f64", "f32"])
@pytest.mark.parametrize("name", LOSSES)
def test_gradients_are_those_of_jax(name: str, dtype: Any) -> None:
    case = jax_programs.case(name, dtype, jax.grad)
    module = lamina.from_stablehlo(jax_programs.text(name, dtype))
    gradient = lamina.grad(module, "main", wrt=range(len(case.outputs)))
    lamina.run_pipeline(module, "canonicalize,cse")
    found = lamina.interpret(module, *case.inputs, entry=gradient)
    for mine, theirs in zip(found, case.outputs, strict=True):
        distance = np.linalg.norm(mine - theirs) / max(np.linalg.norm(theirs), 1e-6)
        assert distance < TOLERANCE[dtype]


def test_second_derivatives_of_a_network_are_those_of_jax() -> None:
    function, make = jax_programs.PROGRAMS["mlp"]
    arguments = make(Arrays(np.float64))
    generator = np.random.default_rng(0)
    directions = [generator.standard_normal(a.shape) for a in leaves(arguments[0])]
    with jax.enable_x64(True):
        tree = jax.tree.unflatten(jax.tree.structure(arguments[0]), directions)

        def along(parameters: Any) -> Any:
            gradients = jax.tree.leaves(jax.grad(function)(parameters, *arguments[1:]))
            return sum((g * d).sum() for g, d in zip(gradients, jax.tree.leaves(tree), strict=True))

        expected = leaves(jax.grad(along)(arguments[0]))
    module = lamina.from_stablehlo(jax_programs.text("mlp", np.float64))
    count = len(directions)
    gradient = lamina.grad(module, "main", wrt=range(count))
    product = add_gradient(module, gradient, range(count), "product", cotangents=True)
    lamina.run_pipeline(module, "canonicalize,cse")
    found = lamina.interpret(module, *leaves(arguments), *directions, entry=product)
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-8, atol=1e-10)


def mlp(parameters: Any, x: Any, labels: Any) -> Any:
    (w1, b1, w2, b2), relu = parameters, jax.nn.relu
    return jax_programs.cross_entropy(relu(x @ w1 + b1) @ w2 + b2, labels)


def cnn(parameters: Any, x: Any, labels: Any) -> Any:
    k1, k2, w = parameters
    for kernel in (k1, k2):
        x = jax.lax.conv_general_dilated(
            x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        x = jax.lax.reduce_window(jax.nn.relu(x), -np.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return jax_programs.cross_entropy(x.reshape(x.shape[0], -1) @ w, labels)


MLP = """
func.func @main(%w1: tensor<6x8xf32>, %b1: tensor<8xf32>, %w2: tensor<8x5xf32>, %b2: tensor<5xf32>,
                %x: tensor<4x6xf32>, %labels: tensor<4xi32>) -> tensor<f32> {
  %0 = nn.matmul %x, %w1 : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  %1 = nn.add %0, %b1 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %2 = nn.relu %1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = nn.matmul %2, %w2 : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %logits = nn.add %3, %b2 : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
"""
CNN = """
func.func @main(%k1: tensor<3x3x1x4xf32>, %k2: tensor<3x3x4x6xf32>, %w: tensor<24x5xf32>,
                %x: tensor<4x8x8x1xf32>, %labels: tensor<4xi32>) -> tensor<f32> {
  %0 = nn.conv2d %x, %k1 {layout = "NHWC", pads = array<i64: 1, 1, 1, 1>}
    : (tensor<4x8x8x1xf32>, tensor<3x3x1x4xf32>) -> tensor<4x8x8x4xf32>
  %1 = nn.relu %0 : (tensor<4x8x8x4xf32>) -> tensor<4x8x8x4xf32>
  %2 = nn.max_pool2d %1 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, layout = "NHWC"}
    : (tensor<4x8x8x4xf32>) -> tensor<4x4x4x4xf32>
  %3 = nn.conv2d %2, %k2 {layout = "NHWC", pads = array<i64: 1, 1, 1, 1>}
    : (tensor<4x4x4x4xf32>, tensor<3x3x4x6xf32>) -> tensor<4x4x4x6xf32>
  %4 = nn.relu %3 : (tensor<4x4x4x6xf32>) -> tensor<4x4x4x6xf32>
  %5 = nn.max_pool2d %4 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, layout = "NHWC"}
    : (tensor<4x4x4x6xf32>) -> tensor<4x2x2x6xf32>
  %6 = nn.reshape %5 {shape = array<i64: 4, 24>} : (tensor<4x2x2x6xf32>) -> tensor<4x24xf32>
  %logits = nn.matmul %6, %w : (tensor<4x24xf32>, tensor<24x5xf32>) -> tensor<4x5xf32>
"""
LOSS = """
  %p = nn.log_softmax %logits {axis = 1 : i64} : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %zero = nn.constant dense<0.0> : tensor<f32>
  %classes = nn.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %column = nn.unsqueeze %labels {axes = array<i64: 1>} : (tensor<4xi32>) -> tensor<4x1xi32>
  %is = nn.equal %column, %classes : (tensor<4x1xi32>, tensor<5xi32>) -> tensor<4x5xi1>
  %chosen = nn.select %is, %p, %zero : (tensor<4x5xi1>, tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
  %each = nn.reduce_sum %chosen {axes = array<i64: 1>} : (tensor<4x5xf32>) -> tensor<4xf32>
  %mean = nn.reduce_mean %each {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %loss = nn.neg %mean : (tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
"""


@pytest.mark.parametrize(
    ("function", "text", "shapes"),
    [
        (mlp, MLP, ((6, 8), (8,), (8, 5), (5,), (4, 6))),
        (cnn, CNN, ((3, 3, 1, 4), (3, 3, 4, 6), (24, 5), (4, 8, 8, 1))),
    ],
    ids=["mlp", "cnn"],
)
def test_backward_programs_are_as_short_as_jaxs(function: Any, text: str, shapes: Any) -> None:
    """At most 1.2 times the ops of JAX's StableHLO, though `nn`'s stand for more; and the same results."""
    arrays = Arrays(np.float32)
    *parameters, x = [arrays(*shape) for shape in shapes]
    labels = arrays.integers(5, 4)
    gradient = jax.jit(jax.value_and_grad(function))
    theirs = gradient.lower(parameters, x, labels).as_text()
    module = lamina.parse(text + LOSS)
    name = lamina.value_and_grad(module, "main", wrt=range(len(parameters)))
    lamina.run_pipeline(module, "canonicalize,cse")
    assert count(module, name) <= 1.2 * theirs.count("= stablehlo.")
    found = lamina.interpret(module, *parameters, x, labels, entry=name)
    for result, wanted in zip(found, leaves(gradient(parameters, x, labels)), strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-6)


def count(module: ModuleOp, name: str) -> int:
    """The ops of a function, but for itself and the return."""
    return sum(1 for _ in find_function(module, name).walk()) - 2


@pytest.mark.parametrize("name", ["mlp", "cnn", "attention", "lstm"])
def test_backward_programs_are_as_short_as_jaxs_on_the_same_level(name: str) -> None:
    """Lamina's gradient of an imported loss, against JAX's gradient imported: both in `nn`, simplified."""
    mine = lamina.from_stablehlo(jax_programs.text(name))
    parameters = leaves(jax_programs.PROGRAMS[name][1](Arrays(np.float32))[0])
    gradient = lamina.value_and_grad(mine, "main", wrt=range(len(parameters)))
    lamina.run_pipeline(mine, "canonicalize,cse")
    theirs = lamina.from_stablehlo(jax_programs.text(name, transform=jax.value_and_grad))
    assert count(mine, gradient) <= 1.2 * count(theirs, "main")
