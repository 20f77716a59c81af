"""Binding arguments to values makes a model of the others."""

from __future__ import annotations

import numpy as np
import pytest

import lamina

TEXT = """
func.func private @half(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = nn.constant dense<0.5> : tensor<f32>
  %0 = nn.mul %x, %c : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @f(%w: tensor<2xf32> {nn.name = "w"}, %x: tensor<2xf32> {nn.name = "x"}) -> tensor<2xf32> {
  %0 = nn.mul %w, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = call @half(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
"""


def test_a_bound_argument_is_a_constant() -> None:
    module = lamina.parse(TEXT)
    model = lamina.bind(module, "f", {0: np.array([2, 4], np.float32)})
    np.testing.assert_array_equal(lamina.interpret(model, x=np.ones(2, np.float32)), [1, 2])
    assert lamina.to_text(lamina.parse(lamina.to_text(model))) == lamina.to_text(model)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({0: np.zeros(3, np.float32)}, r"cannot be float32\[3\]"),
        ({0: np.zeros(2)}, "float64"),
        ({2: 0}, "no argument 2"),
    ],
)
def test_values_that_do_not_fit_are_refused(values: dict[int, np.ndarray], message: str) -> None:
    with pytest.raises(lamina.LaminaError, match=message):
        lamina.bind(lamina.parse(TEXT), "f", values)
