"""Speed of training steps (forward, backward, update) beside other runtimes.

    python -m benchmarks.training [EXAMPLE …] [--rounds 8] [--threads 1 2] [--peers NAME …] [--json FILE]
                                  [--docs docs/performance.md]

Each number of threads has a process of its own, on as many cores: not every runtime can change it later. In a
round every runtime runs in turn. The first losses have to be those of the definition of the operations.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cell import Cell, reason
from benchmarks.limits import Clock
from benchmarks.machine import machine, machine_text
from benchmarks.measure import Ratio, Timing, measure, ratio, ratio_to_best
from benchmarks.pages import check_page, markdown_table, publish
from benchmarks.processes import answer, ask, keep_to
from benchmarks.report import TITLES, write_json
from benchmarks.trainers import RUNTIMES, Step, installed
from benchmarks.training_models import EXAMPLES, RATE, Example

CHECKED_STEPS = 3
TOLERANCE = 1e-3
"""Relative, of the losses of the first steps."""
PART = "training"
"""The name of the generated part of the page."""


@dataclass
class TrainingRow:
    """An example with a number of threads."""

    example: str
    threads: int
    timings: dict[str, Timing] = field(default_factory=dict)
    built: dict[str, float] = field(default_factory=dict)
    """Seconds until the first step is done, by runtime."""
    problems: dict[str, str] = field(default_factory=dict)

    def ratios(self) -> dict[str, Ratio]:
        """How many times as fast Lamina is as each other runtime."""
        own = self.timings.get("lamina")
        others = {name: t for name, t in self.timings.items() if name != "lamina"}
        return {name: ratio(own, theirs, name) for name, theirs in others.items()} if own else {}

    @classmethod
    def read(cls, data: dict[str, Any]) -> TrainingRow:
        """From JSON."""
        timings = {name: Timing(rounds) for name, rounds in data.pop("timings").items()}
        return cls(timings=timings, **data)

    def written(self) -> dict[str, Any]:
        """For JSON."""
        return {**vars(self), "timings": {name: t.rounds for name, t in self.timings.items()}}


def reference(example: Example) -> list[float]:
    """The losses of the first steps, by the definition of the operations and gradients, in NumPy."""
    import lamina

    module = lamina.parse(example.text())
    count = len(example.shapes)
    name = lamina.value_and_grad(module, "loss", range(count))
    weights, losses = example.weights(), []
    for _ in range(CHECKED_STEPS):
        loss, *gradients = lamina.interpret(module, *weights, *example.batch(), entry=name)
        losses.append(float(loss))
        weights = [w - np.float32(RATE) * g for w, g in zip(weights, gradients, strict=True)]
    return losses


def run_example(
    example: Example,
    peers: Sequence[str],
    threads: int,
    rounds: int,
    clock: Clock = time.perf_counter,
) -> TrainingRow:
    """One row: make the steps, check their losses, time the right ones in turn."""
    row, cells = TrainingRow(example.name, threads), []
    wanted = reference(example)
    for peer in peers:
        try:
            step, losses = _built(example, peer, row)
        except Exception as failure:  # whatever a runtime raises, the others go on
            row.problems[peer] = reason(failure)
            continue
        wrong = max(abs(a - b) / b for a, b in zip(losses, wanted, strict=True))
        if wrong <= TOLERANCE:
            cells.append(Cell(peer, threads, step, lambda: []))
        else:
            row.problems[peer] = f"wrong: the first losses differ by {wrong:.1e}"
    timings = measure(cells, rounds, clock) if cells else {}
    row.timings = {cell.peer: timings[cell.name] for cell in cells}
    return row


def _built(example: Example, peer: str, row: TrainingRow) -> tuple[Step, list[float]]:
    started = time.perf_counter()
    step = RUNTIMES[peer](example, row.threads)
    losses = [float(step())]
    row.built[peer] = time.perf_counter() - started
    return step, losses + [float(step()) for _ in range(CHECKED_STEPS - 1)]


def print_rows(rows: Sequence[TrainingRow]) -> None:
    """A table of medians, and what Lamina's are beside them."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title="One training step")
    for heading in ("example", "threads", "runtime", "ms", "built in s", "x Lamina's time", "95 %"):
        table.add_column(heading, justify="left" if heading in ("example", "runtime") else "right")
    for row in rows:
        ratios = row.ratios()
        for peer, timing in row.timings.items():
            found = ratios.get(peer)
            interval = f"{found.low:.2f} - {found.high:.2f}" if found else "-"
            share = f"{found.value:.2f}" if found else "-"
            times = f"{1e3 * timing.median:.4g}", f"{row.built[peer]:.2f}"
            table.add_row(row.example, str(row.threads), peer, *times, share, interval)
        for peer, problem in row.problems.items():
            table.add_row(row.example, str(row.threads), peer, problem, "-", "-", "-")
    Console(width=110).print(table)


