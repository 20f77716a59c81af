"""Compile time by pass, and the memory that compiling takes.

    python -m benchmarks.compile [MODEL …] [--rounds 3] [--passes] [--json FILE]

Each compilation runs in a process of its own: cold, and with a peak of memory of its own. What Python keeps
of source files (bytecode) is there, as it is after an installation. ``first`` is all that a user waits for,
from the first import to an executable, ``again`` the same for a later process, which finds its code in the
cache.
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
from pathlib import Path
from typing import Any

from benchmarks.startup import start

ROOT = Path(__file__).resolve().parents[1]

_STEP = "--step"
_PASSES_SHOWN = 8


def build_parser() -> argparse.ArgumentParser:
    """The options of the command."""
    parser = argparse.ArgumentParser("python -m benchmarks.compile", description="Compile time and memory.")
    add = parser.add_argument
    add("models", nargs="*", metavar="MODEL", help="rows of the benchmark (default: networks)")
    add("--rounds", type=int, default=3, help="processes for each model (default: 3; medians are shown)")
    add("--passes", action="store_true", help="show every pass, not only the slowest")
    add("--json", metavar="FILE", help="write everything that was measured")
    add(_STEP, choices=_STEPS, help=argparse.SUPPRESS)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    args = build_parser().parse_args(argv)
    if args.step:
        print(json.dumps(_STEPS[args.step](*args.models)))
        return 0
    from benchmarks.machine import machine
    from benchmarks.report import write_json
    from benchmarks.workloads import COMPILED, WORKLOADS

    unknown = [name for name in args.models if name not in WORKLOADS]
    if unknown:
        raise SystemExit(f"no row is named {', '.join(unknown)}; rows are: {', '.join(WORKLOADS)}")
    found: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in args.models or COMPILED:
            print(f"{name} …", file=sys.stderr, flush=True)
            found[name] = _measured(name, folder, max(1, args.rounds))
    print_compilations(found, 1000 if args.passes else _PASSES_SHOWN)
    if args.json:
        write_json(args.json, {"machine": machine(), "compilations": found})
    return 0


def _measured(name: str, folder: str, rounds: int) -> dict[str, Any]:
    """The medians of some processes for each of a model's steps."""
    model, cache = f"{folder}/{name}.onnx", f"{folder}/cache"
    written = _in_new_process("write", folder, name, model)
    if "problem" in written:
        return written
    _in_new_process("start", folder, model, cache)  # for Python's own cache of bytecode
    runs = [_one_round(folder, model, f"{folder}/cache-{name}-{number}") for number in range(rounds)]
    return _medians(runs)


def _one_round(folder: str, model: str, cache: str) -> dict[str, Any]:
    first, again = (_in_new_process("start", folder, model, cache) for _ in range(2))
    return {"first": first, "again": again, **_in_new_process("compile", folder, model)}


def _write(name: str, path: str) -> dict[str, Any]:
    from benchmarks.workloads import WORKLOADS, Unavailable

    try:
        Path(path).write_bytes(WORKLOADS[name].make().SerializeToString())
    except Unavailable as missing:
        return {"problem": str(missing)}
    return {}


def _compile(model: str) -> dict[str, Any]:
    from benchmarks.compilation import compile_once

    return compile_once(model)


_STEPS = {"write": _write, "compile": _compile, "start": start}
"""What a process of its own does, and prints as JSON."""


def _in_new_process(step: str, folder: str, *arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.compile", _STEP, step, *arguments]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = f"{folder}/bytecode"
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
    headings = ("import", "load", "passes", "emit", "llvm")
    table = Table(title="Processor seconds of compiling, cold, and memory in MB")
    table.add_column("model", no_wrap=True)
    for heading in (*headings, "first", "wall", "again", "IR text", "code", "peak", "weights", "arena"):
        table.add_column(heading, justify="right")
    for name, one in found.items():
        if "problem" in one:
            console.print(f"{name}: {one['problem']}")
            continue
        sizes = [one[k] / 1e6 for k in ("text_bytes", "code_bytes")]
        sizes += [one["first"]["peak_bytes"] / 1e6, *(one[k] / 1e6 for k in ("weight_bytes", "arena_bytes"))]
        table.add_row(
            name,
            *(f"{one['stages'][heading]['cpu']:.2f}" for heading in headings),
            *(
                f"{seconds:.2f}"
                for seconds in (one["first"]["cpu"], one["first"]["wall"], one["again"]["cpu"])
            ),
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
