"""Compile time by pass, and the memory that compiling takes.

    python -m benchmarks.compile [MODEL …] [--rounds 3] [--passes] [--json FILE]

Each compilation runs in a process of its own: cold, and with a peak of memory of its own. What Python keeps
of source files (bytecode) is there, as it is after an installation.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.compilation import compile_once
from benchmarks.report import machine, write_json
from benchmarks.workloads import COMPILED, ROOT, WORKLOADS

_CHILD = "--in-this-process"
_PASSES_SHOWN = 8


def build_parser() -> argparse.ArgumentParser:
    """The options of the command."""
    parser = argparse.ArgumentParser("python -m benchmarks.compile", description="Compile time and memory.")
    add = parser.add_argument
    add("models", nargs="*", metavar="MODEL", help=f"rows of the benchmark (default: {', '.join(COMPILED)})")
    add("--rounds", type=int, default=3, help="processes for each model (default: 3; medians are shown)")
    add("--passes", action="store_true", help="show every pass, not only the slowest")
    add("--json", metavar="FILE", help="write everything that was measured")
    add(_CHILD, action="store_true", help=argparse.SUPPRESS)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    args = build_parser().parse_args(argv)
    unknown = [name for name in args.models if name not in WORKLOADS]
    if unknown:
        raise SystemExit(f"no row is named {', '.join(unknown)}; rows are: {', '.join(WORKLOADS)}")
    if args.in_this_process:
        print(json.dumps(compile_once(args.models[0])))
        return 0
    found: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as bytecode:
        _in_new_process("matmul-64", bytecode)
        for name in args.models or COMPILED:
            print(f"{name} …", file=sys.stderr, flush=True)
            found[name] = _medians([_in_new_process(name, bytecode) for _ in range(max(1, args.rounds))])
    print_compilations(found, 1000 if args.passes else _PASSES_SHOWN)
    if args.json:
        write_json(args.json, {"machine": machine(), "compilations": found})
    return 0


def _in_new_process(name: str, bytecode: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.compile", name, _CHILD]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = bytecode
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def _medians(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The medians of numbers, entry by entry."""
    first = runs[0]
    return {
        key: _medians([run[key] for run in runs])
        if isinstance(value, dict)
        else statistics.median(run[key] for run in runs)
        if isinstance(value, int | float)
        else value
        for key, value in first.items()
    }


def print_compilations(found: Mapping[str, Any], passes_shown: int) -> None:
    """A table of models, and for each model a table of passes."""
    from rich.console import Console
    from rich.table import Table

    console = Console(width=max(140, Console().width))
    headings = ("import", "load", "passes", "emit", "llvm", "all")
    table = Table(title="Processor seconds of compiling, cold, and memory in MB")
    table.add_column("model", no_wrap=True)
    for heading in (*headings, "wall", "optimiser", "IR text", "code", "peak", "weights", "arena"):
        table.add_column(heading, justify="right")
    for name, one in found.items():
        if "problem" in one:
            console.print(f"{name}: {one['problem']}")
            continue
        sizes = [
            one[k] / 1e6 for k in ("text_bytes", "code_bytes", "peak_bytes", "weight_bytes", "arena_bytes")
        ]
        table.add_row(
            name,
            *(f"{one['stages'][heading]['cpu']:.2f}" for heading in headings),
            f"{one['stages']['all']['wall']:.2f}",
            f"{one['optimiser_share']:.0%}",
            *(f"{size:.2f}" if size < 100 else f"{size:.0f}" for size in sizes),
        )
    console.print(table)
    for name, one in found.items():
        if "problem" not in one:
            console.print(_pass_table(name, one, passes_shown))


def _pass_table(name: str, one: Mapping[str, Any], shown: int) -> Any:
    from rich.table import Table

    table = Table("pass", title=f"{name}: processor seconds by pass")
    for heading in ("cpu", "wall", "share", "operations after it"):
        table.add_column(heading, justify="right")
    everything = one["stages"]["all"]["cpu"]
    slowest = sorted(one["passes"].items(), key=lambda item: -item[1]["cpu"])[:shown]
    for pass_name, seconds in slowest:
        share = f"{seconds['cpu'] / everything:.1%}"
        count = str(one["operations"][pass_name])
        table.add_row(pass_name, f"{seconds['cpu']:.3f}", f"{seconds['wall']:.3f}", share, count)
    return table


if __name__ == "__main__":
    sys.exit(main())