def markdown(rows: Sequence[TrainingRow], command: str) -> str:
    """The part of a page: the command, the machine, and the table."""
    ran = {peer for row in rows for peer in (*row.timings, *row.problems)}
    peers = [peer for peer in RUNTIMES if peer in ran]
    head = ["step", "threads", *(f"{TITLES[peer]} (ms)" for peer in peers), "x best peer", "95 % interval"]
    lines = []
    for row in rows:
        best = ratio_to_best(row.timings)
        times = [f"{1e3 * row.timings[peer].median:.4g}" if peer in row.timings else "-" for peer in peers]
        shares = [f"{best.value:.2f}", f"{best.low:.2f} - {best.high:.2f}"] if best else ["-", "-"]
        lines.append([row.example, row.threads, *times, *shares])
    below = [f"* {_built_text(row, peers)}" for row in rows]
    below += [f"* {row.example}, {peer}: {problem}" for row in rows for peer, problem in row.problems.items()]
    parts = f"```\n{command}\n```", machine_text(machine()), markdown_table(head, lines), "\n".join(below)
    return "\n\n".join(parts)


def _built_text(row: TrainingRow, peers: Sequence[str]) -> str:
    seconds = [f"{TITLES[peer]} {row.built[peer]:.1f} s" for peer in peers if peer in row.built]
    return f"{row.example}, {row.threads} thread(s), until the first step is done: {', '.join(seconds)}"


def _in_process(arguments: argparse.Namespace, threads: int) -> list[TrainingRow]:
    """The rows of a number of threads, from a process on as many cores."""
    command = [*arguments.examples, "--within", str(threads), "--rounds", str(arguments.rounds)]
    command += ["--peers", *arguments.peers, *(["--cpu-time"] if arguments.cpu_time else [])]
    return [TrainingRow.read(data) for data in ask("benchmarks.training", command, threads)]


def build_parser() -> argparse.ArgumentParser:
    """The options of the command."""
    parser = argparse.ArgumentParser("python -m benchmarks.training", description="Speed of training steps.")
    cores = len(os.sched_getaffinity(0))
    parser.add_argument("examples", nargs="*", metavar="EXAMPLE", help=f"of {', '.join(EXAMPLES)}")
    parser.add_argument("--rounds", type=int, default=8, help="rounds in which runtimes take turns")
    parser.add_argument("--threads", nargs="+", type=int, default=sorted({1, min(2, cores)}), help="counts")
    parser.add_argument("--peers", nargs="+", choices=list(RUNTIMES), default=installed(), help="runtimes")
    parser.add_argument(
        "--cpu-time", action="store_true", help="processor time (of one thread) instead of wall-clock time"
    )
    parser.add_argument("--json", metavar="FILE", help="write everything that was measured")
    parser.add_argument("--docs", type=Path, metavar="PAGE", help=f"write the part '{PART}' of a page")
    parser.add_argument("--within", type=int, help=argparse.SUPPRESS)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark; the status is 1 where a result of Lamina's is wrong or missing."""
    given = sys.argv[1:] if argv is None else argv
    arguments = build_parser().parse_args(given)
    unknown = set(arguments.examples) - set(EXAMPLES)
    if unknown:
        raise SystemExit(f"there is no example {min(unknown)}; examples are: {', '.join(EXAMPLES)}")
    if arguments.within:
        keep_to(arguments.within)
        chosen = [EXAMPLES[name] for name in arguments.examples or EXAMPLES]
        clock = time.process_time if arguments.cpu_time else time.perf_counter
        found = [run_example(e, arguments.peers, arguments.within, arguments.rounds, clock) for e in chosen]
        answer([row.written() for row in found])
        return 0
    if arguments.cpu_time and arguments.threads != [1]:
        raise SystemExit("--cpu-time goes with --threads 1: processor time adds up over threads")
    if arguments.docs:
        check_page(arguments.docs, PART)
    rows = [row for threads in arguments.threads for row in _in_process(arguments, threads)]
    print_rows(rows)
    if arguments.json:
        write_json(arguments.json, {"machine": machine(), "rows": [row.written() for row in rows]})
    if arguments.docs:
        command = f"python -m benchmarks.training {shlex.join(given)}".rstrip()
        publish(arguments.docs, PART, markdown(rows, command))
    return 1 if any("lamina" in row.problems for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
