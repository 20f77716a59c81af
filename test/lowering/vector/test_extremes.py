"""Extremes that leave NaN out, from any start: as the interpreter has them, and NumPy's fmax and fmin."""

from __future__ import annotations

import numpy as np
import pytest

import lamina

SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 3e38, -3e38)


@pytest.mark.parametrize("op,function", [("maxnumf", np.fmax), ("minnumf", np.fmin)])
@pytest.mark.parametrize("start", ["0xFF800000", "0x7F800000", "0x7FC00000", "1.5"])
@pytest.mark.parametrize("width", [1, 7, 64, 1000])
def test_an_extreme_of_numbers(op: str, function: np.ufunc, start: str, width: int) -> None:
    x, out = f"tensor<9x{width}xf32>", "tensor<9xf32>"
    text = f"""func.func @main(%x: {x}) -> {out} {{
      %start = arith.constant {start} : f32
      %empty = tensor.empty() : {out}
      %f = linalg.fill ins(%start : f32) outs(%empty : {out}) -> {out}
      %r = linalg.generic {{indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>],
          iterator_types = ["parallel", "reduction"]}} ins(%x : {x}) outs(%f : {out}) {{
      ^bb0(%a: f32, %b: f32):
        %m = arith.{op} %a, %b : f32
        linalg.yield %m : f32
      }} -> {out}
      return %r : {out}
    }}"""
    random = np.random.default_rng(width)
    values = random.standard_normal((9, width)).astype(np.float32)
    for row, rate in zip(values, (0, 0.1, 0.5, 0.9, 1.0, 0.3, 0.3, 0.3, 0.3), strict=True):
        row[random.random(width) < rate] = np.nan
    values[5:] = random.choice(np.array(SPECIAL, np.float32), (4, width))
    first = {"0xFF800000": -np.inf, "0x7F800000": np.inf, "0x7FC00000": np.nan, "1.5": 1.5}[start]
    expected = function(function.reduce(values, axis=1), np.float32(first))
    got = lamina.compile(lamina.parse(text), cache=False)(values)
    np.testing.assert_array_equal(got, expected)
