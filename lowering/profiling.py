"""Time, arithmetic and traffic of each kernel of a model, measured by code that is made for it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import CallSiteLoc, FusedLoc, IntegerAttr, ModuleOp, NameLoc
from xdsl.ir import Attribute, Operation

from lamina.dialects.core.diagnostics import location_of
from lamina.lowering.codegen.machine_limits import machine_limits
from lamina.lowering.codegen.memory import address_of
from lamina.lowering.codegen.target import host_target
from lamina.lowering.dispatch.annotate_dispatch_costs import BYTES, FLOPS
from lamina.lowering.executable import Executable
from lamina.lowering.llvm.instrument_dispatches import TIMES, dispatch_calls


@dataclass(frozen=True)
class KernelTime:
    """One call of a kernel."""

    name: str
    location: str
    """Where the model's operation stands: ``file:line:column``, ``file: node``; empty if unknown."""
    seconds: float
    flops: int
    bytes: int
    share: float | None
    """The part of the machine's limit that was reached: the least time that arithmetic (on the cores of all
    threads) and traffic with memory allow, by the time that it took. None where traffic is the limit and all
    of it fits in the last cache: how much of it reaches memory is not known."""

    @property
    def gflops(self) -> float:
        """Billions of arithmetic operations a second."""
        return self.flops / self.seconds / 1e9 if self.seconds else 0.0

    @property
    def gbytes(self) -> float:
        """Billions of bytes a second, each operand and result counted once."""
        return self.bytes / self.seconds / 1e9 if self.seconds else 0.0


@dataclass(frozen=True)
class Profile:
    """The kernels of a call in the order in which they run; prints as a table, the slowest first."""

    kernels: tuple[KernelTime, ...]
    seconds: float
    """The whole call, with what is between the kernels."""

    def __str__(self) -> str:
        lines = [f"{'ms':>9} {'%':>5} {'GFLOP/s':>8} {'GB/s':>7} {'of limit':>8}  kernel"]
        for kernel in sorted(self.kernels, key=lambda kernel: -kernel.seconds):
            part = kernel.seconds / self.seconds if self.seconds else 0.0
            limit = "cache" if kernel.share is None else f"{100 * kernel.share:.0f}%"
            where = f"  {kernel.location}" if kernel.location else ""
            lines.append(
                f"{1e3 * kernel.seconds:9.4f} {100 * part:5.1f} {kernel.gflops:8.1f} {kernel.gbytes:7.1f} "
                f"{limit:>8}  {kernel.name}{where}"
            )
        lines.append(f"{1e3 * self.seconds:9.4f} 100.0 {'':8} {'':7} {'':8}  the call")
        return "\n".join(lines)


@dataclass(frozen=True)
class Kernel:
    """What is known of a call of a kernel before it runs."""

    name: str
    location: str
    flops: int
    bytes: int


def kernels_of(module: ModuleOp) -> list[Kernel]:
    """The calls of dispatches in a module of the llvm dialect, in order."""
    return [
        Kernel(function.sym_name.data, _where(function), _count(function, FLOPS), _count(function, BYTES))
        for _, function in dispatch_calls(module)
    ]


def _where(op: Operation) -> str:
    """Where an operation stands: a line of a file, or the node of a model's file that has no lines."""
    place = location_of(op)
    if place is None:
        return ""
    name = "" if place.line else _node_name(op.location)
    return f"{place}: {name}" if name and name != place.file else str(place)


def _node_name(location: Attribute) -> str:
    """The first name inside a location."""
    match location:
        case NameLoc():
            return location.desc.data
        case CallSiteLoc():
            return _node_name(location.callee) or _node_name(location.caller)
        case FusedLoc():
            return next(filter(None, map(_node_name, getattr(location.locations, "data", ()))), "")
        case _:
            return ""


def _count(op: Operation, name: str) -> int:
    attribute = op.attributes.get(name)
    return attribute.value.data if isinstance(attribute, IntegerAttr) else 0


def measure(instrumented: ModuleOp, entry: str, inputs: Sequence[Any], calls: int, threads: int) -> Profile:
    """Run an instrumented module of the llvm dialect some times; times are those of the fastest call."""
    kernels = kernels_of(instrumented)
    times = np.zeros(max(1, len(kernels)), np.int64)
    exe = Executable.from_llvm_module(instrumented, entry, symbols={TIMES: address_of(times)})
    exe(*inputs)
    best = np.full(len(times), np.iinfo(np.int64).max)
    whole = float("inf")
    for _ in range(calls):
        times[:] = 0
        started = time.perf_counter()
        exe(*inputs)
        whole = min(whole, time.perf_counter() - started)
        best = np.minimum(best, times)
    found = [_timed(kernel, int(ns) * 1e-9, threads) for kernel, ns in zip(kernels, best, strict=False)]
    return Profile(tuple(found), max(whole, sum(kernel.seconds for kernel in found)))


def _timed(kernel: Kernel, seconds: float, threads: int) -> KernelTime:
    flops, moved = machine_limits(threads)
    computing, moving = kernel.flops / flops, kernel.bytes / moved
    cached = moving > computing and kernel.bytes <= host_target().l3_bytes
    share = None if cached else max(computing, moving) / seconds if seconds else 0.0
    return KernelTime(kernel.name, kernel.location, seconds, kernel.flops, kernel.bytes, share)
