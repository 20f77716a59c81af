"""``lamina cache``, and the cache of ``lamina-run``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lamina.tools import main as umbrella
from lamina.tools import run

MODEL = """
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = nn.add %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""


@pytest.fixture(autouse=True)
def no_foreign_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passes that other tests registered in this process would keep it from using the cache."""
    monkeypatch.setattr("lamina.lowering.cache.kept.has_foreign_code", lambda: False)


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "model.mlir"
    path.write_text(MODEL)
    return str(path)


def test_the_cache_is_shown_and_cleared(
    call: Callable[..., Any], model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cache"
    monkeypatch.setenv("LAMINA_CACHE", str(folder))
    monkeypatch.setenv("LAMINA_CACHE_SIZE", "1M")
    assert (
        f"folder: {folder} (LAMINA_CACHE)\nentries: 0, 0 bytes\nlimit: 1 MiB"
        in call(umbrella.main, "cache").out
    )
    assert call(run.main, model, "--random-inputs", "0").status == 0
    assert "entries: 1, " in call(umbrella.main, "cache").out
    assert call(umbrella.main, "cache", "clear").out.startswith(f"removed from {folder}: 1, ")
    assert list(folder.iterdir()) == []
    assert call(umbrella.main, "cache", "clear").out == f"removed from {folder}: 0, 0 bytes\n"
    outcome = call(umbrella.main, "cache", "empty")
    assert (outcome.status, outcome.err) == (1, "error: `lamina cache` takes nothing, or the word clear\n")


def test_a_cache_that_is_not_used_says_why(
    call: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o777)
    monkeypatch.setenv("LAMINA_CACHE", str(tmp_path))
    assert (
        "it is not used: it can be written to by others (`chmod go-w` it)" in call(umbrella.main, "cache").out
    )
    outcome = call(umbrella.main, "cache", "clear")
    assert outcome.status == 1 and "can be written to by others" in outcome.err
    monkeypatch.setenv("LAMINA_CACHE", "off")
    for arguments in (["cache"], ["cache", "clear"]):
        assert call(umbrella.main, *arguments).out.startswith("the cache is off")


def test_a_run_uses_the_folder_it_is_given(call: Callable[..., Any], model: str, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    results = [
        call(run.main, model, "--random-inputs", "0", *more).out
        for more in (["--no-cache"], ["--cache", str(folder)], ["--cache", str(folder)])
    ]
    assert len(set(results)) == 1 and len(list(folder.iterdir())) == 1
    outcome = call(run.main, model, "--random-inputs", "0", "--cache", str(folder), "--emit=llvm")
    assert "define" in outcome.out and len(list(folder.iterdir())) == 1
