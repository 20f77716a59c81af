"""Running the command lines in this process."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest


@dataclass(frozen=True)
class Outcome:
    """What a command line did."""

    status: int
    out: str
    err: str


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """``call(main, "--flag", "file", text="standard input")`` runs a tool's main function."""

    def run(main: Callable[[Sequence[str]], int], *arguments: str, text: str = "") -> Outcome:
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        capsys.readouterr()
        status = main(list(arguments))
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    return run
