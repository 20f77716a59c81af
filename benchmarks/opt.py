"""How long ``lamina-opt`` takes to read, verify and print text, beside ``xdsl-opt`` and ``mlir-opt``.

    python -m benchmarks.opt [--sizes 1000,10000] [--rounds 3] [--passes canonicalize,cse]

Seconds are user and system time of whole processes, the median of rounds in which the tools take turns.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path


def structured(count: int) -> str:
    """Functions with loops, conditionals, memory and arithmetic: 16 ops each."""
    function = """func.func @f{0}(%m: memref<64x64xf32>, %x: f32, %lo: index, %hi: index) -> f32 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %r = scf.for %i = %lo to %hi step %c1 iter_args(%a = %z) -> (f32) {{
    %v = memref.load %m[%i, %c0] : memref<64x64xf32>
    %p = arith.mulf %v, %x : f32
    %s = arith.addf %a, %p : f32
    %c = arith.cmpf olt, %s, %x : f32
    %t = scf.if %c -> (f32) {{
      %q = arith.addf %s, %x : f32
      scf.yield %q : f32
    }} else {{
      scf.yield %s : f32
    }}
    memref.store %t, %m[%i, %c1] : memref<64x64xf32>
    scf.yield %t : f32
  }}
  func.return %r : f32
}}
"""
    return "".join(function.format(number) for number in range(max(1, count // 16)))


def straight(count: int) -> str:
    """One block of integer arithmetic."""
    lines = ["func.func @f(%a: i32, %b: i32) -> i32 {", "  %v0 = arith.addi %a, %b : i32"]
    names = ("addi", "muli", "subi", "xori")
    for i in range(1, count):
        lines.append(f"  %v{i} = arith.{names[i % 4]} %v{i - 1}, %{'ab'[i % 2]} : i32")
    return "\n".join([*lines, f"  func.return %v{count - 1} : i32", "}", ""])


def tensors(count: int) -> str:
    """linalg on tensors: five ops for each product with its epilogue."""
    lines = [
        "#map = affine_map<(d0, d1) -> (d0, d1)>",
        "func.func @f(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {",
    ]
    lines += ["  %z = arith.constant 0.0 : f32", "  %e = tensor.empty() : tensor<8x8xf32>"]
    last = "%a"
    for i in range(max(1, count // 5)):
        kind = "tensor<8x8xf32>"
        lines += [
            f"  %f{i} = linalg.fill ins(%z : f32) outs(%e : {kind}) -> {kind}",
            f"  %m{i} = linalg.matmul ins({last}, %a : {kind}, {kind}) outs(%f{i} : {kind}) -> {kind}",
            f"  %g{i} = linalg.generic {{indexing_maps = [#map, #map], "
            f'iterator_types = ["parallel", "parallel"]}} '
            f"ins(%m{i} : {kind}) outs(%e : {kind}) {{",
            "  ^bb0(%x: f32, %y: f32):",
            "    %s = arith.addf %x, %x : f32",
            "    linalg.yield %s : f32",
            f"  }} -> {kind}",
        ]
        last = f"%g{i}"
    return "\n".join([*lines, f"  func.return {last} : tensor<8x8xf32>", "}", ""])


def blocks(count: int) -> str:
    """An llvm function of many blocks."""
    lines = ["llvm.func @f(%a: i32, %c: i1) -> i32 {", "  llvm.br ^bb0(%a : i32)"]
    number = max(1, count // 3)
    for i in range(number):
        lines += [
            f"^bb{i}(%x{i}: i32):",
            f"  %y{i} = llvm.add %x{i}, %a : i32",
            f"  %w{i} = llvm.mul %y{i}, %a : i32",
            f"  llvm.br ^bb{i + 1}(%w{i} : i32)",
        ]
    return "\n".join([*lines, f"^bb{number}(%r: i32):", "  llvm.return %r : i32", "}", ""])


KINDS: dict[str, Callable[[int], str]] = {
    "scf/memref/arith": structured,
    "straight arith": straight,
    "linalg on tensors": tensors,
    "llvm blocks": blocks,
}


def commands(passes: str) -> dict[str, list[str]]:
    """The tools that are installed, with the arguments that make them do the same."""
    found = {
        "lamina-opt": [sys.executable, "-m", "lamina.tools.opt", *[f"--{p}" for p in passes.split(",") if p]]
    }
    xdsl = shutil.which("xdsl-opt")
    if xdsl:
        found["xdsl-opt"] = [xdsl, *(["-p", passes] if passes else [])]
    mlir = shutil.which("mlir-opt-22") or shutil.which("mlir-opt")
    if mlir:
        found["mlir-opt"] = [mlir, *[f"--{p}" for p in passes.split(",") if p]]
    return found


def seconds(command: Sequence[str], file: Path) -> float:
    """User and system time of one run. A tool that fails is an error: its time would say nothing."""
    before = os.times()
    subprocess.run([*command, str(file)], stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--sizes", default="0,1000,10000", help="numbers of operations (0: an empty module)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--passes", default="", help="passes to run, separated by commas")
    options = parser.parse_args(arguments)
    tools = commands(options.passes)
    print(f"{'module':20} {'ops':>7} " + " ".join(f"{name:>11}" for name in tools) + "   lamina/xdsl")
    with tempfile.TemporaryDirectory() as folder:
        for size in map(int, options.sizes.split(",")):
            for kind, generate in KINDS.items() if size else [("empty", lambda _: "module {\n}\n")]:
                file = Path(folder) / "module.mlir"
                file.write_text(generate(size))
                times: dict[str, list[float]] = {name: [] for name in tools}
                for _ in range(options.rounds):
                    for name, command in tools.items():
                        times[name].append(seconds(command, file))
                medians = {name: statistics.median(found) for name, found in times.items()}
                ratio = medians["lamina-opt"] / medians["xdsl-opt"] if "xdsl-opt" in medians else float("nan")
                row = " ".join(f"{median:11.3f}" for median in medians.values())
                print(f"{kind:20} {size:7} {row}   {ratio:.2f}", flush=True)


if __name__ == "__main__":
    main()
