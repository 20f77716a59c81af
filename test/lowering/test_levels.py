"""Small models at every stop point: the text parses, upstream reads it, and it computes the same."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from stop_points import (
    INTERPRETED,
    check_accepted_upstream,
    check_parses_to_itself,
    check_results,
    stop_points,
)

import lamina
from lamina.lowering.pipelines import LEVELS

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

BYTES = """
// Unsigned bytes and truth values at the borders, a table, integers, and movement of data inside.
func.func @main(%codes: tensor<2x6xui8> {nn.name = "codes"}, %mask: tensor<2x6xi1> {nn.name = "mask"})
    -> (tensor<2x3x8xf32> {nn.name = "rows"}, tensor<2x6xi1> {nn.name = "large"},
        tensor<2xi64> {nn.name = "last"}, tensor<2x6xui8> {nn.name = "halves"}) {
  %table = nn.constant dense<[[0.5, -1.0, 2.0, 0.25], [3.0, -0.5, 1.0, 0.125], [-2.0, 1.5, 0.75, 4.0]]>
    : tensor<3x4xf32>
  %three = nn.constant dense<3> : tensor<ui8>
  %two = nn.constant dense<2> : tensor<ui8>
  %limit = nn.constant dense<200> : tensor<ui8>
  %bucket = nn.rem %codes, %three : (tensor<2x6xui8>, tensor<ui8>) -> tensor<2x6xui8>
  %index = nn.cast %bucket : (tensor<2x6xui8>) -> tensor<2x6xi64>
  %picked = nn.gather %table, %index {axis = 0 : i64}
    : (tensor<3x4xf32>, tensor<2x6xi64>) -> tensor<2x6x4xf32>
  %pairs = nn.reshape %picked {shape = array<i64: 2, 3, 8>} : (tensor<2x6x4xf32>) -> tensor<2x3x8xf32>
  %padded = nn.pad %pairs {low = array<i64: 0, 1, 0>, high = array<i64: 0, 0, 0>, mode = "constant",
    value = 0.5 : f64} : (tensor<2x3x8xf32>) -> tensor<2x4x8xf32>
  %shifted = nn.slice %padded {starts = array<i64: 0, 0, 0>, ends = array<i64: 2, 3, 8>,
    steps = array<i64: 1, 1, 1>} : (tensor<2x4x8xf32>) -> tensor<2x3x8xf32>
  %scores = nn.softmax %shifted {axis = -1 : i64} : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %rows = nn.add %scores, %pairs : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %above = nn.greater %codes, %limit : (tensor<2x6xui8>, tensor<ui8>) -> tensor<2x6xi1>
  %large = nn.logical_and %above, %mask : (tensor<2x6xi1>, tensor<2x6xi1>) -> tensor<2x6xi1>
  %last = nn.argmax %codes {axis = 1 : i64, keepdims = false, select_last_index = true}
    : (tensor<2x6xui8>) -> tensor<2xi64>
  %halves = nn.div %codes, %two : (tensor<2x6xui8>, tensor<ui8>) -> tensor<2x6xui8>
  return %rows, %large, %last, %halves : tensor<2x3x8xf32>, tensor<2x6xi1>, tensor<2xi64>, tensor<2x6xui8>
}
"""

RNG = np.random.default_rng(0)
INPUTS: dict[str, list[np.ndarray]] = {
    "digits_mlp": [RNG.random((3, 64), np.float32)],
    "digits_cnn": [RNG.random((1, 1, 8, 8), np.float32)],
    "bytes": [RNG.integers(0, 256, (2, 6)).astype(np.uint8), RNG.random((2, 6)) < 0.5],
}

SIGNATURES: dict[str, tuple[list[str], list[str]]] = {
    "digits_mlp": (["pixels: float32[3, 64]"], ["probabilities: float32[3, 10]"]),
    "digits_cnn": (["image: float32[1, 1, 8, 8]"], ["probabilities: float32[1, 10]"]),
    "bytes": (
        ["codes: uint8[2, 6]", "mask: bool[2, 6]"],
        ["rows: float32[2, 3, 8]", "large: bool[2, 6]", "last: int64[2]", "halves: uint8[2, 6]"],
    ),
}
"""Names, element types and shapes, which are the same at each level."""


@cache
def _lowered(model: str) -> tuple[tuple[np.ndarray, ...], dict[str, str]]:
    """What the model gives by the references, and its text at each level."""
    module = lamina.parse(BYTES) if model == "bytes" else lamina.load(EXAMPLES / f"{model}.mlir")
    inputs = INPUTS[model]
    wanted = lamina.interpret(module, *inputs)
    return wanted if isinstance(wanted, tuple) else (wanted,), dict(stop_points(module, inputs))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("model", INPUTS)
def test_text_of_each_level_computes_what_the_model_does(model: str, level: str) -> None:
    wanted, texts = _lowered(model)
    module = check_parses_to_itself(texts[level])
    exe = lamina.compile(module)
    check_results(exe(*INPUTS[model]), wanted, "compiled")
    assert ([str(info) for info in exe.inputs], [str(info) for info in exe.outputs]) == SIGNATURES[model]
    if level in INTERPRETED:
        check_results(lamina.interpret(module, *INPUTS[model]), wanted, "interpreted")


@pytest.mark.parametrize("model", INPUTS)
def test_upstream_reads_each_level_below_nn(
    model: str, mlir_opt: Callable[..., str], mlir_translate: Callable[..., str]
) -> None:
    for level, text in _lowered(model)[1].items():
        check_accepted_upstream(level, text, mlir_opt, mlir_translate)
