"""Convolutions through Winograd's transforms give the direct sums, within the bounds that are documented."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import lamina
from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.linalg.winograd import F2, F4, Winograd
from lamina.lowering.pipelines import DISPATCH_PASSES, TO_LINALG

UNTIL = ",".join((*TO_LINALG, *DISPATCH_PASSES[: DISPATCH_PASSES.index("winograd-convolutions")]))
BOUND = {"off": 2e-6, "f2": 4e-6, "f4": 3e-5}
"""Of the largest error, relative to the largest result, for normally distributed inputs and filters."""


@pytest.mark.parametrize("of", [F2, F4], ids=["f2", "f4"])
def test_matrices_give_the_products_of_polynomials_exactly(of: Winograd) -> None:
    matrices = {
        "input": [[Fraction(v).limit_denominator(100) for v in row] for row in of.input],
        "filter": [[Fraction(v).limit_denominator(100) for v in row] for row in of.filter],
        "output": [[Fraction(v).limit_denominator(100) for v in row] for row in of.output],
    }
    for i in range(3):  # each filter with one element shifts the inputs
        g = [row[i] for row in matrices["filter"]]
        for shift in range(of.alpha):
            d = [row[shift] for row in matrices["input"]]
            got = [sum(a * x * y for a, x, y in zip(row, g, d, strict=True)) for row in matrices["output"]]
            assert got == [int(place + i == shift) for place in range(of.m)]


def _program(images: int, rows: int, columns: int, channels: int, features: int) -> tuple[str, np.ndarray]:
    """A padded convolution with weights as constants, a bias and a ReLU; channels come first."""
    weights = np.random.default_rng(1).standard_normal((features, channels, 3, 3)).astype(np.float32)
    x = f"tensor<{images}x{channels}x{rows}x{columns}xf32>"
    y = f"tensor<{images}x{features}x{rows}x{columns}xf32>"
    w, b = f"tensor<{features}x{channels}x3x3xf32>", f"tensor<{features}xf32>"
    text = f"""
func.func @main(%x: {x}) -> {y} {{
  %w = nn.constant dense<"0x{weights.tobytes().hex().upper()}"> : {w}
  %b = nn.constant dense<0.25> : {b}
  %0 = nn.conv2d %x, %w, %b {{pads = array<i64: 1, 1, 1, 1>}} : ({x}, {w}, {b}) -> {y}
  %1 = nn.relu %0 : ({y}) -> {y}
  return %1 : {y}
}}"""
    return text, weights


def _direct(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    return np.maximum(np.einsum("nchwij,fcij->nfhw", windows, weights.astype(np.float64)) + 0.25, 0)


@pytest.mark.parametrize("choice", ["off", "f2", "f4"])
@pytest.mark.parametrize(
    "shape",
    [
        *((1, 8, 12, 16, 24), (3, 4, 4, 8, 8), (1, 28, 28, 37, 19), (2, 12, 8, 9, 41), (1, 8, 8, 130, 11)),
        *((1, 7, 7, 16, 24), (2, 13, 9, 9, 17), (1, 57, 6, 8, 16), (3, 1, 3, 8, 8), (1, 2, 5, 11, 8)),
    ],
)
def test_values_are_those_of_the_direct_sum(shape: tuple[int, int, int, int, int], choice: str) -> None:
    images, rows, columns, channels, _ = shape
    text, weights = _program(*shape)
    x = np.random.default_rng(2).standard_normal((images, channels, rows, columns)).astype(np.float32)
    got = lamina.compile(lamina.parse(text), winograd=choice)(x)
    wanted = _direct(x, weights)
    assert np.abs(got - wanted).max() <= BOUND[choice] * np.abs(wanted).max()


@pytest.mark.parametrize("choice", ["f2", "f4"])
def test_the_interpreter_runs_the_transformed_program(choice: str) -> None:
    text, weights = _program(2, 8, 4, 8, 16)
    module = lamina.parse(text)
    lamina.run_pipeline(module, f"{UNTIL},winograd-convolutions{{winograd={choice}}}")
    assert "winograd_input_transform" in lamina.to_text(module)
    x = np.random.default_rng(3).standard_normal((2, 8, 8, 4)).astype(np.float32)
    wanted = _direct(x, weights)
    np.testing.assert_allclose(lamina.interpret(module, x), wanted, atol=BOUND[choice] * wanted.max())


@pytest.mark.parametrize("size", [56, 54])
def test_threads_do_not_change_a_bit(size: int) -> None:
    text, _ = _program(1, size, size, 32, 32)
    x = np.random.default_rng(4).standard_normal((1, 32, size, size)).astype(np.float32)
    results = [lamina.compile(lamina.parse(text), threads=n, winograd="f4")(x) for n in (1, 2, 3, 8)]
    assert all(np.array_equal(results[0], other) for other in results[1:])


def test_an_unknown_choice_is_an_error() -> None:
    with pytest.raises(LaminaError, match=r"no tiles named winograd=f3"):
        lamina.compile(lamina.parse(_program(1, 4, 4, 8, 8)[0]), winograd="f3")


def test_fewer_channels_than_lanes_take_part_of_a_register() -> None:
    module = lamina.parse(_program(1, 8, 8, 8, 24)[0])
    wide = "func.func(cpu-default-schedule{vector-bits=512 vector-registers=32})"
    lamina.run_pipeline(module, f"{UNTIL},winograd-convolutions{{winograd=f2}},{wide}")
    transform = next(op for op in module.walk() if op.name == "linalg.winograd_input_transform")
    assert "tile = array<i64: 4, 4, 1, 1, 1, 8>" in lamina.to_text(transform)
