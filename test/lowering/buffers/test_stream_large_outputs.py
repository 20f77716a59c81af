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


def at(skipped: int, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """An array some elements behind a line, and the memory around it, all NaN."""
    size = shape[0] * shape[1]
    memory = np.full(size + 64, np.nan, np.float32)
    start = -memory.ctypes.data % 64 // 4 + skipped
    return memory[start : start + size].reshape(shape), memory


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("skipped", [0, 1, 2, 4, 16])
def test_values_do_not_depend_on_the_place_of_the_output(streaming: None, skipped: int, threads: int) -> None:
    random = np.random.default_rng(0)
    x, y = (random.standard_normal((ROWS, COLUMNS)).astype(np.float32) for _ in range(2))
    exe = lamina.compile(lamina.parse(PROGRAM), threads=threads)
    assert "movntps" in exe.asm()  # pyright: ignore[reportAttributeAccessIssue]
    out, memory = at(skipped, (ROWS, COLUMNS))
    exe(x, y, out=out)
    e = np.exp((x + y).astype(np.float64))
    np.testing.assert_allclose(out, e / e.sum(1, keepdims=True), rtol=2e-5)
    assert np.isnan(memory).sum() == 64


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("skipped", [0, 1, 4, 15])
@pytest.mark.parametrize("shape", [(96, 192), (16, 160), (160, 16), (64, 100), (33, 64)])
def test_a_transposition_writes_all_and_only_its_result(
    streaming: None, shape: tuple[int, int], skipped: int, threads: int
) -> None:
    source, target = (f"tensor<{a}x{b}xf32>" for a, b in (shape, shape[::-1]))
    text = f"""
    func.func @main(%x: {source}) -> {target} {{
      %0 = nn.transpose %x {{permutation = array<i64: 1, 0>}} : ({source}) -> {target}
      return %0 : {target}
    }}"""
    exe = lamina.compile(lamina.parse(text), threads=threads)
    x = np.arange(shape[0] * shape[1], dtype=np.float32).reshape(shape)
    out, memory = at(skipped, (shape[1], shape[0]))
    exe(x, out=out)
    np.testing.assert_array_equal(out, x.T)
    assert np.isnan(memory).sum() == 64


@pytest.mark.parametrize("columns", [1, 15, 17, 64, 130, 1030])
@pytest.mark.parametrize("skipped", [0, 3, 8])
def test_rows_of_any_length_are_written(streaming: None, columns: int, skipped: int) -> None:
    kind = f"tensor<7x{columns}xf32>"
    text = f"""
    func.func @main(%x: {kind}) -> {kind} {{
      %0 = nn.softmax %x {{axis = 1 : i64}} : ({kind}) -> {kind}
      return %0 : {kind}
    }}"""
    exe = lamina.compile(lamina.parse(text), threads=2)
    x = np.random.default_rng(1).standard_normal((7, columns)).astype(np.float32)
    out, memory = at(skipped, (7, columns))
    exe(x, out=out)
    e = np.exp(x.astype(np.float64))
    np.testing.assert_allclose(out, e / e.sum(1, keepdims=True), rtol=2e-5)
    assert np.isnan(memory).sum() == 64
