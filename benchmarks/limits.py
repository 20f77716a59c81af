"""What this machine can do at most, measured by kernels written in Lamina's own IR.

* Multiply-adds: a loop over independent accumulators that touches no memory.
* Bandwidth: a copy of arrays much larger than the caches, with streaming stores; and reading alone, which by
  itself does not reach what reading and writing do together.

Both are run on one core and on all cores at once (calls of compiled code do not hold the interpreter lock).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

import lamina
from lamina.lowering.codegen.target import Target, host_target
from lamina.lowering.executable import Executable

Clock = Callable[[], float]

_STEPS = 1 << 17
_COPY_BYTES = 64 << 20
_READ_BYTES = 256 << 20
_ALIGNMENT = 64


@dataclass(frozen=True)
class Limits:
    """The limits of the machine for a number of cores."""

    cores: int
    flops: float
    """f32 operations in a second (a multiply-add is two)."""
    bandwidth: float
    """Bytes in a second that a copy reads and writes."""
    reading: float
    """Bytes in a second that a sum reads."""


def measure_limits(cores: int, clock: Clock = time.perf_counter, rounds: int = 16) -> Limits:
    """The best of some rounds of each kernel, on a number of cores."""
    return Limits(
        cores,
        _measure_flops(cores, clock, rounds),
        _measure_bandwidth(cores, clock, rounds),
        _measure_reading(cores, clock, rounds),
    )


def highest(measured: Sequence[Limits]) -> Limits:
    """The limits of a number of cores that was measured several times: noise only lowers what is seen."""
    first, *others = measured
    for one in others:
        best = {name: max(value, getattr(one, name)) for name, value in vars(first).items()}
        first = Limits(**best)
    return first


def multiply_add_kernel(target: Target) -> tuple[str, int]:
    """IR text of the register-only loop, and the number of accumulators."""
    lanes, count = target.lanes(32), 12 if target.vector_registers <= 16 else 24
    vector = f"vector<{lanes}xf32>"
    read, written = f"memref<{2 * lanes}xf32>", f"memref<{count * lanes}xf32>"
    names = [f"%acc{i}" for i in range(count)]
    iterated = ", ".join(f"{name} = %start" for name in names)
    kinds = ", ".join([vector] * count)
    steps = "\n".join(f"    %next{i} = vector.fma %a, %b, {name} : {vector}" for i, name in enumerate(names))
    yielded = ", ".join(f"%next{i}" for i in range(count))
    stores = "\n".join(
        f"  %to{i} = arith.constant {i * lanes} : index\n"
        f"  vector.store %sums#{i}, %out[%to{i}] : {written}, {vector}"
        for i in range(count)
    )
    return (
        f"""
func.func @main(%in: {read}, %out: {written} {{lamina.result = 0 : i64}}) {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = arith.constant {_STEPS} : index
  %second = arith.constant {lanes} : index
  %start = arith.constant dense<0.0> : {vector}
  %a = vector.load %in[%zero] : {read}, {vector}
  %b = vector.load %in[%second] : {read}, {vector}
  %sums:{count} = scf.for %i = %zero to %end step %one iter_args({iterated}) -> ({kinds}) {{
{steps}
    scf.yield {yielded} : {kinds}
  }}
{stores}
  return
}}
""",
        count,
    )


def copy_kernel(target: Target, elements: int) -> str:
    """IR text of a copy with streaming stores, four vectors a step."""
    lanes = target.lanes(32)
    vector, memory = f"vector<{lanes}xf32>", f"memref<{elements}xf32>"
    hints = f"{{nontemporal = true, alignment = {lanes * 4} : i64}}"
    steps = "\n".join(
        f"""    %by{i} = arith.constant {i * lanes} : index
    %at{i} = arith.addi %i, %by{i} : index
    %v{i} = vector.load %in[%at{i}] : {memory}, {vector}
    vector.store %v{i}, %out[%at{i}] {hints} : {memory}, {vector}"""
        for i in range(4)
    )
    return f"""
