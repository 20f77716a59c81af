"""The cases of the lit tests of canonicalize end with no ops but those that mlir-opt leaves."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

import lamina

ROOT = Path(__file__).parent
TOOL = shutil.which("mlir-opt-22")
FILES = [
    *("scf/canonicalize-loops.mlir", "affine/canonicalize-indices.mlir", "vector/canonicalize.mlir"),
    *("linalg/canonicalize-packs.mlir", "memref/canonicalize.mlir", "llvm/canonicalize.mlir"),
    *("tensor/canonicalize.mlir",),
]
MORE = {"reduce_nothing": "mlir-opt forgets the initial value"}
"""Functions with ops that mlir-opt does not leave, and why."""


def cases() -> list[object]:
    """Each function of the files."""
    found: list[object] = []
    for file in FILES:
        for text in (ROOT / file).read_text().split("// -----"):
            name = re.search(r"func @(\w+)\(", text)
            assert name is not None
            if name[1] not in MORE:
                found.append(pytest.param(text, id=f"{Path(file).parent}-{name[1]}"))
    return found


def ops_of(text: str, *options: str) -> Counter[str]:
    """How often each op stands in what mlir-opt makes of a text."""
    command = [str(TOOL), "--allow-unregistered-dialect", "--mlir-print-op-generic", *options]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Counter(re.findall(r'"([\w.]+)"\(', done.stdout))


@pytest.mark.skipif(TOOL is None, reason="mlir-opt-22 is not installed")
@pytest.mark.parametrize("text", cases())
def test_ops_are_those_that_mlir_opt_leaves(text: str) -> None:
    module = lamina.parse(text, allow_unregistered=True)
    lamina.run_pipeline(module, "canonicalize")
    assert not ops_of(lamina.to_text(module)) - ops_of(text, "--canonicalize")
