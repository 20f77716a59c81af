"""Operations over rows run as one loop over them, natively and in the interpreter, with the values of nn."""

from __future__ import annotations

import numpy as np
import pytest

import lamina
from lamina.lowering.pipelines import TO_LOOPS

SOFTMAX = """
func.func @main(%x: tensor<{n}x{m}xf32>) -> tensor<{n}x{m}xf32> {{
  %0 = nn.{op} %x {{axis = 1 : i64}} : (tensor<{n}x{m}xf32>) -> tensor<{n}x{m}xf32>
  return %0 : tensor<{n}x{m}xf32>
}}"""
LAYER_NORM = """
func.func @main(%x: tensor<{n}x{m}xf32>, %g: tensor<{m}xf32>, %b: tensor<{m}xf32>) -> tensor<{n}x{m}xf32> {{
  %0 = nn.layer_norm %x, %g, %b {{axis = 1 : i64}}
    : (tensor<{n}x{m}xf32>, tensor<{m}xf32>, tensor<{m}xf32>) -> tensor<{n}x{m}xf32>
  return %0 : tensor<{n}x{m}xf32>
}}"""
TEXTS = {
    "softmax": SOFTMAX.replace("{op}", "softmax"),
    "log_softmax": SOFTMAX.replace("{op}", "log_softmax"),
    "layer_norm": LAYER_NORM,
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize(("rows", "columns"), [(64, 256), (37, 211), (300, 1000), (1, 64), (5, 3)])
def test_values(name: str, rows: int, columns: int) -> None:
    module = lamina.parse(TEXTS[name].format(n=rows, m=columns))
    exe = lamina.compile(module, threads=2)
    rng = np.random.default_rng(columns)
    inputs = [rng.standard_normal(info.shape).astype(np.float32) for info in exe.inputs]
    inputs[0][0, 0] = 80.0
    wanted = lamina.interpret(module, *inputs)
    np.testing.assert_allclose(exe(*inputs), wanted, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("name", TEXTS)
def test_non_finite_values_come_out_where_the_reference_has_them(name: str) -> None:
    module = lamina.parse(TEXTS[name].format(n=4, m=64))
    exe = lamina.compile(module)
    inputs = [np.ones(info.shape, np.float32) for info in exe.inputs]
    inputs[0][0, 3], inputs[0][1, 5], inputs[0][2, :] = np.nan, np.inf, -np.inf
    with np.errstate(all="ignore"):
        wanted = lamina.interpret(module, *inputs)
    np.testing.assert_allclose(exe(*inputs), wanted, rtol=1e-5)


@pytest.mark.parametrize("name", TEXTS)
def test_one_loop_over_the_rows(name: str) -> None:
    module = lamina.parse(TEXTS[name].format(n=64, m=256))
    lamina.run_pipeline(module, ",".join(TO_LOOPS))
    rows = [line for line in lamina.to_text(module).splitlines() if line.startswith("    scf.for")]
    assert len(rows) == 1
