"""Few rows times a matrix that is read from memory: odd extents, epilogues, constants, special values."""

from __future__ import annotations

import numpy as np
import pytest

import lamina
from lamina.lowering.codegen.target import host_target
from lamina.lowering.vector._blocking import FAR

_DEPTH = 2053


def _columns(extra: int) -> int:
    """Enough columns for a matrix of f32 to be larger than what caches hold."""
    return FAR * host_target().l2_bytes // (4 * _DEPTH) + extra


def _model(rows: int, columns: int) -> str:
    a, b, c = (f"tensor<{m}x{n}xf32>" for m, n in ((rows, _DEPTH), (_DEPTH, columns), (rows, columns)))
    return f"""func.func @main(%a: {a}, %b: {b}, %bias: tensor<{columns}xf32>) -> {c} {{
      %p = "nn.matmul"(%a, %b) : ({a}, {b}) -> {c}
      %s = "nn.add"(%p, %bias) : ({c}, tensor<{columns}xf32>) -> {c}
      %r = "nn.relu"(%s) : ({c}) -> {c}
      return %r : {c}
    }}"""


@pytest.mark.parametrize("rows,extra", [(1, 37), (3, 1), (4, 64), (7, 19), (8, 5)])
def test_a_product_of_few_rows(rows: int, extra: int) -> None:
    random = np.random.default_rng(rows)
    columns = _columns(extra)
    a, bias = (random.standard_normal(shape, dtype=np.float32) for shape in ((rows, _DEPTH), (columns,)))
    b = random.standard_normal((_DEPTH, columns), dtype=np.float32)
    a[0, 5] = np.inf
    b[7, 3] = np.nan
    with np.errstate(invalid="ignore"):
        expected = a.astype("f8") @ b.astype("f8") + bias
        expected = np.where(np.isnan(expected), expected, np.maximum(expected, 0))
    results = [
        lamina.compile(lamina.parse(_model(rows, columns)), threads=n, cache=False)(a, b, bias)
        for n in (1, 2, 3)
    ]
    np.testing.assert_allclose(results[0], expected, rtol=1e-4, atol=2e-3)
    for other in results[1:]:
        np.testing.assert_array_equal(results[0], other)
