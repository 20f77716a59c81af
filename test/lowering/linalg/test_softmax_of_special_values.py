"""A NaN or an infinity makes a row of softmax what the definition says, though the maximum passes by NaN."""

from __future__ import annotations

import numpy as np

import lamina

TYPE = "tensor<6x40xf32>"
PROGRAM = f"""
func.func @main(%x: {TYPE}) -> ({TYPE}, {TYPE}) {{
  %0 = nn.softmax %x {{axis = 1 : i64}} : ({TYPE}) -> {TYPE}
  %1 = nn.log_softmax %x {{axis = 1 : i64}} : ({TYPE}) -> {TYPE}
  return %0, %1 : {TYPE}, {TYPE}
}}"""


def test_rows_with_special_values() -> None:
    x = np.random.default_rng(0).standard_normal((6, 40)).astype(np.float32)
    x[0, 3] = np.nan
    x[1, :] = np.nan
    x[2, 5] = np.inf
    x[3, 7] = -np.inf
    x[4, :] = -np.inf
    module = lamina.parse(PROGRAM)
    got = lamina.compile(module)(x)
    for values in got:
        assert np.isnan(values).all(axis=1).tolist() == [True, True, True, False, True, False]
    with np.errstate(invalid="ignore", divide="ignore"):
        e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
        share = e / e.sum(1, keepdims=True)
        np.testing.assert_allclose(got[0], share, rtol=2e-6)
        np.testing.assert_allclose(got[1], np.log(share), rtol=2e-6, atol=2e-6)
