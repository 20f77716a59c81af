"""Tables and JSON of the results."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.cost import Cost
from benchmarks.limits import Limits, highest
from benchmarks.machine import limits_text, machine_text
from benchmarks.measure import Timing, geometric_mean
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
    """All rows, what the machine can do, and how they were measured."""

    rows: Sequence[Row]
    limits: Mapping[int, Limits]
    """By number of cores."""
    machine: Mapping[str, Any]
    """As `benchmarks.machine.machine` describes it."""
    commands: Sequence[str] = ()

    @property
    def cores(self) -> int:
        """The cores that a row with the default number of threads has."""
        return self.machine["cores"]

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Report:
        """From JSON."""
        limits = {limit["cores"]: Limits(**limit) for limit in data["limits"]}
        return cls([_row_of(row) for row in data["rows"]], limits, data["machine"], data["commands"])

    def written(self) -> dict[str, Any]:
        """For JSON: everything that was measured."""
        return {
            "commands": list(self.commands),
            "machine": self.machine,
            "limits": [vars(limit) for limit in self.limits.values()],
            "rows": [_row_as_json(row, self) for row in self.rows],
        }

    def peers(self) -> list[str]:
        """The runtimes that ran, in the order of the table."""
        ran = {peer for row in self.rows for peer in (*row.timings, *row.problems)}
        return [peer for peer in PEERS if peer in ran]

    def share_of_limit(self, row: Row) -> float | None:
        """The least time that the machine allows, over the time that Lamina takes."""
        own = row.timings.get("lamina")
        if own is None or row.cost is None:
            return None
        return (
            row.cost.seconds(self.limits[row.threads or self.cores], self.machine["cache_bytes"][-1])
            / own.median
            or None
        )

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


def combined(reports: Sequence[Report]) -> Report:
    """One report of runs on one machine: their rows, and the highest limits that any of them saw.

    :raises SystemExit: if the machines or the versions of what ran differ
    """
    first = reports[0]
    if any(report.machine != first.machine for report in reports):
        raise SystemExit("the runs are of different machines, or of different versions of what ran on them")
    seen = [limit for report in reports for limit in report.limits.values()]
    return Report(
        [row for report in reports for row in report.rows],
        {cores: highest([limit for limit in seen if limit.cores == cores]) for cores in first.limits},
        first.machine,
        [command for report in reports for command in report.commands],
    )


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


def _row_of(data: Mapping[str, Any]) -> Row:
    timings = {peer: Timing(seconds["rounds"]) for peer, seconds in data["seconds"].items()}
    cost = Cost(**data["cost"]) if data["cost"] else None
    return Row(data["workload"], data["threads"], cost, timings, dict(data["problems"]))


def write_json(path: str, content: Mapping[str, Any]) -> None:
    """Write a JSON file; one that is there is replaced as a whole."""
    unfinished = Path(f"{path}.part")
    unfinished.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    unfinished.replace(path)


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


def markdown(report: Report) -> str:
    """The part of a page: the commands, the machine, the table and what is below it."""
    titles = [f"{TITLES[peer]} (ms)" for peer in report.peers()]
    head = ["workload", "threads", *titles, "x best peer", "95 % interval", "of limit"]
    below = "\n".join(f"* {line}" for line in (*report.means(), *report.problems()))
    limits = "; ".join(limits_text(report.limits.values()))
    table = markdown_table(head, map(report.cells, report.rows))
    commands = "\n".join(report.commands)
    return f"```\n{commands}\n```\n\n{machine_text(report.machine)}\n{limits}.\n\n{table}\n\n{below}"
