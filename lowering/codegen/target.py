"""What the machine that code is made for looks like: CPU, vector width, registers, caches.

Passes read a :class:`Target` and never ask the machine themselves, so that a pipeline gives the same text
everywhere once the target is given. Nothing here imports llvmlite before :func:`llvm_cpu` is called.
"""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

HOST = "host"


@dataclass(frozen=True)
class Target:
    """A machine. The default values are those of a small x86-64 core without AVX."""

    triple: str = ""
    """LLVM's target triple; empty for the one of this process."""
    cpu: str = HOST
    """LLVM's name of the CPU; ``host`` for the one that runs the process."""
    features: str = ""
    """LLVM feature string (``+avx2,+fma``) on top of what the CPU has."""
    flags: frozenset[str] = frozenset()
    """Features in the spelling of ``/proc/cpuinfo``: ``avx2``, ``fma``, ``avx512f``, …"""
    vector_bits: int = 128
    vector_registers: int = 16
    l1_bytes: int = 32 << 10
    l2_bytes: int = 512 << 10
    l3_bytes: int = 8 << 20
    """Bytes of the third-level cache that this core shares with others."""
    line_bytes: int = 64
    cores: int = 1

    def lanes(self, bits: int) -> int:
        """Elements of a width in bits that one vector register holds (at least one)."""
        return max(1, self.vector_bits // bits)

    def has(self, flag: str) -> bool:
        """Whether the CPU has a feature, by its name in ``/proc/cpuinfo``."""
        return flag in self.flags

    @property
    def is_host(self) -> bool:
        """Whether the code can run in this process."""
        return self.cpu == HOST and not self.triple


@cache
def host_target() -> Target:
    """This machine, from ``/proc/cpuinfo`` and ``/sys``; what they do not tell keeps its default."""
    flags = _cpu_flags()
    bits, registers = _vector_unit(platform.machine(), flags)
    caches = _cache_sizes(Path("/sys/devices/system/cpu/cpu0/cache"))
    known = {name: size for name, size in caches.items() if size}
    base = Target(flags=flags, vector_bits=bits, vector_registers=registers, cores=_usable_cores())
    return replace(base, **known)


def _vector_unit(machine: str, flags: frozenset[str]) -> tuple[int, int]:
    """Width in bits and number of the vector registers."""
    if machine in ("aarch64", "arm64"):
        return 128, 32
    if "avx512f" in flags and "avx512vl" in flags:
        return 512, 32
    return (256, 16) if "avx" in flags else (128, 16)


def _cpu_flags() -> frozenset[str]:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return frozenset()
    for line in text.splitlines():
        key, _, value = line.partition(":")
        if key.strip() in ("flags", "Features"):
            return frozenset(value.split())
    return frozenset()


def _usable_cores() -> int:
    """Cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def _cache_sizes(folder: Path) -> dict[str, int]:
    """Sizes of the data caches and of their lines, from the kernel's description of one core."""
    sizes: dict[str, int] = {}
    for entry in sorted(folder.glob("index*")):
        try:
            level, kind = (entry / "level").read_text().strip(), (entry / "type").read_text().strip()
            size, line = (
                (entry / "size").read_text().strip(),
                (entry / "coherency_line_size").read_text().strip(),
            )
        except OSError:
            continue
        if kind in ("Data", "Unified") and level in ("1", "2", "3"):
            sizes[f"l{level}_bytes"] = _bytes_of(size)
            sizes["line_bytes"] = int(line) if line.isdigit() else 0
    return sizes


def _bytes_of(text: str) -> int:
    """``32K`` or ``8M`` as bytes; 0 where it is something else."""
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    number, unit = (text[:-1], units[text[-1]]) if text and text[-1] in units else (text, 1)
    return int(number) * unit if number.isdigit() else 0


@cache
def llvm_cpu(target: Target) -> tuple[str, str, str]:
    """Triple, CPU name and feature string of a target for LLVM, the host's where it says ``host``."""
    import llvmlite.binding as llvm

    triple = target.triple or llvm.get_process_triple()
    if target.cpu != HOST:
        return triple, target.cpu, target.features
    features = llvm.get_host_cpu_features().flatten()
    return triple, llvm.get_host_cpu_name(), ",".join(part for part in (features, target.features) if part)


def llvm_version() -> list[str]:
    """The versions of LLVM and of the package that brings it."""
    import llvmlite
    import llvmlite.binding as llvm

    return [llvmlite.__version__, ".".join(map(str, llvm.llvm_version_info))]
