"""Profiles: each kernel with its time, its work and the operation it came from."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest

import lamina
from lamina.lowering import profiling
from lamina.lowering.codegen.target import host_target
from lamina.lowering.profiling import Kernel, Profile

TEXT = """
func.func @main(%x: tensor<32x64xf32>, %w: tensor<64x48xf32>) -> tensor<32x48xf32> {
  %0 = nn.matmul %x, %w : (tensor<32x64xf32>, tensor<64x48xf32>) -> tensor<32x48xf32>
  %1 = nn.softmax %0 {axis = 1 : i64} : (tensor<32x48xf32>) -> tensor<32x48xf32>
  return %1 : tensor<32x48xf32>
}
"""


def _inputs() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.random((32, 64), np.float32), rng.random((64, 48), np.float32)]


def test_kernels_with_their_work_and_where_they_come_from() -> None:
    module = lamina.parse(TEXT, name="model.mlir")
    profile = lamina.compile(module, threads=1).profile(*_inputs(), calls=3)
    product, rows = profile.kernels
    assert product.flops == 2 * 32 * 64 * 48
    assert product.bytes == 4 * (32 * 64 + 64 * 48 + 32 * 48)
    assert (product.location, rows.location) == ("model.mlir:3:8", "model.mlir:4:8")
    assert 0 < product.seconds <= profile.seconds
    assert product.gflops == pytest.approx(product.flops / product.seconds / 1e9)
    assert product.share is None or product.share > 0  # which limit is nearer is measured
    lines = str(profile).splitlines()
    assert len(lines) == 4
    assert "model.mlir:3:8" in "".join(lines)


def test_a_model_that_is_gone_cannot_be_profiled_and_a_file_can(tmp_path: Path) -> None:
    exe = lamina.compile(lamina.parse(TEXT))
    gc.collect()
    with pytest.raises(lamina.LaminaError, match="its module is gone"):
        exe.profile(*_inputs())
    path = tmp_path / "model.mlir"
    path.write_text(TEXT)
    assert len(lamina.compile(path, threads=1).profile(*_inputs(), calls=1).kernels) == 2


def test_a_copy_that_was_made_to_be_compiled_lives_as_long_as_its_code() -> None:
    module = lamina.parse(TEXT)
    for winograd, donate in (("off", ()), (None, (0,))):
        exe = lamina.compile(module, threads=1, cache=False, winograd=winograd, donate=donate)
        gc.collect()
        assert len(exe.profile(*_inputs(), calls=1).kernels) == 2


def test_traffic_that_fits_in_the_cache_is_no_share_of_what_memory_allows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(profiling, "machine_limits", lambda threads: (1e9, 1e9))
    last = host_target().l3_bytes
    kernels = [Kernel("k", "", 0, last), Kernel("k", "", 0, 2 * last), Kernel("k", "", 2 * last, last)]
    timed = [profiling._timed(kernel, 4 * last / 1e9, 1) for kernel in kernels]  # pyright: ignore
    assert [kernel.share for kernel in timed] == [None, pytest.approx(0.5), pytest.approx(0.5)]
    assert ["cache" in line for line in str(Profile(tuple(timed), 1.0)).splitlines()] == [
        False,
        True,
        False,
        False,
        False,
    ]


def test_nodes_of_a_file_without_lines_are_named() -> None:
    text = TEXT.replace("-> tensor<32x48xf32>\n  %1", '-> tensor<32x48xf32> loc("first"("m.onnx":0:0))\n  %1')
    module = lamina.parse(text.replace("<32x48xf32>\n  return", '<32x48xf32> loc("last")\n  return'))
    profile = lamina.compile(module, threads=1).profile(*_inputs(), calls=1)
    assert [kernel.location for kernel in profile.kernels] == ["m.onnx: first", "last"]
