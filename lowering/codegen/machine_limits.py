"""What the machine can do at most, measured by loops in LLVM IR."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from ctypes import c_void_p
from functools import cache

import numpy as np

from lamina.lowering.codegen.jit import compile_to_object, load_object
from lamina.lowering.codegen.target import host_target

_STEPS = 1_000_000
_CHAINS = 12


@cache
def machine_limits(threads: int) -> tuple[float, float]:
    """Operations on f32 a second of some threads, and bytes a second that they read or copy, whichever is
    more."""
    lanes = host_target().lanes(32)
    text = _multiply_adds(lanes) + _reads(lanes)
    code = load_object(compile_to_object(text).object_bytes, ["multiply_adds", "reads"])
    arithmetic, reads = code.function("multiply_adds"), code.function("reads", c_void_p)
    arrays = [np.ones((2, 1 << 24), np.float32) for _ in range(threads)]
    size = arrays[0][0].nbytes

    with ThreadPoolExecutor(threads) as pool:

        def least(run: Callable[[np.ndarray], object]) -> float:
            return min(_seconds(lambda: list(pool.map(run, arrays))) for _ in range(5))

        computing = least(lambda _: arithmetic())
        reading = least(lambda pair: reads(pair.ctypes.data))
        copying = least(lambda pair: np.copyto(pair[0], pair[1]))
    flops = 2.0 * _CHAINS * lanes * _STEPS * threads / computing
    return flops, 2.0 * size * threads / min(reading, copying)


def _seconds(run: Callable[[], object]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def _reads(lanes: int) -> str:
    """A loop that adds up what stands in two arrays of 1 << 24 f32 each, vector by vector."""
    kind = f"<{lanes} x float>"
    chains = range(_CHAINS)
    vectors = (2 << 24) // lanes // _CHAINS * _CHAINS
    return "\n".join(
        [
            f"@read = internal global [{_CHAINS} x {kind}] zeroinitializer",
            "define void @reads(ptr %from) {",
            "entry:",
            "  br label %loop",
            "loop:",
            "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]",
            *(f"  %a{c} = phi {kind} [ zeroinitializer, %entry ], [ %b{c}, %loop ]" for c in chains),
            *(
                f"  %o{c} = add i64 %i, {c}\n"
                f"  %p{c} = getelementptr {kind}, ptr %from, i64 %o{c}\n"
                f"  %v{c} = load {kind}, ptr %p{c}, align 4\n"
                f"  %b{c} = fadd {kind} %a{c}, %v{c}"
                for c in chains
            ),
            f"  %next = add i64 %i, {_CHAINS}",
            f"  %more = icmp ult i64 %next, {vectors}",
            "  br i1 %more, label %loop, label %end",
            "end:",
            *(
                f"  store volatile {kind} %b{c}, ptr getelementptr ({kind}, ptr @read, i64 {c})"
                for c in chains
            ),
            "  ret void",
            "}",
            "",
        ]
    )


def _multiply_adds(lanes: int) -> str:
    """A loop of independent fused multiply-adds in registers."""
    kind = f"<{lanes} x float>"
    chains = range(_CHAINS)
    return "\n".join(
        [
            f"declare {kind} @llvm.fma.v{lanes}f32({kind}, {kind}, {kind})",
            f"@sink = internal global [{_CHAINS} x {kind}] zeroinitializer",
            f"@factor = internal global {kind} zeroinitializer",
            "define void @multiply_adds() {",
            "entry:",
            f"  %f = load volatile {kind}, ptr @factor",
            "  br label %loop",
            "loop:",
            "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]",
            *(f"  %a{c} = phi {kind} [ %f, %entry ], [ %b{c}, %loop ]" for c in chains),
            *(
                f"  %b{c} = call {kind} @llvm.fma.v{lanes}f32({kind} %a{c}, {kind} %f, {kind} %a{c})"
                for c in chains
            ),
            "  %next = add i64 %i, 1",
            f"  %more = icmp ult i64 %next, {_STEPS}",
            "  br i1 %more, label %loop, label %end",
            "end:",
            *(
                f"  store volatile {kind} %b{c}, ptr getelementptr ({kind}, ptr @sink, i64 {c})"
                for c in chains
            ),
            "  ret void",
            "}",
            "",
        ]
    )
