"""Instrumentation of pass runs for people: IR dumps, timing and statistics, all on stderr or in files."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import LaminaError, Location, error
from lamina.dialects.core.text import to_text
from lamina.passes.framework.manager import Instrumentation
from lamina.passes.framework.passes import Pass
from lamina.passes.framework.timing import TimePasses
from lamina.tools.console import say
from lamina.tools.output import write_text

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
        say(f"// -----// {title} //----- //\n{to_text(op, elide=self._elide)}")

    def _write(self, pass_: Pass, op: Operation) -> None:
        assert self._folder is not None
        path = self._folder / f"{self._number:03d}-{pass_.name}.mlir"
        self._number += 1
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise error(f"cannot be made: {problem.strerror}", Location(str(self._folder))) from problem
        write_text(str(path), f"// after {pass_.text()}\n{to_text(op, elide=self._elide)}")


class Watching:
    """What is recorded while passes run, on all parts of the input, and shown at the end."""

    def __init__(self, *, timing: bool = False, statistics: bool = False) -> None:
        self._timing = TimePasses() if timing else None
        self._show_statistics = statistics
        self.statistics: dict[str, Counter[str]] = {}
        self.instrumentation: list[Instrumentation] = [self._timing] if self._timing else []

    @classmethod
    def of(cls, args: argparse.Namespace) -> Watching:
        """What the options of ``lamina-opt`` ask for."""
        made = cls(timing=args.mlir_timing, statistics=args.mlir_pass_statistics)
        if args.mlir_print_ir_before_all or args.mlir_print_ir_after_all or args.mlir_print_ir_tree_dir:
            made.instrumentation.append(
                PrintIR(
                    args.mlir_print_ir_before_all,
                    args.mlir_print_ir_after_all,
                    args.mlir_print_ir_tree_dir,
                    args.mlir_elide_elementsattrs_if_larger,
                )
            )
        return made

    def finish(self) -> None:
        """Show the tables that were asked for."""
        if self._timing:
            say(timing_text(self._timing.seconds))
        if self._show_statistics:
            say(statistics_text(self.statistics))


def timing_text(seconds: dict[str, float]) -> str:
    """The table of ``--mlir-timing``, the slowest pass first."""
    total = sum(seconds.values()) or 1e-9
    lines = [f"===- Pass execution timing report: {total:.4f} seconds -==="]
    for name, taken in sorted(seconds.items(), key=lambda item: -item[1]):
        lines.append(f"  {taken:9.4f} ({100 * taken / total:5.1f} %)  {name}")
    return "\n".join(lines)


def statistics_text(statistics: dict[str, Counter[str]]) -> str:
    """The table of ``--mlir-pass-statistics``."""
    lines = ["===- Pass statistics report -==="]
    for name, counters in statistics.items():
        lines.append(name)
        lines += [f"  (S) {value:8d} {statistic}" for statistic, value in sorted(counters.items())]
    return "\n".join(lines)