func.func @main(%in: {memory}, %out: {memory} {{lamina.result = 0 : i64}}) {{
  %zero = arith.constant 0 : index
  %step = arith.constant {4 * lanes} : index
  %end = arith.constant {elements} : index
  scf.for %i = %zero to %end step %step {{
{steps}
  }}
  return
}}
"""


def sum_kernel(target: Target, elements: int) -> str:
    """IR text of a sum of vectors into eight accumulators, all of which are the result."""
    lanes, count = target.lanes(32), 8
    vector, memory = f"vector<{lanes}xf32>", f"memref<{elements}xf32>"
    result = f"memref<{count * lanes}xf32>"
    places = "\n".join(f"  %by{i} = arith.constant {i * lanes} : index" for i in range(count))
    steps = "\n".join(
        f"""    %at{i} = arith.addi %i, %by{i} : index
    %v{i} = vector.load %in[%at{i}] : {memory}, {vector}
    %next{i} = arith.addf %held{i}, %v{i} : {vector}"""
        for i in range(count)
    )
    stores = "\n".join(f"  vector.store %sums#{i}, %out[%by{i}] : {result}, {vector}" for i in range(count))
    held = ", ".join(f"%held{i} = %start" for i in range(count))
    following = ", ".join(f"%next{i}" for i in range(count))
    kinds = ", ".join([vector] * count)
    return f"""
func.func @main(%in: {memory}, %out: {result} {{lamina.result = 0 : i64}}) {{
  %zero = arith.constant 0 : index
  %step = arith.constant {count * lanes} : index
  %end = arith.constant {elements} : index
  %start = arith.constant dense<0.0> : {vector}
{places}
  %sums:{count} = scf.for %i = %zero to %end step %step iter_args({held}) -> ({kinds}) {{
{steps}
    scf.yield {following} : {kinds}
  }}
{stores}
  return
}}
"""


def fused_instructions(assembly: str) -> int:
    """How many fused multiply-adds on vectors the assembly holds (x86-64 and AArch64)."""
    return len(re.findall(r"^\s*(vfmadd\d+ps|fmla)\s", assembly, re.MULTILINE))


def _measure_flops(cores: int, clock: Clock, rounds: int) -> float:
    target = host_target()
    text, count = multiply_add_kernel(target)
    kernel = lamina.compile(lamina.parse(text))
    assert isinstance(kernel, Executable)
    if fused_instructions(kernel.asm()) < count:
        raise RuntimeError("the kernel that measures the FMA peak was not compiled to fused multiply-adds")
    outputs = [np.empty(kernel.outputs[0].shape, np.float32) for _ in range(cores)]
    start = np.full(kernel.inputs[0].shape, 0.5, np.float32)
    seconds = _best(lambda core: kernel(start, out=outputs[core]), cores, clock, rounds)
    return 2.0 * cores * _STEPS * count * target.lanes(32) / seconds


def _measure_bandwidth(cores: int, clock: Clock, rounds: int) -> float:
    elements = _COPY_BYTES // 4
    kernel = lamina.compile(lamina.parse(copy_kernel(host_target(), elements)))
    arrays = [(aligned(elements), aligned(elements)) for _ in range(cores)]
    seconds = _best(lambda core: kernel(arrays[core][0], out=arrays[core][1]), cores, clock, rounds)
    return 2.0 * cores * _COPY_BYTES / seconds


def _measure_reading(cores: int, clock: Clock, rounds: int) -> float:
    elements = _READ_BYTES // 4
    kernel = lamina.compile(lamina.parse(sum_kernel(host_target(), elements)))
    arrays = [aligned(elements) for _ in range(cores)]
    outputs = [np.empty(kernel.outputs[0].shape, np.float32) for _ in range(cores)]
    seconds = _best(lambda core: kernel(arrays[core], out=outputs[core]), cores, clock, rounds)
    return 1.0 * cores * _READ_BYTES / seconds


def aligned(elements: int) -> np.ndarray:
    """An array of ones that starts at a cache line."""
    raw = np.ones(elements + _ALIGNMENT // 4, np.float32)
    skip = -raw.ctypes.data % _ALIGNMENT // 4
    return raw[skip : skip + elements]


def _best(call: Callable[[int], object], cores: int, clock: Clock, rounds: int) -> float:
    """The seconds of the fastest round, in which each core makes one call."""
    best = float("inf")
    with ThreadPoolExecutor(cores) as pool:
        for _ in range(rounds + 1):
            started = clock()
            list(pool.map(call, range(cores)))
            best = min(best, clock() - started)
    return best
