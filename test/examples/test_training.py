"""The examples of training run: the loss falls, and the model that they write runs."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("rich")
pytest.importorskip("sklearn")
import lamina

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "training"


def test_the_regression_learns_and_writes_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["regression.py", "--steps", "400", "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", command)
    runpy.run_path(str(EXAMPLES / "regression.py"), run_name="__main__")
    assert "away from the curve" in capsys.readouterr().out
    assert (tmp_path / "regression_loss.png").read_bytes().startswith(b"\x89PNG")
    x = np.linspace(-1.5, 1.5, 7, dtype=np.float32)[:, None]
    fit = lamina.interpret(tmp_path / "regression.mlir", x)
    assert np.abs(fit - (np.sin(3 * x) + 0.5 * x)).max() < 0.5


@pytest.mark.parametrize("name", ["digits_mlp", "digits_cnn"])
def test_the_losses_of_the_other_examples_have_training_steps(name: str) -> None:
    module = lamina.load(EXAMPLES / f"{name}.mlir")
    count = {"digits_mlp": 6, "digits_cnn": 8}[name]
    lamina.train_step(module, "loss", range(count), "adam")
    lamina.initializer(module, "predict", range(count))


@pytest.mark.parametrize("path", ["digits.py", "demo.py", "training/regression.py"])
def test_a_missing_package_is_one_line_that_names_the_extra(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("digits", "loop"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(SystemExit) as caught:
        runpy.run_path(str(EXAMPLES.parent / path), run_name="__main__")
    assert caught.value.code == "no module sklearn.datasets: pip install 'lamina[examples]'"
