"""The description of the machine, and memory for calls."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

from lamina.lowering.codegen import target as module
from lamina.lowering.codegen.memory import HUGE_PAGE, Arena, ArenaPool, address_of
from lamina.lowering.codegen.target import Target, host_target, llvm_cpu


def test_host_is_described_without_llvmlite() -> None:
    code = (
        "import sys; from lamina.lowering.codegen.target import host_target; t = host_target();"
        "import lamina.lowering.executable; assert 'llvmlite' not in sys.modules; print(t.vector_bits)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) in (128, 256, 512)


def test_host_values_are_plausible() -> None:
    host = host_target()
    assert 4 << 10 <= host.l1_bytes <= host.l2_bytes <= host.l3_bytes
    assert host.line_bytes in (32, 64, 128, 256)
    assert host.cores >= 1
    assert host.lanes(32) == host.vector_bits // 32
    assert host.is_host


def test_flags_decide_the_vector_unit() -> None:
    assert module._vector_unit("x86_64", frozenset({"sse2"})) == (128, 16)
    assert module._vector_unit("x86_64", frozenset({"avx", "avx2"})) == (256, 16)
    assert module._vector_unit("x86_64", frozenset({"avx", "avx512f", "avx512vl"})) == (512, 32)
    assert module._vector_unit("aarch64", frozenset()) == (128, 32)


def test_cache_sizes_come_from_the_kernel(tmp_path: Path) -> None:
    for index, (level, kind, size) in enumerate(
        [("1", "Data", "48K"), ("1", "Instruction", "32K"), ("2", "Unified", "2M")]
    ):
        folder = tmp_path / f"index{index}"
        folder.mkdir()
        for name, text in (("level", level), ("type", kind), ("size", size), ("coherency_line_size", "64")):
            (folder / name).write_text(text + "\n")
    assert module._cache_sizes(tmp_path) == {"l1_bytes": 48 << 10, "l2_bytes": 2 << 20, "line_bytes": 64}
    assert module._cache_sizes(tmp_path / "missing") == {}


def test_given_cpu_is_used_as_it_is() -> None:
    triple, cpu, features = llvm_cpu(Target(triple="x86_64-linux-gnu", cpu="znver3", features="-avx2"))
    assert (triple, cpu, features) == ("x86_64-linux-gnu", "znver3", "-avx2")
    assert llvm_cpu(host_target())[1] != "host"


def test_address_is_that_of_the_first_element() -> None:
    array = np.arange(24, dtype=np.float32).reshape(4, 6)
    for view in (array, array[1:, 2:], array[::-1], array.T, array[:0], np.array(3.0)):
        assert address_of(view) == view.ctypes.data


def test_arenas_are_aligned_zeroed_and_reused() -> None:
    for size in (0, 1, 1000, HUGE_PAGE + 5):
        assert Arena(size).address % 64 == 0
    assert Arena(3 * HUGE_PAGE).address % HUGE_PAGE == 0
    pool = ArenaPool(100)
    first, second = pool.take(), pool.take()
    assert first.address != second.address
    pool.give_back(first)
    assert pool.take() is first
