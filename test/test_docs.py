"""The generated pages say what the code says, and the tutorials what their commands print."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"
GENERATE = DOCS / "generate.py"


def test_the_generated_pages_are_up_to_date() -> None:
    # A process of its own: other tests register passes of theirs.
    done = subprocess.run([sys.executable, GENERATE, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"run `make docs`: {done.stdout}{done.stderr}"


@pytest.mark.parametrize("name", ["tutorial-pass.md", "tutorial-dialect.md"])
def test_the_tutorials_show_what_their_commands_print(name: str, tmp_path: Path) -> None:
    refreshed = runpy.run_path(str(DOCS / "update_tutorials.py"))["refreshed"]
    text = (DOCS / name).read_text(encoding="utf-8")
    assert refreshed(text, tmp_path) == text, "run docs/update_tutorials.py"


@pytest.mark.parametrize("name", ["pass", "dialect"])
def test_the_lit_test_of_a_tutorial_passes(name: str, tmp_path: Path) -> None:
    written = {"pass": ["new-pass", "double-to-sum"], "dialect": ["new-dialect", "sign"]}[name]
    lit = shutil.which("lit")
    if lit is None or shutil.which("filecheck") is None:
        pytest.skip("lit and filecheck are not installed")
    paths = os.environ | {"PYTHONPATH": str(DOCS.parent / "src")}
    for command in ([sys.executable, "-m", "lamina.tools.main", *written], [lit, "-v", "test"]):
        done = subprocess.run(command, cwd=tmp_path, env=paths, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
