"""``--load`` in ``lamina-run`` and ``lamina explain``, and models from a pipe."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lamina.tools import main as umbrella
from lamina.tools import opt, run
from lamina.tools.new import new_dialect

NEGATED = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = negsign.negate %x : tensor<3xf32>
  return %y : tensor<3xf32>
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a dialect, whose file Python executes once."""
    folder = tmp_path_factory.mktemp("dialect")
    new_dialect("negsign", folder)
    return folder


@pytest.fixture
def dialect(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a dialect with a lowering of its own, beside a model of it."""
    monkeypatch.chdir(tmp_path)
    Path("model.mlir").write_text(NEGATED)
    return folder / "negsign_dialect.py"


def test_a_loaded_dialect_is_known_to_a_run(call: Callable[..., Any], dialect: Path) -> None:
    outcome = call(run.main, "model.mlir", "--random-inputs=0")
    assert outcome.status == 1 and "hint: give its file with --load or install its package" in outcome.err
    outcome = call(run.main, "model.mlir", f"--load={dialect}", "--random-inputs=0")
    assert "unknown dialect" not in outcome.err


def test_a_loaded_dialect_is_explained(call: Callable[..., Any], dialect: Path) -> None:
    outcome = call(umbrella.main, "explain", "negsign", "--load", str(dialect))
    assert (outcome.status, outcome.err) == (0, "")
    assert "  negsign.negate  " in outcome.out and "  convert-negsign-to-linalg  " in outcome.out
    outcome = call(umbrella.main, "explain", "negsign.negate", "--load", str(dialect))
    assert outcome.out.startswith("negsign.negate\n")
    outcome = call(umbrella.main, "explain", "cse", "--load")
    assert (outcome.status, outcome.err) == (1, "error: --load=FILE|MODULE needs a value\n")


@pytest.mark.parametrize("flags", [[], ["--interpret"]], ids=["compiled", "interpreted"])
def test_what_a_pass_made_of_a_model_is_run_from_a_pipe(
    call: Callable[..., Any], dialect: Path, flags: list[str]
) -> None:
    made = call(opt.main, "model.mlir", f"--load={dialect}", "--convert-negsign-to-linalg")
    assert made.status == 0, made.err
    lowered = made.out
    np.savez("in.npz", arg0=np.array([1, -2, 3], np.float32))
    outcome = call(run.main, "-", *flags, "--inputs=in.npz", "--outputs=out.npz", text=lowered)
    assert (outcome.status, outcome.err) == (0, "")
    with np.load("out.npz") as results:
        np.testing.assert_array_equal(results["out0"], [-1, 2, -3])
    outcome = call(run.main, "-", *flags, "--random-inputs=0", text="func.func @main(")
    assert outcome.status == 1 and outcome.err.startswith("<stdin>:1:")


def test_a_profile_of_a_piped_model_reads_it_once(call: Callable[..., Any], dialect: Path) -> None:
    made = call(opt.main, "model.mlir", f"--load={dialect}", "--convert-negsign-to-linalg")
    assert made.status == 0, made.err
    lowered = made.out
    outcome = call(run.main, "-", "--random-inputs=0", "--profile", text=lowered)
    assert outcome.status == 0 and "GFLOP/s" in outcome.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "from lamina.passes.framework.passes import Pass\nclass Own(Pass):\n    name = 'cse'\n",
            "pass 'cse' is already registered by lamina.passes.",
        ),
        (
            "from lamina.passes.framework.passes import Pass\nclass Own(Pass):\n    name = 'lower-to-llvm'\n",
            "pass 'lower-to-llvm' has the name of a pipeline of 'lamina'",
        ),
        ("from xdsl.ir import Dialect\nOwn = Dialect('arith', [])\n", "dialect 'arith' is already one of"),
    ],
    ids=["pass", "pipeline", "dialect"],
)
def test_a_loaded_file_does_not_replace_what_lamina_has(
    call: Callable[..., Any], dialect: Path, request: pytest.FixtureRequest, text: str, message: str
) -> None:
    file = Path(f"replaces_{request.node.callspec.id}.py")
    file.write_text(text)
    outcome = call(opt.main, f"--load={file}", "--cse", text="func.func @f() { return }")
    assert (outcome.status, outcome.out) == (1, "")
    assert f"error: {message}" in outcome.err and outcome.err.endswith("hint: give it another name\n")


def test_dialects_that_a_file_imports_stay_as_they_are(call: Callable[..., Any], dialect: Path) -> None:
    Path("imports_arith.py").write_text("from xdsl.dialects.arith import Arith\n")
    text = "func.func @f(%x: i32) -> (i32, i1) {\n  %0, %1 = arith.addui_extended %x, %x : i32, i1\n"
    outcome = call(opt.main, "--load=imports_arith.py", text=f"{text}  return %0, %1 : i32, i1\n}}\n")
    assert (outcome.status, outcome.err) == (0, "")
