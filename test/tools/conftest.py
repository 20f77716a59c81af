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


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test loads is not known to the next one: no code is kept while there is any."""
    from lamina.dialects.core import context
    from lamina.passes.framework import registry

    monkeypatch.setattr(context, "_plugins", dict(context._plugins))
    monkeypatch.setattr(registry, "_loaded", dict(registry._loaded))


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
