"""The machine that measures, and what is installed on it."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.limits import Limits
from lamina.tools.doctor import version_of

_FRAMEWORKS = ("onnxruntime", "openvino", "torch", "jax")
_COMPILERS = ("ai-edge-litert", "litert-converter", "iree-base-compiler", "iree-base-runtime")
PACKAGES = ("lamina", "numpy", "onnx", *_FRAMEWORKS, *_COMPILERS, "llvmlite", "xdsl")


def machine() -> dict[str, Any]:
    """The processor, its cores and caches, and the versions of what runs."""
    from lamina.lowering.codegen.target import host_target

    target = host_target()
    return {
        "processor": _processor(),
        "cores": target.cores,
        "vector_bits": target.vector_bits,
        "cache_bytes": [target.l1_bytes, target.l2_bytes, target.l3_bytes],
        "python": platform.python_version(),
        "packages": {name: version for name in PACKAGES if (version := version_of(name))},
    }


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    text = information.read_text(encoding="utf-8") if information.exists() else ""
    names = [line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith("model name")]
    return names[0] if names else platform.processor()


def machine_text(found: Mapping[str, Any]) -> str:
    """Two sentences for a page, about what `machine` found."""
    caches = " / ".join(f"{size >> 10} KiB" for size in found["cache_bytes"])
    versions = ", ".join(f"{name} {version}" for name, version in found["packages"].items())
    return (
        f"{found['processor']}, {found['cores']} core(s), vectors of {found['vector_bits']} bits, "
        f"caches {caches}. Versions: Python {found['python']}, {versions}."
    )


def limits_text(limits: Iterable[Limits]) -> list[str]:
    """A line for each number of cores."""
    return [
        f"{limit.cores} core(s): {limit.flops / 1e9:.1f} GFLOP/s f32 multiply-adds, "
        f"{limit.bandwidth / 1e9:.1f} GB/s copying, {limit.reading / 1e9:.1f} GB/s reading"
        for limit in limits
    ]
