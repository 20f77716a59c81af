"""Dialects, passes and pipelines of installed packages."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "test" / "plugin"
CLAMPED = """
func.func @main(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = bounds.clamp %x from -1.0 : f32 to 1.0 : f32 : tensor<3x5xf32>
  %1 = bounds.clamp %0 from 0.0 : f32 to 6.0 : f32 : tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}
"""
RUN = """
import numpy as np
import lamina
module = lamina.load("clamped.mlir")
lamina.run_pipeline(module, "bounds-to-linalg")
x = np.linspace(-2, 2, 15, dtype=np.float32).reshape(3, 5)
x[1, 1] = np.nan
for y in (lamina.compile(module)(x), lamina.interpret(module, x)):
    np.testing.assert_array_equal(y, np.clip(x, 0, 1))
"""

GRADIENTS = """
import numpy as np
import lamina
module = lamina.load("loss.mlir")
names = lamina.grad(module, "loss"), lamina.jvp(module, "loss")
lamina.run_pipeline(module, "bounds-to-linalg")
x, t = np.array([-2, -1, -0.5, 0.25, 1, 3], np.float32), np.arange(6, dtype=np.float32)
inside = np.array([0, 0, 1, 1, 0, 0], np.float32)  # nothing passes at the bounds
backward, forward = (lamina.compile(module, entry=name) for name in names)
np.testing.assert_array_equal(backward(x), 2 * x * inside)
np.testing.assert_array_equal(forward(x, t), (2 * x * inside * t).sum())
"""
LOSS = """
func.func @loss(%x: tensor<6xf32>) -> tensor<f32> {
  %0 = bounds.clamp %x from -1.0 : f32 to 1.0 : f32 : tensor<6xf32>
  %1 = nn.mul %0, %0 : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %2 = nn.reduce_sum %1 {axes = array<i64: 0>} : (tensor<6xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}
"""

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which pip has installed the sample package."""
    base = tmp_path_factory.mktemp("plugin")
    shutil.copytree(PLUGIN, base / "source")
    options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "install", *options, "--target", str(base / "site"), "."]
    done = subprocess.run(command, cwd=base / "source", capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"pip cannot build packages here: {done.stderr[-300:]}")
    return base / "site"


def metadata_of(folder: Path, package: str, entries: str) -> None:
    """Write what an installer writes for a package that has entry points."""
    info = folder / f"{package.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entries)


def run_with(folder: Path, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run Python with packages of one folder more."""
    path = os.pathsep.join((str(ROOT / "src"), str(folder)))
    return subprocess.run(
        [sys.executable, *arguments],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": path},
        cwd=folder,
    )


def opt_with(folder: Path, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run ``lamina-opt`` with packages of one folder more."""
    return run_with(folder, "-m", "lamina.tools.opt", *arguments, text=text)


def test_an_installed_dialect_runs_to_native_code(installed: Path) -> None:
    (installed / "clamped.mlir").write_text(CLAMPED)
    done = run_with(installed, "-c", RUN)
    assert done.returncode == 0, done.stderr
    assert not done.stderr


def test_an_installed_dialect_has_derivatives_of_both_modes(installed: Path) -> None:
    (installed / "loss.mlir").write_text(LOSS)
    done = run_with(installed, "-c", GRADIENTS)
    assert done.returncode == 0, done.stderr


def test_the_packages_own_lit_test_passes(installed: Path) -> None:
    lit, check = shutil.which("lit"), shutil.which("filecheck")
    if lit is None or check is None:
        pytest.skip("lit and filecheck are not installed")
    shutil.copytree(PLUGIN / "test", installed / "test")
    shutil.copy(ROOT / "test" / "lit.cfg.py", installed / "test")
    done = run_with(installed, lit, "-v", "test")
    assert done.returncode == 0, done.stdout


def test_what_is_installed_is_listed_and_explained(installed: Path) -> None:
    passes = opt_with(installed, "--list-passes").stdout
    assert "convert-bounds-to-linalg  " in passes and "bounds-to-linalg  " in passes
    assert "bounds\n" in opt_with(installed, "--show-dialects").stdout
    told = run_with(installed, "-m", "lamina.tools.main", "explain", "bounds.clamp").stdout
    assert "converted by: convert-bounds-to-linalg" in told


def test_metadata_are_read_only_for_names_that_are_not_known() -> None:
    code = (
        "import sys, io; sys.stdin = io.StringIO('func.func @f() { return }')\n"
        "from lamina.tools.opt import main\n"
        "assert main(['--canonicalize', '--cse', '-']) == 0\n"
        "assert 'importlib.metadata' not in sys.modules\n"
    )
    done = run_with(ROOT, "-c", code)
    assert done.returncode == 0, done.stderr


def test_a_broken_package_is_named_and_skipped(tmp_path: Path) -> None:
    metadata_of(
        tmp_path, "broken-things", "[lamina.dialects]\nbad = nowhere:D\n[lamina.passes]\nodd = math:pi\n"
    )
    done = opt_with(tmp_path, text='"bad.op"() : () -> ()')
    assert done.returncode == 1
    assert (
        "warning: dialect 'bad' of package 'broken-things 1.0' is skipped: "
        "ModuleNotFoundError: No module named 'nowhere'\n  hint: its entry point is nowhere:D\n"
    ) in done.stderr
    assert "error: unknown dialect 'bad' of operation 'bad.op'" in done.stderr
    done = opt_with(tmp_path, "--odd", text="")
    assert (
        "warning: pass 'odd' of package 'broken-things 1.0' is skipped: "
        "it is no class derived from lamina.passes.framework.passes.Pass\n"
    ) in done.stderr
    done = opt_with(tmp_path, "--list-passes")
    assert done.returncode == 0
    assert "odd" in done.stderr and "\nodd" not in done.stdout and "\ncanonicalize" in done.stdout


def test_a_name_in_two_packages_names_both(tmp_path: Path) -> None:
    for package in ("first-one", "second-one"):
        metadata_of(
            tmp_path, package, f"[lamina.pipelines]\nmine = {package}:P\n[lamina.dialects]\nd = a:b\n"
        )
    done = opt_with(tmp_path, "--mine", text="")
    assert done.returncode == 1
    assert done.stderr == (
        "error: pipeline 'mine' is in several packages: 'first-one 1.0' and 'second-one 1.0'\n"
        "  hint: uninstall one of them, or name the file or module that is meant with --load\n"
    )
    assert "dialect 'd' is in several packages" in opt_with(tmp_path, text='"d.op"() : () -> ()').stderr


def test_lamina_s_own_come_before_those_of_packages(tmp_path: Path) -> None:
    metadata_of(tmp_path, "shadow", "[lamina.passes]\ncse = nowhere:P\n")
    done = opt_with(tmp_path, "--cse", text="func.func @f() { return }")
    assert done.returncode == 0 and not done.stderr
    done = opt_with(tmp_path, "--list-passes")
    assert (
        done.stderr == "warning: pass 'cse' is in 'lamina' and in 'shadow 1.0': the one of 'lamina' is used\n"
    )


def test_a_loaded_file_comes_before_an_installed_package(installed: Path) -> None:
    file = installed / "own.py"
    file.write_text('from xdsl.ir import Dialect\n\nBounds = Dialect("bounds", [])\n')
    done = opt_with(installed, "--load", str(file), text=CLAMPED)
    assert "dialect 'bounds' has no operation 'bounds.clamp'" in done.stderr
