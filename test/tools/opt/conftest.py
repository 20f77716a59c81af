"""Running ``lamina-opt`` in this process, and ``mlir-opt`` beside it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from lamina.tools.opt import main

PROGRAM = """func.func @f(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %0 = arith.addi %x, %c0 : i32
  return %0 : i32
}
func.func @g(%x: i32) -> i32 {
  return %x : i32
}
"""


@dataclass(frozen=True)
class Run:
    """What a run of a tool gave."""

    status: int
    out: str
    err: str


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file ``a.mlir`` with two functions, in the working folder."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.mlir"
    path.write_text(PROGRAM)
    return path


@pytest.fixture
def opt(capsys: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    """``opt(*arguments)`` runs ``lamina-opt``."""

    def run(*arguments: str) -> Run:
        capsys.readouterr()
        status = main(list(arguments))
        captured = capsys.readouterr()
        return Run(status, captured.out, captured.err)

    return run


@pytest.fixture
def upstream() -> Callable[..., Run]:
    """``upstream(*arguments)`` runs ``mlir-opt``; skips where it is not installed."""
    tool = shutil.which("mlir-opt-22")
    if tool is None:
        pytest.skip("mlir-opt 22 is not installed")

    def run(*arguments: str) -> Run:
        command = [tool, "--mlir-disable-threading", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return Run(done.returncode, done.stdout, done.stderr)

    return run
