"""Initialisers: spread by fan in and out, orthonormal rows, the same numbers for a key."""

from __future__ import annotations

import numpy as np
import pytest

import lamina

TEXT = """
func.func @f(%a: tensor<40x60xf32> {nn.init = "glorot_uniform"},
             %b: tensor<40x60xf32> {nn.init = "he_normal"},
             %c: tensor<3x3x8x16xf32> {nn.init = "he_uniform"},
             %d: tensor<16x8x3x3xf32> {nn.init = "he_normal"},
             %e: tensor<12x5xf64> {nn.init = "orthogonal"}, %g: tensor<5x12xf64> {nn.init = "orthogonal"},
             %h: tensor<7xf32>, %i: tensor<7xf32> {nn.init = "ones"}, %x: tensor<1x8x8x8xf32>) -> () {
  %0 = nn.conv2d %x, %c {layout = "NHWC"}
    : (tensor<1x8x8x8xf32>, tensor<3x3x8x16xf32>) -> tensor<1x6x6x16xf32>
  %1 = nn.conv2d %x, %d : (tensor<1x8x8x8xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x6x6xf32>
  return
}
"""


def test_parameters_have_the_spread_and_form_they_ask_for() -> None:
    module = lamina.parse(TEXT)
    name = lamina.initializer(module, "f", range(8))
    key = np.array([3, 0], np.uint32)
    a, b, c, d, e, g, h, i = lamina.interpret(module, key, entry=name)
    assert a.std() == pytest.approx(np.sqrt(2 / 100), rel=0.05) and abs(a).max() <= np.sqrt(6 / 100)
    assert b.std() == pytest.approx(np.sqrt(2 / 40), rel=0.05)
    assert c.std() == pytest.approx(np.sqrt(2 / 72), rel=0.05)
    assert d.std() == pytest.approx(np.sqrt(2 / 72), rel=0.08)
    np.testing.assert_allclose(e.T @ e, np.eye(5), atol=1e-12)
    np.testing.assert_allclose(g @ g.T, np.eye(5), atol=1e-12)
    assert not h.any() and (i == 1).all()
    again = lamina.interpret(module, key, entry=name)
    np.testing.assert_array_equal(again[1], b)
    assert not np.array_equal(a, (b - b.mean()) * a.std()), "each parameter has its own stream"


def test_an_unknown_initialiser_is_refused() -> None:
    module = lamina.parse(TEXT.replace('"he_normal"', '"he_norm"'))
    with pytest.raises(lamina.LaminaError, match="did you mean 'he_normal'"):
        lamina.initializer(module, "f", [1])


CONVOLUTION = """
func.func {HEAD}(%k: tensor<8x4x3x3xf32> {nn.init = "he_normal"}, %x: tensor<1x4x9x9xf32>)
    -> tensor<1x8x7x7xf32> {
  %0 = nn.conv2d %x, %k : (tensor<1x4x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x7x7xf32>
  return %0 : tensor<1x8x7x7xf32>
}
"""
CALLER = """
func.func @main(%k: tensor<8x4x3x3xf32> {nn.init = "he_normal"}, %x: tensor<1x4x9x9xf32>)
    -> tensor<1x8x7x7xf32> {
  %0 = call @inner(%k, %x) : (tensor<8x4x3x3xf32>, tensor<1x4x9x9xf32>) -> tensor<1x8x7x7xf32>
  return %0 : tensor<1x8x7x7xf32>
}
"""


def test_the_fan_of_a_filter_is_that_of_the_convolution_also_in_a_called_function() -> None:
    for text in (
        CONVOLUTION.replace("{HEAD}", "@main"),
        CONVOLUTION.replace("{HEAD}", "private @inner") + CALLER,
    ):
        module = lamina.parse(text)
        name = lamina.initializer(module, "main", (0,))
        found = lamina.interpret(module, np.array([0, 0], np.uint32), entry=name)
        assert found.std() == pytest.approx(
            np.sqrt(2 / (4 * 3 * 3)), rel=0.15
        )  # fan in: 4 channels, 9 places
