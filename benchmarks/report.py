"""Tables and JSON of the results."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.limits import Limits
from benchmarks.machine import limits_text, machine, machine_text
from benchmarks.measure import geometric_mean
from benchmarks.pages import markdown_table
from benchmarks.peers import PEERS
from benchmarks.rows import Row

TITLES = {
    "lamina": "Lamina",
    "onnxruntime": "ONNX Runtime",
    "openvino": "OpenVINO",
    "numpy": "NumPy",
    "torch": "PyTorch",
    "torch.compile": "`torch.compile`",
    "jax.jit": "`jax.jit`",
    "litert": "LiteRT",
    "iree": "IREE",
}
"""How pages name a runtime."""


@dataclass(frozen=True)
class Report:
    """All rows, and what the machine can do."""

    rows: Sequence[Row]
    limits: Mapping[int, Limits]
    """By number of cores."""
    cores: int
    cache_bytes: int

    def peers(self) -> list[str]:
        """The runtimes that ran, in the order of the table."""
        ran = {peer for row in self.rows for peer in (*row.timings, *row.problems)}
        return [peer for peer in PEERS if peer in ran]

    def share_of_limit(self, row: Row) -> float | None:
        """The least time that the machine allows, over the time that Lamina takes."""
        own = row.timings.get("lamina")
        if own is None or row.cost is None:
            return None
        return row.cost.seconds(self.limits[row.threads or self.cores], self.cache_bytes) / own.median or None

    def cells(self, row: Row) -> list[str]:
        """A line of the table."""
        best, share = row.ratio_to_best(), self.share_of_limit(row)
        return [
            row.workload,
            threads_text(row.threads),
            *(_milliseconds(row, peer) for peer in self.peers()),
            f"{best.value:.2f}" if best else "-",
            f"{best.low:.2f} - {best.high:.2f}" if best else "-",
            f"{share:.0%}" if share else "-",
        ]

    def means(self) -> list[str]:
        """A line for each number of threads."""
        lines = []
        for threads in dict.fromkeys(row.threads for row in self.rows):
            found = [r for row in self.rows if row.threads == threads and (r := row.ratio_to_best())]
            mean = geometric_mean([r.value for r in found])
            count = f"geometric mean of {len(found)}"
            lines.append(f"threads {threads_text(threads)}: {mean:.2f} x the best peer ({count})")
        return lines

    def problems(self) -> list[str]:
        """A line for each cell without a time."""
        return [
            f"{row.workload}, {threads_text(row.threads)} thread(s), {peer}: {problem}"
            for row in self.rows
            for peer, problem in row.problems.items()
        ]


def threads_text(threads: int | None) -> str:
    """A number, or ``default``."""
    return str(threads or "default")


def _milliseconds(row: Row, peer: str) -> str:
    if peer in row.timings:
        return f"{1e3 * row.timings[peer].median:.4g}"
    return row.problems[peer].split(":", 1)[0] if peer in row.problems else "-"


def as_json(report: Report) -> dict[str, Any]:
    """Everything that was measured."""
    return {
        "machine": machine(),
        "limits": [vars(limit) for limit in report.limits.values()],
        "rows": [_row_as_json(row, report) for row in report.rows],
    }


def _row_as_json(row: Row, report: Report) -> dict[str, Any]:
    best = row.ratio_to_best()
    return {
        "workload": row.workload,
        "threads": row.threads,
        "cost": vars(row.cost) if row.cost else None,
        "share_of_limit": report.share_of_limit(row),
        "ratio_to_best_peer": vars(best) if best else None,
        "seconds": {peer: {"median": t.median, "rounds": t.rounds} for peer, t in row.timings.items()},
        "problems": row.problems,
    }


def write_json(path: str, content: Mapping[str, Any]) -> None:
    """Write a JSON file."""
    Path(path).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def print_rows(report: Report) -> None:
    """The table of rows and, below it, the limits, the geometric means and the problems."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title="Median time of a call in ms")
    table.add_column("workload", no_wrap=True)
    table.add_column("threads")
    headings = (*report.peers(), "x best peer", "95 %", "of limit")
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in report.rows:
        table.add_row(*report.cells(row))
    console = Console(width=max(50 + 14 * len(headings), Console().width))
    console.print(table)
    for line in (*limits_text(report.limits.values()), *report.means(), *report.problems()):
        console.print(line, markup=False)


def markdown(report: Report, command: str) -> str:
    """The part of a page: the command, the machine, the table and what is below it."""
    titles = [f"{TITLES[peer]} (ms)" for peer in report.peers()]
    head = ["workload", "threads", *titles, "x best peer", "95 % interval", "of limit"]
    below = "\n".join(f"* {line}" for line in (*report.means(), *report.problems()))
    limits = "; ".join(limits_text(report.limits.values()))
    table = markdown_table(head, map(report.cells, report.rows))
    return f"```\n{command}\n```\n\n{machine_text()}\n{limits}.\n\n{table}\n\n{below}"
