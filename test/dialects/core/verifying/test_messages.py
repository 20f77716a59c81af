"""What the verifier says of modules that are wrong in one way each: what ``mlir-opt`` says."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.core.text import parse
from lamina.dialects.core.verifier import verify

FILE = Path(__file__).parent / "Inputs" / "cases.mlir"
CASES = FILE.read_text(encoding="utf-8").split("// -----\n")
MLIR_OPT = shutil.which("mlir-opt-22") or shutil.which("mlir-opt")
_ERROR = re.compile(r"cases\.mlir:(\d+):\d+: error: (.*)")


@cache
def upstream() -> list[tuple[int, str]]:
    """The lines of the file with the errors that mlir-opt finds in them."""
    command = [str(MLIR_OPT), "--split-input-file", str(FILE)]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    return [(int(line), message) for line, message in _ERROR.findall(said)]


def _first_error(number: int) -> tuple[int, str]:
    """Line within the case and text of the first error in it."""
    start = sum(case.count("\n") + 1 for case in CASES[:number])
    last = start + CASES[number].count("\n")
    return next((line - start, message) for line, message in upstream() if start < line <= last)


@pytest.mark.skipif(MLIR_OPT is None, reason="mlir-opt is not installed")
@pytest.mark.parametrize("number", range(len(CASES)))
def test_the_message_is_upstreams(number: int) -> None:
    line, wanted = _first_error(number)
    with pytest.raises(LaminaError) as caught:
        verify(parse(CASES[number], "case.mlir"))
    first = caught.value.diagnostics[0]
    assert first.location is not None
    assert (first.location.line, first.message) == (line, wanted)
