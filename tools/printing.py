"""Instrumentation of pass runs for people: IR dumps, timing and statistics, all on stderr or in files."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import LaminaError, Location, error
from lamina.dialects.core.text import to_text
from lamina.passes.framework.manager import Instrumentation
from lamina.passes.framework.passes import Pass
from lamina.passes.framework.timing import TimePasses

ELIDE_IN_DUMPS = 64
"""Constants of more elements are left out of dumps unless the user says otherwise."""


class PrintIR(Instrumentation):
    """Prints the IR before or after passes to stderr, or writes each state to a numbered file."""

    def __init__(self, before: bool, after: bool, folder: str | None, elide: int | None) -> None:
        self._before = before
        self._after = after
        self._folder = Path(folder) if folder else None
        self._elide = ELIDE_IN_DUMPS if elide is None else elide
        self._number = 0

    def before(self, pass_: Pass, op: Operation) -> None:
        if self._before:
            self._show(f"IR Dump Before {pass_.name}", op)

    def after(self, pass_: Pass, op: Operation) -> None:
        if self._after:
            self._show(f"IR Dump After {pass_.name}", op)
        if self._folder:
            self._write(pass_, op)

    def failed(self, pass_: Pass, op: Operation, problem: LaminaError) -> None:
        if self._after or self._before:
            self._show(f"IR Dump After {pass_.name} Failed", op)

    def _show(self, title: str, op: Operation) -> None:
        print(f"// -----// {title} //----- //\n{to_text(op, elide=self._elide)}", file=sys.stderr)

    def _write(self, pass_: Pass, op: Operation) -> None:
        assert self._folder is not None
        path = self._folder / f"{self._number:03d}-{pass_.name}.mlir"
        self._number += 1
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            path.write_text(f"// after {pass_.text()}\n{to_text(op, elide=self._elide)}", encoding="utf-8")
        except OSError as problem:
            raise error(f"cannot be written: {problem.strerror}", Location(str(path))) from problem


def print_timing(timing: TimePasses) -> None:
    """The table of ``--mlir-timing``."""
    total = sum(timing.seconds.values()) or 1e-9
    print(f"===- Pass execution timing report: {total:.4f} seconds -===", file=sys.stderr)
    for name, seconds in sorted(timing.seconds.items(), key=lambda item: -item[1]):
        print(f"  {seconds:9.4f} ({100 * seconds / total:5.1f} %)  {name}", file=sys.stderr)


def print_statistics(statistics: dict[str, Counter[str]]) -> None:
    """The table of ``--mlir-pass-statistics``."""
    print("===- Pass statistics report -===", file=sys.stderr)
    for name, counters in statistics.items():
        print(name, file=sys.stderr)
        for statistic, value in sorted(counters.items()):
            print(f"  (S) {value:8d} {statistic}", file=sys.stderr)
