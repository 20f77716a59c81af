"""Gradients of whole functions: an MLP natively, second derivatives, the Python interface."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lamina

MLP = """
func.func @loss(%x: tensor<8x5xf64>, %w1: tensor<5x7xf64> {nn.name = "w1"}, %b1: tensor<7xf64>,
                %w2: tensor<7x3xf64>, %t: tensor<8x3xf64>) -> (tensor<f64> {nn.name = "loss"}) {
  %0 = nn.matmul %x, %w1 : (tensor<8x5xf64>, tensor<5x7xf64>) -> tensor<8x7xf64>
  %1 = nn.add %0, %b1 : (tensor<8x7xf64>, tensor<7xf64>) -> tensor<8x7xf64>
  %2 = nn.tanh %1 : (tensor<8x7xf64>) -> tensor<8x7xf64>
  %3 = nn.matmul %2, %w2 : (tensor<8x7xf64>, tensor<7x3xf64>) -> tensor<8x3xf64>
  %5 = nn.log_softmax %3 {axis = 1 : i64} : (tensor<8x3xf64>) -> tensor<8x3xf64>
  %6 = nn.mul %5, %t : (tensor<8x3xf64>, tensor<8x3xf64>) -> tensor<8x3xf64>
  %7 = nn.reduce_sum %6 {axes = array<i64: 0, 1>} : (tensor<8x3xf64>) -> tensor<f64>
  %8 = nn.neg %7 : (tensor<f64>) -> tensor<f64>
  return %8 : tensor<f64>
}
"""
SHAPES = [(8, 5), (5, 7), (7,), (7, 3), (8, 3)]


def arrays() -> list[np.ndarray]:
    generator = np.random.default_rng(0)
    return [generator.standard_normal(shape) for shape in SHAPES]


def along(
    function: object, at: list[np.ndarray], index: int, direction: np.ndarray, step: float = 1e-6
) -> float:
    """The derivative of a scalar function along a direction of one argument, numerically."""
    ends = []
    for sign in (1, -1):
        moved = list(at)
        moved[index] = at[index] + sign * step * direction
        ends.append(float(function(*moved)))  # pyright: ignore[reportCallIssue]
    return (ends[0] - ends[1]) / (2 * step)


def test_native_gradients_of_a_network_agree_with_differences() -> None:
    module = lamina.parse(MLP)
    name = lamina.value_and_grad(module, "loss", wrt=(1, 2, 3))
    assert name == "loss_value_and_grad"
    executable = lamina.compile(module, entry=name)
    assert [info.name for info in executable.outputs[:2]] == ["loss", "w1_grad"]
    at = arrays()
    loss, *gradients = executable(*at)
    assert loss == pytest.approx(float(lamina.interpret(module, *at, entry="loss")), rel=1e-12)
    generator = np.random.default_rng(1)
    for index, gradient in zip((1, 2, 3), gradients, strict=True):
        direction = generator.standard_normal(SHAPES[index])
        expected = along(lambda *a: lamina.interpret(module, *a, entry="loss"), at, index, direction)
        assert (gradient * direction).sum() == pytest.approx(expected, rel=1e-6)


def test_the_pass_applies_to_its_own_result() -> None:
    module = lamina.parse(MLP)
    pipeline = "nn-grad{function=loss wrt=1 name=g},nn-grad{function=g wrt=1,3 name=h cotangents=true}"
    lamina.run_pipeline(module, pipeline + ",canonicalize,cse")
    generator = np.random.default_rng(2)
    at, weights = arrays(), generator.standard_normal(SHAPES[1])
    found = lamina.interpret(module, *at, weights, entry="h")
    for index, product in zip((1, 3), found, strict=True):
        direction = generator.standard_normal(SHAPES[index])
        expected = along(
            lambda *a: (lamina.interpret(module, *a, entry="g") * weights).sum(), at, index, direction
        )
        assert (product * direction).sum() == pytest.approx(expected, rel=1e-6)


def test_a_name_that_is_taken_is_refused_and_a_failure_leaves_the_module_as_it_was() -> None:
    module = lamina.parse(MLP)
    with pytest.raises(lamina.LaminaError, match="there is a function 'loss' already"):
        lamina.grad(module, "loss", name="loss")
    before = lamina.to_text(module)
    with pytest.raises(lamina.LaminaError, match="has no argument 9"):
        lamina.grad(module, "loss", wrt=(9,))
    assert lamina.to_text(module) == before


STOPPED = """
func.func @loss(%x: tensor<3xf32>) -> tensor<f32> {
  %0 = nn.stop_gradient %x : (tensor<3xf32>) -> tensor<3xf32>
  %1 = nn.mul %0, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %2 = nn.reduce_sum %1 {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}
"""


def test_a_stopped_gradient_is_that_of_a_constant_in_both_modes() -> None:
    module = lamina.parse(STOPPED)
    backward, forward = lamina.grad(module, "loss"), lamina.jvp(module, "loss")
    x, t = np.array([1, 2, 3], np.float32), np.array([5, 7, 11], np.float32)
    for run in (lamina.interpret, lambda m, *a, entry: lamina.compile(m, entry=entry)(*a)):
        np.testing.assert_array_equal(run(module, x, entry=backward), x)
        assert run(module, x, t, entry=forward) == (x * t).sum()


SQUARES = """
func.func @loss(%x: tensor<SIZExELEMENT>, %n: tensor<i32> {nn.name = "n"}) -> tensor<ELEMENT> {
  %0 = nn.mul %x, %x : (tensor<SIZExELEMENT>, tensor<SIZExELEMENT>) -> tensor<SIZExELEMENT>
  %1 = nn.reduce_sum %0 {axes = array<i64: 0>} : (tensor<SIZExELEMENT>) -> tensor<ELEMENT>
  return %1 : tensor<ELEMENT>
}
"""


@pytest.mark.parametrize("element", ["f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize("size", [0, 3])
def test_gradients_of_every_element_type_and_of_nothing(element: str, size: int) -> None:
    module = lamina.parse(SQUARES.replace("SIZE", str(size)).replace("ELEMENT", element))
    name = lamina.value_and_grad(module, "loss")
    executable = lamina.compile(module, entry=name)
    x = np.arange(size).astype(executable.inputs[0].dtype)
    for loss, gradient in (executable(x, np.int32(0)), lamina.interpret(module, x, np.int32(0), entry=name)):
        assert gradient.dtype == x.dtype
        assert float(loss) == sum(i * i for i in range(size))
        np.testing.assert_array_equal(gradient.astype(float), 2.0 * np.arange(size))


@pytest.mark.parametrize(
    ("wrt", "message"),
    [
        ((9,), "has no argument 9 to differentiate by"),
        ((-3,), "has no argument -3 to differentiate by"),
        ((1,), r"argument 1 \('n'\) has type tensor<i32>, which has no derivative"),
        (1, r"argument 1 \('n'\) has type tensor<i32>, which has no derivative"),
        (None, "takes several arguments' numbers, and None is not"),
        (("x",), "'x' is not the number of an argument"),
    ],
)
def test_arguments_that_cannot_be_meant_are_refused(wrt: Any, message: str) -> None:
    module = lamina.parse(SQUARES.replace("SIZE", "3").replace("ELEMENT", "f32"))
    transforms = (lamina.grad, lamina.value_and_grad, lamina.jvp)
    for transform in transforms:
        transform(module, "loss", wrt=0)  # a name that is taken is no reason to keep silent on arguments
    before = lamina.to_text(module)
    for transform in transforms:
        with pytest.raises(lamina.LaminaError, match=message):
            transform(module, "loss", wrt=wrt)
    assert lamina.to_text(module) == before


CNN = """
func.func @loss(%x: tensor<2x1x9x9xf64>, %k: tensor<4x1x3x3xf64>, %b: tensor<4xf64>, %k2: tensor<4x2x3x3xf64>,
                %t: tensor<2x4x2x2xf64>) -> tensor<f64> {
  %0 = nn.conv2d %x, %k, %b {pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>}
    : (tensor<2x1x9x9xf64>, tensor<4x1x3x3xf64>, tensor<4xf64>) -> tensor<2x4x5x5xf64>
  %1 = nn.relu %0 : (tensor<2x4x5x5xf64>) -> tensor<2x4x5x5xf64>
  %2 = nn.conv2d %1, %k2 {pads = array<i64: 1, 1, 1, 1>, groups = 2 : i64}
    : (tensor<2x4x5x5xf64>, tensor<4x2x3x3xf64>) -> tensor<2x4x5x5xf64>
  %3 = nn.max_pool2d %2 {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>}
    : (tensor<2x4x5x5xf64>) -> tensor<2x4x2x2xf64>
  %4 = nn.avg_pool2d %2 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>}
    : (tensor<2x4x5x5xf64>) -> tensor<2x4x2x2xf64>
  %5 = nn.mul %3, %4 : (tensor<2x4x2x2xf64>, tensor<2x4x2x2xf64>) -> tensor<2x4x2x2xf64>
  %6 = nn.mul %5, %t : (tensor<2x4x2x2xf64>, tensor<2x4x2x2xf64>) -> tensor<2x4x2x2xf64>
  %7 = nn.reduce_sum %6 {axes = array<i64: 0, 1, 2, 3>} : (tensor<2x4x2x2xf64>) -> tensor<f64>
  return %7 : tensor<f64>
}
"""


def test_native_gradients_of_a_convolutional_network_are_the_interpreters() -> None:
    module = lamina.parse(CNN)
    name = lamina.grad(module, "loss", wrt=(0, 1, 2, 3))
    generator = np.random.default_rng(3)
    shapes = [(2, 1, 9, 9), (4, 1, 3, 3), (4,), (4, 2, 3, 3), (2, 4, 2, 2)]
    at = [generator.standard_normal(shape) for shape in shapes]
    expected = lamina.interpret(module, *at, entry=name)
    for found, wanted in zip(lamina.compile(module, entry=name)(*at), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
    direction = generator.standard_normal(shapes[1])
    loss = along(lambda *a: lamina.interpret(module, *a, entry="loss"), at, 1, direction)
    assert (expected[1] * direction).sum() == pytest.approx(loss, rel=1e-6)
