"""Inputs and outputs of ``lamina-run``: archives that are damaged or do not fit, and names of any kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import lamina
from lamina.lowering.formats.llvm_ir import emit_llvm_ir
from lamina.tools import run

MODEL = """func.func @main(%x: tensor<2x3xf32> {nn.name = "x"}, %n: tensor<?xi64> {nn.name = "count"})
    -> (tensor<2x3xf32> {nn.name = "file"}, tensor<?xi64>) {
  %y = nn.neg %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y, %n : tensor<2x3xf32>, tensor<?xi64>
}
"""
LISTED = "x, count (or by number: 0=1x3)"
X = np.arange(6, dtype=np.float32).reshape(2, 3)
N = np.array([3, 4])


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "model.mlir"
    path.write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    return path


@pytest.mark.parametrize(
    ("arrays", "message", "hint"),
    [
        ({"x": X[:1], "count": N}, "input 'x' must have shape [2, 3], not [1, 3]", None),
        ({"x": X[0], "count": N}, "input 'x' must have shape [2, 3], not [3]", None),
        ({"x": X, "count": N[None]}, "input 'count' must have shape [?], not [1, 2]", None),
        (
            {"x": X.astype("f8"), "count": N},
            "input 'x' must have dtype float32, not float64",
            "convert it: `x.astype(np.float32)`",
        ),
        ({"x": X}, "lacks the input count", None),
        ({}, "lacks the inputs x, count", None),
        ({"x": X, "coutn": N}, "holds 'coutn', which is no input of the model", "did you mean 'count'?"),
        (
            {"x": X, "count": N, "other": N},
            "holds 'other', which is no input of the model",
            "the model's inputs are x, count",
        ),
        (
            {"x": np.array([None]), "count": N},
            "holds Python objects, not only numbers",
            None,
        ),
    ],
)
def test_arrays_that_do_not_fit(
    call: Callable[..., Any], model: Path, arrays: dict[str, np.ndarray], message: str, hint: str | None
) -> None:
    np.savez("in.npz", **arrays)  # pyright: ignore[reportArgumentType]
    outcome = call(run.main, "model.mlir", "--interpret", "--inputs=in.npz", "--outputs=out.npz")
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err == f"in.npz: error: {message}\n" + (f"  hint: {hint}\n" if hint else "")
    assert not Path("out.npz").exists()


def _whole() -> bytes:
    np.savez("whole.npz", x=X, count=N)
    return Path("whole.npz").read_bytes()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: data[:150], "is no whole .npz archive"),
        (lambda data: data[:-5], "is no whole .npz archive"),
        (lambda data: b"", "is no whole .npz archive"),
        (lambda data: data[:100] + b"\xff" * 80 + data[180:], "is no whole .npz archive"),
        (lambda data: b"no archive" * 20, "is no .npz archive of arrays"),
    ],
    ids=["cut off early", "cut off late", "empty", "overwritten", "text"],
)
def test_damaged_archives(
    call: Callable[..., Any], model: Path, damage: Callable[[bytes], bytes], message: str
) -> None:
    Path("in.npz").write_bytes(damage(_whole()))
    outcome = call(run.main, "model.mlir", "--interpret", "--inputs=in.npz")
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err.startswith(f"in.npz: error: {message}\n  hint: ")


def test_one_array_is_no_archive(call: Callable[..., Any], model: Path) -> None:
    np.save("in.npy", X)
    outcome = call(run.main, "model.mlir", "--interpret", "--inputs=in.npy")
    hint = "put it into an archive by the input's name: numpy.savez(FILE, NAME=array)"
    assert outcome.err == f"in.npy: error: is one array, not an archive of arrays\n  hint: {hint}\n"


@pytest.mark.parametrize("path", ["absent.npz", "."])
def test_archives_that_cannot_be_read(call: Callable[..., Any], model: Path, path: str) -> None:
    outcome = call(run.main, "model.mlir", "--interpret", f"--inputs={path}")
    assert outcome.status == 1 and outcome.err.startswith(f"{path}: error: cannot be read: ")


@pytest.mark.parametrize("flags", [[], ["--interpret"]], ids=["compiled", "interpreted"])
def test_results_have_the_models_names(call: Callable[..., Any], model: Path, flags: list[str]) -> None:
    # Arrays of another byte order or memory order are the same arrays; `file` is a parameter of numpy.savez.
    np.savez("in.npz", x=np.asfortranarray(X.astype(">f4")), count=N)
    outcome = call(run.main, "model.mlir", *flags, "--inputs=in.npz", "--outputs=out.npz")
    assert (outcome.status, outcome.out, outcome.err) == (0, "", "")
    with np.load("out.npz") as results:
        assert set(results.files) == {"file", "out1"}
        np.testing.assert_array_equal(results["file"], -X)
        np.testing.assert_array_equal(results["out1"], N)


def test_bfloat16_goes_through_archives(call: Callable[..., Any], model: Path) -> None:
    Path("half.mlir").write_text(
        "func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {\n"
        "  %y = nn.neg %x : (tensor<2xbf16>) -> tensor<2xbf16>\n  return %y : tensor<2xbf16>\n}\n"
    )
    np.savez("in.npz", arg0=np.array([1.5, -2.0], ml_dtypes.bfloat16))
    assert call(run.main, "half.mlir", "--interpret", "--inputs=in.npz", "--outputs=out.npz").status == 0
    with np.load("out.npz") as results:
        found = results["out0"].view(ml_dtypes.bfloat16).astype(np.float32)
        np.testing.assert_array_equal(found, [-1.5, 2.0])


@pytest.mark.parametrize(
    ("shape", "message", "hint"),
    [
        ("y=2", "'y=2' does not give the shape of an input", f"the model's inputs are {LISTED}"),
        ("2=2", "'2=2' does not give the shape of an input", f"the model's inputs are {LISTED}"),
        ("count", "'count' does not give the shape of an input", f"the model's inputs are {LISTED}"),
        ("1=2x4", "input 'count' has shape [?], which [2, 4] does not fit", None),
        ("count=2x", "'2x' is no shape", "write it as 1x3x224x224"),
        ("count=-2", "'-2' is no shape", "write it as 1x3x224x224"),
        ("x=2x4", "input 'x' has shape [2, 3], which [2, 4] does not fit", None),
        ("count=2x4", "input 'count' has shape [?], which [2, 4] does not fit", None),
    ],
)
def test_shapes_that_do_not_fit(
    call: Callable[..., Any], model: Path, shape: str, message: str, hint: str | None
) -> None:
    outcome = call(run.main, "model.mlir", "--interpret", "--random-inputs=1", f"--shape={shape}")
    assert outcome.status == 1
    assert outcome.err == f"error: {message}\n" + (f"  hint: {hint}\n" if hint else "")


def test_what_is_missing_for_a_run_is_said(call: Callable[..., Any], model: Path) -> None:
    outcome = call(run.main, "model.mlir")
    assert outcome.err.startswith(
        "error: the model needs inputs: x: float32[2, 3], count: int64[?]\n  hint: "
    )
    outcome = call(run.main, "model.mlir", "--entry=mian", "--random-inputs=1")
    assert outcome.err == "error: there is no function '@mian'\n  hint: did you mean 'main'?\n"
    outcome = call(run.main, "model.txt2", "--random-inputs=1")
    assert outcome.err.startswith("model.txt2: error: files of type '.txt2' cannot be read\n  hint: ")


def test_random_inputs_are_the_same_for_a_seed(call: Callable[..., Any], model: Path) -> None:
    arguments = ["model.mlir", "--interpret", "--shape=count=5", "--random-inputs"]
    first, again, other = (call(run.main, *arguments, seed) for seed in ("1", "1", "2"))
    assert first.status == 0 and "out1: int64[5]" in first.out
    assert first.out == again.out != other.out


def test_code_needs_shapes_and_no_inputs(call: Callable[..., Any], model: Path) -> None:
    outcome = call(run.main, "model.mlir", "--emit=obj", "-o", "m.o", "--shape=count=5")
    assert (outcome.status, outcome.out, outcome.err) == (0, "", "")
    assert Path("m.o").read_bytes()[:4] == b"\x7fELF"
    outcome = call(run.main, "model.mlir", "--emit=asm")
    assert outcome.status == 1 and outcome.err.endswith(
        "hint: the code depends on their shapes: give --shape NAME=1x2x3 for each that is open\n"
    )


SCALE = """func.func @main(%m: memref<4xf32> {nn.name = "m"}, %s: SCALAR) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  VALUE
  scf.for %i = %c0 to %c4 step %c1 {
    %0 = memref.load %m[%i] : memref<4xf32>
    %1 = arith.mulf %0, %t : f32
    memref.store %1, %m[%i] : memref<4xf32>
  }
  return
}
"""


@pytest.mark.parametrize("how", [["--interpret"], ["--no-cache"]])
def test_an_entry_that_returns_nothing_gives_its_arguments_as_it_left_them(
    call: Callable[..., Any], model: Path, how: list[str]
) -> None:
    load = "%t = memref.load %s[] : memref<f32>"
    model.write_text(SCALE.replace("SCALAR", "memref<f32>").replace("VALUE", load))
    np.savez("in.npz", m=np.arange(4, dtype=np.float32), arg1=np.float32(3))
    done = call(run.main, "model.mlir", "--inputs", "in.npz", "--outputs", "out.npz", *how)
    assert done.status == 0, done
    with np.load("out.npz") as found:
        assert {name: array.tolist() for name, array in found.items()} == {"m": [0, 3, 6, 9], "arg1": 3}


def test_an_entry_with_scalars_is_lowered_but_not_called(call: Callable[..., Any], model: Path) -> None:
    model.write_text(SCALE.replace("SCALAR", "f32").replace("VALUE", "%t = arith.mulf %s, %s : f32"))
    done = call(run.main, "model.mlir", "--random-inputs", "0")
    assert done.status == 1
    assert "takes a value of type f32; a compiled entry takes and returns tensors or buffers" in done.err
    assert "hint: write tensor<f32> for one number, or interpret it (lamina-run --interpret)" in done.err
    module = lamina.run_pipeline(lamina.load("model.mlir"), "lower-to-llvm")
    assert "fmul" in emit_llvm_ir(module)
    model.write_text("func.func @main() -> i32 {\n  %0 = arith.constant 1 : i32\n  return %0 : i32\n}\n")
    assert "returns a value of type i32" in call(run.main, "model.mlir").err
