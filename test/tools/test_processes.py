"""What only a process of its own shows: full disks, closed streams, signals, and what starting up costs."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.filterwarnings("ignore:os.fork")  # of JAX, where other tests have loaded it

IR = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}\n"
LOOP = """func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000000000 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<64x64xf32>) {
    %y = nn.matmul %a, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "small.mlir").write_text(IR)
    (tmp_path / "loop.mlir").write_text(LOOP)
    lines = "".join(f"  %v{i} = arith.constant {i} : i32\n" for i in range(3_000))
    (tmp_path / "large.mlir").write_text(f"func.func @f() {{\n{lines}  return\n}}\n")
    return tmp_path


def _command(tool: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", f"lamina.tools.{tool}", *arguments]


def _run(folder: Path, tool: str, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = _command(tool, *arguments)
    return subprocess.run(command, cwd=folder, text=True, check=False, **(streams | options))


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("opt", ["small.mlir"]),
        ("opt", ["--help"]),
        ("opt", ["--show-dialects"]),
        ("run", ["small.mlir", "--random-inputs=1", "--interpret"]),
        ("main", ["explain", "cse"]),
    ],
)
def test_a_full_disk_behind_standard_output(files: Path, tool: str, arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = _run(files, tool, *arguments, stdout=full)
    message = "<stdout>: error: cannot be written: No space left on device\n"
    assert (done.returncode, done.stderr) == (1, message)


def test_a_limit_of_file_sizes(files: Path) -> None:
    before = sorted(files.iterdir())

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    # Python would write what it compiles cut off, without noticing.
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    done = _run(files, "opt", "large.mlir", "-o", "out.mlir", preexec_fn=limit, env=environment)
    assert (done.returncode, done.stderr) == (1, "out.mlir: error: cannot be written: File too large\n")
    assert sorted(files.iterdir()) == before


def test_a_reader_that_goes_away(files: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as closed:
        done = _run(files, "opt", "large.mlir", stdout=closed)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize(
    ("closing", "status", "message"),
    [
        (">&-", 1, "<stdout>: error: cannot be written: standard output is closed\n"),
        ("<&-", 1, "<stdin>: error: cannot be read: standard input is closed\n"),
        ("2>&-", 1, ""),
        ("2>/dev/full", 1, ""),
    ],
)
def test_streams_that_are_closed(files: Path, closing: str, status: int, message: str) -> None:
    source = "small.mlir" if closing == ">&-" else "-" if closing == "<&-" else "absent.mlir"
    command = " ".join([*_command("opt", source), closing])
    done = subprocess.run(command, cwd=files, shell=True, text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr, done.stdout) == (status, message, "")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(files: Path) -> None:
    folder = files / "closed"
    folder.mkdir(mode=0o500)
    done = _run(files, "opt", "small.mlir", "-o", "closed/out.mlir")
    assert done.stderr == "closed/out.mlir: error: cannot be written: Permission denied\n"


def _seconds_of_work(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _signalled(folder: Path, number: int, tool: str, *arguments: str) -> tuple[int, str]:
    """Start a tool, send it a signal after a second of work, and return its status and what it said."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a background job inherits it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        _command(tool, *arguments),
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while _seconds_of_work(process.pid) < 1:
        assert process.poll() is None, "the tool ended before it could be interrupted"
        time.sleep(0.05)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert out == ""
    return process.returncode, err


@pytest.mark.parametrize(
    "arguments",
    [
        ["opt", "large.mlir", "--pass-pipeline=" + ",".join(["canonicalize"] * 9000), "-o", "out.mlir"],
        ["run", "loop.mlir", "--random-inputs=1", "--outputs=out.npz"],
        ["run", "loop.mlir", "--random-inputs=1", "--interpret"],
    ],
    ids=["passes", "compiled", "interpreted"],
)
def test_an_interrupt_ends_a_long_run(files: Path, arguments: list[str]) -> None:
    before = sorted(files.iterdir())
    assert _signalled(files, signal.SIGINT, *arguments) == (130, "interrupted\n")
    assert sorted(files.iterdir()) == before


def test_a_request_to_end_leaves_nothing_behind(files: Path) -> None:
    before = sorted(files.iterdir())
    pipeline = "--pass-pipeline=" + ",".join(["canonicalize"] * 9000)
    status, said = _signalled(files, signal.SIGTERM, "opt", "large.mlir", pipeline, "-o", "out.mlir")
    assert (status, said, sorted(files.iterdir())) == (128 + signal.SIGTERM, "", before)


def test_text_is_utf8_in_any_locale(files: Path) -> None:
    (files / "name.mlir").write_text("func.func @f() {\n  // é\n  return %é\n}\n")
    for environment in ({"LC_ALL": "C", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "latin-1"}):
        done = _run(files, "opt", "name.mlir", env=os.environ | environment, errors="replace")
        assert done.returncode == 1
        assert done.stderr.startswith("name.mlir:3:10: error: expected SSA operand")
        with (files / "name.mlir").open() as text:
            assert (
                _run(files, "opt", env=os.environ | environment, errors="replace", stdin=text).returncode == 1
            )


@pytest.mark.parametrize("tool", ["opt", "run", "translate", "main"])
def test_help_imports_nothing_heavy(tool: str) -> None:
    code = f"""import sys, lamina.tools.{tool} as tool
status = tool.main(["--help"])
heavy = {{"numpy", "xdsl", "llvmlite", "onnx"}} & set(sys.modules)
print(status, sorted(heavy), file=sys.stderr)"""
    done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=False)
    assert done.stdout.startswith("usage: lamina") and done.stderr == "0 []\n"


def test_an_empty_module_needs_only_the_core_of_xdsl(files: Path) -> None:
    (files / "empty.mlir").write_text("module {\n}\n")
    code = """import sys
from lamina.tools.opt import main
status = main(["empty.mlir"])
names = "numpy llvmlite importlib.metadata xdsl.parser xdsl.dialects.utils difflib fractions".split()
print(status, sorted(set(names) & set(sys.modules)), file=sys.stderr)"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=files, text=True, capture_output=True, check=False
    )
    assert (done.stdout, done.stderr) == ("module {\n}\n", "0 []\n")
