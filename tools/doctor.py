"""``lamina doctor``: what is installed, which CPU this is, and what is missing for what."""

from __future__ import annotations

import platform
import shutil
from importlib import metadata

_OPTIONAL = {
    "onnx": "reading ONNX models (pip install 'lamina[onnx]')",
    "onnxruntime": "the benchmarks and tests against ONNX Runtime",
    **dict.fromkeys(("matplotlib", "rich", "scikit-learn"), "the examples (pip install 'lamina[examples]')"),
}


def version_of(package: str) -> str | None:
    """The installed version of a distribution, or None."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def version_text() -> str:
    """One line for each version that matters in a report."""
    from lamina import __version__

    parts = [f"lamina {__version__}", f"python {platform.python_version()} ({platform.machine()})"]
    parts += [
        f"{name} {version_of(name) or 'missing'}" for name in ("xdsl", "numpy", "llvmlite", "ml-dtypes")
    ]
    return "\n".join(parts)


def doctor_text() -> str:
    """The whole report."""
    lines = [version_text(), ""]
    for name, purpose in _OPTIONAL.items():
        version = version_of(name)
        lines.append(f"{name} {version}" if version else f"{name} is not installed: needed for {purpose}")
    tool = shutil.which("mlir-opt-22") or shutil.which("mlir-opt")
    lines.append(f"mlir-opt: {tool or 'not found: tests against upstream are skipped'}")
    lines += ["", *_machine()]
    return "\n".join(lines)


def _machine() -> list[str]:
    from lamina.lowering.codegen.target import host_target

    target = host_target()
    shown = {name: value for name, value in vars(target).items() if name != "flags" and value}
    return [f"{name}: {value}" for name, value in shown.items()]
