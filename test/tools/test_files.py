"""Files that cannot be read or written: one error that names the file, no partial result."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lamina.tools import main as umbrella
from lamina.tools import opt, run, translate

IR = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}\n"
BINARY = "is it a binary file?"


@pytest.fixture
def ir(tmp_path: Path) -> Path:
    path = tmp_path / "model.mlir"
    path.write_text(IR)
    return path


@pytest.mark.parametrize("tool", [opt, run, translate], ids=lambda tool: tool.__name__.rpartition(".")[2])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read: No such file or directory"),
        ("folder", "cannot be read: Is a directory"),
        (b"func.func @main\xff", "is not UTF-8 text"),
    ],
)
def test_what_cannot_be_read(
    call: Callable[..., Any], tmp_path: Path, tool: Any, content: str | bytes | None, message: str
) -> None:
    path = tmp_path / "model.mlir"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content == "folder":
        path.mkdir()
    flags = {opt: [], run: ["--random-inputs", "1"], translate: ["--mlir-to-llvmir"]}[tool]
    outcome = call(tool.main, str(path), *flags)
    assert (outcome.status, outcome.out) == (1, "")
    first, *rest = outcome.err.splitlines()
    assert first.startswith(str(path)) and first.endswith(f": error: {message}")
    assert rest == ([f"  hint: {BINARY}"] if isinstance(content, bytes) else [])


def test_bytes_that_are_no_text_are_pointed_at_but_not_shown(
    call: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"func.func\n  \xfe")
    outcome = call(opt.main, str(path))
    hint = "`lamina-translate --import-onnx` reads ONNX models"
    assert outcome.err == f"{path}:2:3: error: is not UTF-8 text\n  hint: {hint}\n"


def test_a_byte_order_mark_and_foreign_line_ends_are_read(call: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "model.mlir"
    path.write_bytes(b"\xef\xbb\xbf" + IR.replace("\n", "\r\n").encode())
    assert call(opt.main, str(path)).status == 0
    path.write_bytes(IR.replace("%x :", "%y :").replace("\n", "\r\n").encode())
    outcome = call(opt.main, str(path))
    caret = f"  return %y : tensor<2xf32>\n{' ' * 11}^"
    assert outcome.err == f"{path}:2:10: error: use of undeclared SSA value name '%y'\n  {caret}\n"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (".", "Is a directory"),
        ("absent/out.mlir", "No such file or directory"),
        ("model.mlir/out.mlir", "Not a directory"),
        ("/dev/full", "No space left on device"),
        ("/proc/version", "Permission denied"),
    ],
)
@pytest.mark.parametrize("tool", [opt, run], ids=["opt", "run"])
def test_what_cannot_be_written(
    call: Callable[..., Any], ir: Path, monkeypatch: pytest.MonkeyPatch, tool: Any, target: str, message: str
) -> None:
    monkeypatch.chdir(ir.parent)
    before = sorted(ir.parent.iterdir())
    flags = ["-o", target] if tool is opt else ["--random-inputs", "1", "--interpret", "--outputs", target]
    outcome = call(tool.main, "model.mlir", *flags)
    assert (outcome.status, outcome.out) == (1, "")
    if target != "/proc/version":
        assert outcome.err == f"{target}: error: cannot be written: {message}\n"
    else:
        assert outcome.err.startswith(f"{target}: error: cannot be written: ")
    assert sorted(ir.parent.iterdir()) == before


def test_a_failed_run_leaves_the_old_result(call: Callable[..., Any], ir: Path) -> None:
    out = ir.parent / "out.mlir"
    out.write_text("old")
    ir.write_text(IR.replace("%x :", "%y :"))
    assert call(opt.main, str(ir), "-o", str(out)).status == 1
    assert out.read_text() == "old"
    assert sorted(ir.parent.iterdir()) == [ir, out]


def test_a_result_replaces_its_input_and_keeps_link_and_permissions(
    call: Callable[..., Any], ir: Path
) -> None:
    link = ir.parent / "link.mlir"
    link.symlink_to(ir)
    ir.chmod(0o640)
    assert call(opt.main, str(link), "-o", str(link)).status == 0
    assert link.is_symlink()
    assert ir.read_text().startswith("module {")
    assert ir.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("name", ["/dev/null", "-"])
def test_devices_and_standard_output_are_written_to(call: Callable[..., Any], ir: Path, name: str) -> None:
    outcome = call(opt.main, str(ir), "-o", name)
    assert (outcome.status, outcome.err) == (0, "")
    assert bool(outcome.out) == (name == "-")


def test_states_of_the_ir_are_written_to_numbered_files(call: Callable[..., Any], ir: Path) -> None:
    folder = ir.parent / "deep" / "states"
    assert (
        call(opt.main, str(ir), "--canonicalize", "--cse", f"--mlir-print-ir-tree-dir={folder}").status == 0
    )
    folder /= "builtin_module_no-symbol-name"
    assert [path.name for path in sorted(folder.iterdir())] == ["0_canonicalize.mlir", "1_cse.mlir"]
    title = "// -----// IR Dump After CSE (cse) //----- //"
    assert (folder / "1_cse.mlir").read_text().startswith(f"{title}\nmodule {{")
    outcome = call(opt.main, str(ir), "--cse", f"--mlir-print-ir-tree-dir={ir}/states")
    assert (outcome.status, outcome.out) == (1, "")
    assert (
        outcome.err == f"{ir}/states/builtin_module_no-symbol-name: error: cannot be made: Not a directory\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["dokter"], "there is no command 'dokter'\n  hint: did you mean 'doctor'?"),
        (["xyz"], "there is no command 'xyz'\n  hint: `lamina --help` lists the commands"),
        (["explain"], "`lamina explain` takes one name"),
        (["doctor", "x"], "`lamina doctor` takes no arguments"),
        (
            ["explain", "canonicalise"],
            "there is no pass, pipeline, dialect or operation 'canonicalise'\n"
            "  hint: did you mean 'canonicalize'?",
        ),
    ],
)
def test_wrong_commands(call: Callable[..., Any], arguments: list[str], message: str) -> None:
    outcome = call(umbrella.main, *arguments)
    assert (outcome.status, outcome.out, outcome.err) == (1, "", f"error: {message}\n")


def test_the_umbrella_reaches_each_tool_and_report(call: Callable[..., Any]) -> None:
    for arguments, found in [
        (["opt", "--version"], "xdsl 0.75"),
        (["--version"], "lamina 0."),
        (["doctor"], "mlir-opt"),
        (["explain", "nn.matmul"], "nn.matmul"),
        (["explain", "lower-to-linalg"], "convert-nn-to-linalg"),
        (["explain", "cse"], "runs on"),
        (["--help"], "commands:"),
        (["explain", "--help"], "usage: lamina explain NAME [--load FILE|MODULE]\n"),
        (["new-pass", "-h"], "usage: lamina new-pass NAME\n"),
        (["new-dialect", "--help"], "usage: lamina new-dialect NAME\n"),
        (["completion", "--help"], "usage: lamina completion bash|zsh|fish\n"),
        (["doctor", "--help"], "usage: lamina doctor\n"),
        (["cache", "--help"], "usage: lamina cache [clear]\n"),
    ]:
        outcome = call(umbrella.main, *arguments)
        assert outcome.status == 0 and found in outcome.out and not outcome.err, arguments
    assert call(umbrella.main).status == 2


def test_the_doctor_looks_for_all_that_the_examples_need(call: Callable[..., Any]) -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    wanted = [re.split(r"\W=", text)[0] for text in project["project"]["optional-dependencies"]["examples"]]
    lines = call(umbrella.main, "doctor").out.splitlines()
    assert "scikit-learn" in wanted
    assert [name for name in wanted if not any(line.startswith(f"{name} ") for line in lines)] == []
