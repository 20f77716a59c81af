"""The generated pages say what the code says."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

GENERATE = Path(__file__).resolve().parents[1] / "docs" / "generate.py"


def test_the_generated_pages_are_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [str(GENERATE), "--check"])
    with pytest.raises(SystemExit) as done:
        runpy.run_path(str(GENERATE), run_name="__main__")
    assert done.value.code == 0, "run `make docs`"
