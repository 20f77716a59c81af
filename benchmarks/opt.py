"""How long ``lamina-opt`` takes to read, verify and print text, beside ``xdsl-opt`` and ``mlir-opt``.

    python -m benchmarks.opt [--sizes 0,1000,10000] [--rounds 3] [--passes canonicalize,cse] [--constants 100]
                             [--docs docs/performance.md]

Seconds are user and system time of whole processes, the median of rounds in which the tools take turns.
``x xdsl`` is xdsl-opt's time divided by lamina-opt's, start-up included; ``less start`` the same with each
tool's time for an empty module taken off; ``x smaller`` lamina-opt's time divided by its own for the next
smaller size. A tool that needs longer than a minute is left out of larger sizes.
"""

from __future__ import annotations

import argparse
import compileall
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import lamina
from benchmarks.pages import check_page, markdown_table, publish
from benchmarks.programs import CONSTANTS, KINDS

_LIMIT_S = 60.0
_PART = "text"
"""The part of the documentation's page."""


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


class Bench:
    """Times the tools side by side and prints a line for each program."""

    def __init__(self, passes: str, rounds: int, folder: Path) -> None:
        self.tools = commands(passes)
        self._rounds = rounds
        self._file = folder / "module.mlir"
        self._slow: set[tuple[str, str]] = set()
        self._smaller: dict[str, float] = {}
        self.rows: list[tuple[str, ...]] = []
        """What was found, as it stands in the table of the documentation."""

    def head(self) -> tuple[str, ...]:
        """The head of that table."""
        return ("module", "size", *self.tools, "x xdsl-opt")

    def title(self) -> str:
        """The names of the columns."""
        names = " ".join(f"{name:>11}" for name in self.tools)
        return f"{'module':20} {'size':>7} {names} {'x xdsl':>9} {'x smaller':>9}"

    def row(self, kind: str, size: int, text: str) -> str:
        """Time all tools on a program."""
        self._file.write_text(text)
        times: dict[str, list[float]] = {}
        for _ in range(self._rounds):
            for name, command in self.tools.items():
                if (name, kind) not in self._slow:
                    times.setdefault(name, []).append(seconds(command, self._file))
        medians = {name: statistics.median(found) for name, found in times.items()}
        self._slow |= {(name, kind) for name, median in medians.items() if median > _LIMIT_S}
        ours, theirs = medians.get("lamina-opt"), medians.get("xdsl-opt")
        ratio = f"{theirs / ours:.2f}" if ours and theirs else "-"
        before = self._smaller.get(kind)
        growth = f"{ours / before:.1f}" if ours and before else "-"
        if ours:
            self._smaller[kind] = ours
        cells = [f"{medians[n]:.2f}" if n in medians else "-" for n in self.tools]
        self.rows.append((kind, f"{size:,}", *cells, ratio))
        return f"{kind:20} {size:7} {' '.join(f'{cell:>11}' for cell in cells)} {ratio:>9} {growth:>9}"


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--sizes", default="0,1000,10000", help="numbers of operations (0: an empty module)")
    parser.add_argument("--constants", default="", help="sizes of constants in MiB")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--passes", default="", help="passes to run, separated by commas")
    parser.add_argument("--docs", type=Path, help="write the table into this page, too")
    options = parser.parse_args(arguments)
    if options.docs:
        check_page(options.docs, _PART)
    # As an installation does, and as xDSL's was: a run is not to compile Python where the environment
    # keeps it from writing what it compiled.
    for folder in lamina.__path__:
        compileall.compile_dir(folder, quiet=2)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.passes, options.rounds, Path(folder))
        print(bench.title())
        for size in map(int, options.sizes.split(",")):
            for kind, generate in KINDS.items() if size else [("empty", lambda _: "module {\n}\n")]:
                print(bench.row(kind, size, generate(size)), flush=True)
        for size in map(int, filter(None, options.constants.split(","))):
            for kind, generate in CONSTANTS.items():
                print(bench.row(kind, size, generate(size)), flush=True)
    if options.docs:
        publish(options.docs, _PART, markdown_table(bench.head(), bench.rows))


if __name__ == "__main__":
    main()
