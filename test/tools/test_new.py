"""``lamina new-pass`` and ``lamina new-dialect``: what they refuse. (The tutorials run what they write.)"""

from __future__ import annotations

from pathlib import Path

import pytest

from lamina.dialects.core.diagnostics import LaminaError
from lamina.tools.new import new_dialect, new_pass


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cse", "there is a pass 'cse' already"),
        ("lower-to-llvm", "there is a pass 'lower-to-llvm' already"),
        ("My-Pass", "'My-Pass' cannot be the name of a pass"),
        ("../up", "'../up' cannot be the name of a pass"),
        ("import", "'import' is a word of Python and cannot be the name of a file to import"),
    ],
)
def test_names_that_cannot_be_passes_are_refused(name: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(LaminaError) as caught:
        new_pass(name, tmp_path)
    assert caught.value.diagnostics[0].message == message
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["arith", "my-dialect", ""])
def test_names_that_cannot_be_dialects_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(LaminaError):
        new_dialect(name, tmp_path)
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "my_pass.py").write_text("mine")
    with pytest.raises(LaminaError, match=r"'my_pass.py' would be overwritten"):
        new_pass("my-pass", tmp_path)
    assert [path.name for path in tmp_path.rglob("*")] == ["my_pass.py"]
    assert (tmp_path / "my_pass.py").read_text() == "mine"


def test_a_pass_and_a_dialect_share_a_folder(tmp_path: Path) -> None:
    new_dialect("sign", tmp_path)
    (tmp_path / "pyproject.toml").write_text("mine")
    assert "lit.cfg.py" not in new_pass("my-pass", tmp_path)
    new_dialect("other", tmp_path)
    assert (tmp_path / "pyproject.toml").read_text() == "mine"
