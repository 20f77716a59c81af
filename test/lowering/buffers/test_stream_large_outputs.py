"""Streaming changes no value, wherever the output lies and however many threads write it."""

from __future__ import annotations

import numpy as np
import pytest

import lamina
from lamina.lowering import pipelines

ROWS, COLUMNS = 96, 192
TYPE = f"tensor<{ROWS}x{COLUMNS}xf32>"
PROGRAM = f"""
func.func @main(%x: {TYPE}, %y: {TYPE}) -> {TYPE} {{
  %0 = nn.add %x, %y : ({TYPE}, {TYPE}) -> {TYPE}
  %1 = nn.softmax %0 {{axis = 1 : i64}} : ({TYPE}) -> {TYPE}
  return %1 : {TYPE}
}}"""


@pytest.fixture
def streaming(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels of this size stream, and are split among threads."""
    edits = {
        pipelines.STREAM: f"{pipelines.STREAM}{{least-bytes=1024}}",
        "parallelize-dispatches": "parallelize-dispatches{least-cycles=100}",
    }
    monkeypatch.setattr(pipelines, "TO_LLVM", tuple(edits.get(name, name) for name in pipelines.TO_LLVM))
    monkeypatch.setattr(pipelines, "STREAM", "no such pass")


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("skipped", [0, 1, 2, 4, 16])
def test_values_do_not_depend_on_the_place_of_the_output(streaming: None, skipped: int, threads: int) -> None:
    random = np.random.default_rng(0)
    x, y = (random.standard_normal((ROWS, COLUMNS)).astype(np.float32) for _ in range(2))
    exe = lamina.compile(lamina.parse(PROGRAM), threads=threads)
    assert "movntps" in exe.asm()  # pyright: ignore[reportAttributeAccessIssue]
    memory = np.full(ROWS * COLUMNS + 64, np.nan, np.float32)
    start = -memory.ctypes.data % 64 // 4 + skipped
    out = memory[start : start + ROWS * COLUMNS].reshape(ROWS, COLUMNS)
    exe(x, y, out=out)
    e = np.exp((x + y).astype(np.float64))
    np.testing.assert_allclose(out, e / e.sum(1, keepdims=True), rtol=2e-5)
    assert np.isnan(memory[:start]).all() and np.isnan(memory[start + ROWS * COLUMNS :]).all()
