"""The shape of the code: imports run one way, heavy modules are imported where they are used."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LAYERS = ("dialects", "passes", "lowering", "tools")
HEAVY = {"llvmlite": "lowering/codegen", "onnx": "lowering/formats", "flatbuffers": "lowering/formats"}


def imports_of(path: Path, *, top_level: bool = False) -> Iterator[str]:
    """The dotted names a file imports, at its top level or anywhere; not those for type checkers only."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = list(tree.body) if top_level else [n for n in ast.walk(tree)]
    hidden = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    for node in nodes:
        if node in hidden:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""


@pytest.mark.parametrize("layer", LAYERS)
def test_imports_run_from_tools_to_dialects(layer: str) -> None:
    allowed = LAYERS[: LAYERS.index(layer) + 1]
    for path in (ROOT / layer).rglob("*.py"):
        for name in imports_of(path):
            if name.startswith("lamina."):
                assert name.split(".")[1] in allowed, f"{path.relative_to(ROOT)} imports {name}"


@pytest.mark.parametrize("package", HEAVY)
def test_heavy_packages_are_imported_where_they_are_used(package: str) -> None:
    for layer in LAYERS:
        for path in (ROOT / layer).rglob("*.py"):
            if package in {name.split(".")[0] for name in imports_of(path)}:
                place = str(path.relative_to(ROOT))
                assert place.startswith(HEAVY[package]) or place == "dialects/onnx/generate_table.py"
                assert package not in {name.split(".")[0] for name in imports_of(path, top_level=True)}


@pytest.mark.parametrize("package", LAYERS)
def test_a_folder_imported_without_lamina_refuses(package: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import {package}"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert f"import this package as lamina.{package}" in done.stderr
