"""Gradients through branches, counted loops, calls, and rules of functions' own, against differences."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import lamina
from lamina.dialects.core.verifier import verify
from lamina.passes.nn.nn_grad import add_gradient

BRANCH = """
func.func @f(%x: tensor<3xf64>, %w: tensor<3xf64>, %c: tensor<i1>) -> tensor<f64> {
  %flag = tensor.extract %c[] : tensor<i1>
  %y = scf.if %flag -> (tensor<3xf64>) {
    %0 = nn.mul %x, %w : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %1 = nn.tanh %0 : (tensor<3xf64>) -> tensor<3xf64>
    scf.yield %1 : tensor<3xf64>
  } else {
    scf.yield %x : tensor<3xf64>
  }
  %z = nn.mul %y, %y : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %r = nn.reduce_sum %z {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
"""
LOOP = """
func.func @f(%x: tensor<3xf64>, %w: tensor<3xf64>, %c: tensor<i1>) -> tensor<f64> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %n = nn.constant dense<0> : tensor<i64>
  %one = nn.constant dense<1> : tensor<i64>
  %y:2 = scf.for %i = %c2 to %c9 step %c2 iter_args(%a = %x, %k = %n) -> (tensor<3xf64>, tensor<i64>) {
    %0 = nn.gather %w, %k {axis = 0 : i64} : (tensor<3xf64>, tensor<i64>) -> tensor<f64>
    %1 = nn.mul %a, %w : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %2 = nn.add %1, %0 : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
    %3 = nn.tanh %2 : (tensor<3xf64>) -> tensor<3xf64>
    %4 = nn.add %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %3, %4 : tensor<3xf64>, tensor<i64>
  }
  %r = nn.reduce_sum %y#0 {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
"""
NESTED = """
func.func @f(%x: tensor<3xf64>, %w: tensor<3xf64>, %c: tensor<i1>) -> tensor<f64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %flag = tensor.extract %c[] : tensor<i1>
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<3xf64>) {
    %b = scf.for %j = %c0 to %i step %c1 iter_args(%d = %a) -> (tensor<3xf64>) {
      %0 = nn.mul %d, %w : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
      %1 = nn.sin %0 : (tensor<3xf64>) -> tensor<3xf64>
      scf.yield %1 : tensor<3xf64>
    }
    %e = scf.if %flag -> (tensor<3xf64>) {
      %2 = nn.mul %b, %x : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
      scf.yield %2 : tensor<3xf64>
    } else {
      scf.yield %b : tensor<3xf64>
    }
    scf.yield %e : tensor<3xf64>
  }
  %r = nn.reduce_sum %y {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
"""


CASES = {"if": BRANCH, "for": LOOP, "nested": NESTED}


def values(flag: bool) -> list[np.ndarray]:
    return [np.array([0.3, -0.7, 0.9]), np.array([1.2, 0.4, -0.8]), np.array(flag)]


@pytest.mark.parametrize(("name", "flag"), [(n, f) for n in CASES for f in (True, False)])
def test_gradients_through_control_flow_agree_with_differences(name: str, flag: bool) -> None:
    module = lamina.parse(CASES[name])
    gradient = lamina.grad(module, "f", wrt=(0, 1))
    verify(module)
    at = values(flag)
    for index, found in enumerate(lamina.interpret(module, *at, entry=gradient)):
        np.testing.assert_allclose(found, numerical(module, "f", at, index), rtol=1e-6, atol=1e-8)


def test_loops_are_differentiated_twice() -> None:
    module = lamina.parse(LOOP)
    first = lamina.grad(module, "f", wrt=(1,))
    second = add_gradient(module, first, (0, 1), "second", cotangents=True)
    at = values(True)
    for index, found in enumerate(lamina.interpret(module, *at, np.ones(3), entry=second)):
        np.testing.assert_allclose(found, numerical(module, first, at, index), rtol=1e-6, atol=1e-8)


def test_a_loop_runs_backwards_natively_over_its_tape() -> None:
    module = lamina.parse(LOOP)
    gradient = lamina.grad(module, "f", wrt=(0, 1))
    text = lamina.to_text(module)
    assert "tensor.empty() : tensor<4x3xf64>" in text, "the tape: four turns, each from three numbers"
    at = values(True)
    wanted = lamina.interpret(module, *at, entry=gradient)
    for found, expected in zip(lamina.compile(module, entry=gradient)(*at), wanted, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize(("name", "flag"), [(n, f) for n in CASES for f in (True, False)])
def test_forward_mode_through_control_flow_agrees_with_reverse_mode(name: str, flag: bool) -> None:
    module = lamina.parse(CASES[name])
    forward, backward = lamina.jvp(module, "f", wrt=(0, 1)), lamina.grad(module, "f", wrt=(0, 1))
    verify(module)
    at, directions = values(flag), [np.array([0.5, 1.0, -2.0]), np.array([-0.3, 0.8, 0.1])]
    gradients = lamina.interpret(module, *at, entry=backward)
    expected = sum((g * d).sum() for g, d in zip(gradients, directions, strict=True))
    assert lamina.interpret(module, *at, *directions, entry=forward) == pytest.approx(expected, rel=1e-12)


UNKNOWN_TURNS = """
func.func @f(%x: tensor<3xf64>, %n: tensor<i32>) -> tensor<f64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tensor.extract %n[] : tensor<i32>
  %m = arith.index_cast %s : i32 to index
  %y = scf.for %i = %c0 to %m step %c1 iter_args(%a = %x) -> (tensor<3xf64>) {
    %0 = nn.mul %a, %a : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %1 = nn.sin %0 : (tensor<3xf64>) -> tensor<3xf64>
    scf.yield %1 : tensor<3xf64>
  }
  %r = nn.reduce_sum %y {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
"""


def test_loops_of_any_number_of_turns_and_of_none() -> None:
    module = lamina.parse(UNKNOWN_TURNS)
    gradient = lamina.grad(module, "f")
    executable = lamina.compile(module, entry=gradient)
    x = np.array([0.3, -0.7, 0.9])
    for turns in (0, -2, 1, 5):
        expected, y = np.ones(3), x
        for _ in range(turns):  # the chain rule for sin(y * y)
            expected, y = expected * 2 * y * np.cos(y * y), np.sin(y * y)
        at = (x, np.array(turns, np.int32))
        np.testing.assert_allclose(lamina.interpret(module, *at, entry=gradient), expected, rtol=1e-12)
        np.testing.assert_allclose(executable(*at), expected, rtol=1e-12)


CUSTOM = """
func.func private @root(%x: tensor<3xf64>) -> tensor<3xf64> attributes {custom_grad = @root_rule} {
  %0 = nn.sqrt %x : (tensor<3xf64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}
func.func private @root_rule(%x: tensor<3xf64>, %g: tensor<3xf64>) -> tensor<3xf64> {
  %c = nn.constant dense<100.0> : tensor<f64>
  %0 = nn.mul %g, %c : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}
func.func @f(%x: tensor<3xf64>) -> tensor<f64> {
  %0 = func.call @root(%x) : (tensor<3xf64>) -> tensor<3xf64>
  %1 = nn.reduce_sum %0 {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
  return %1 : tensor<f64>
}
"""


def test_a_function_can_name_its_own_rule() -> None:
    module = lamina.parse(CUSTOM)
    gradient = lamina.grad(module, "f")
    np.testing.assert_array_equal(lamina.interpret(module, np.ones(3), entry=gradient), np.full(3, 100.0))


def test_a_rule_of_other_types_is_refused() -> None:
    module = lamina.parse(CUSTOM.replace("custom_grad = @root_rule", "custom_grad = @f"))
    with pytest.raises(lamina.LaminaError, match="is no rule for '@root'"):
        lamina.grad(module, "f")


def test_ops_without_a_rule_inside_of_a_loop_are_listed() -> None:
    module = lamina.parse(
        LOOP.replace("nn.tanh", '"test.op"').replace(
            "%2 : (tensor<3xf64>) -> tensor<3xf64>", "(%2) : (tensor<3xf64>) -> tensor<3xf64>"
        )
    )
    with pytest.raises(lamina.LaminaError, match=r"'test.op' op has no derivative rule"):
        lamina.grad(module, "f")


def numerical(module: ModuleOp, entry: str, at: list[np.ndarray], index: int) -> np.ndarray:
    """The gradient of the sum of a function's result by one argument, by central differences."""
    gradient = np.zeros_like(at[index])
    for place in np.ndindex(*gradient.shape):
        sums: list[float] = []
        for step in (1e-6, -1e-6):
            moved = [a.copy() for a in at]
            moved[index][place] += step
            sums.append(float(np.sum(lamina.interpret(module, *moved, entry=entry))))
        gradient[place] = (sums[0] - sums[1]) / 2e-6
    return gradient
