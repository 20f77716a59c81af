"""One row of the benchmark: make the cells, check their results, time the right ones."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.cell import Cell, reason
from benchmarks.cost import Cost, cost_of
from benchmarks.limits import Clock
from benchmarks.measure import Ratio, Timing, measure, ratio_to_best
from benchmarks.peers import PEERS
from benchmarks.workloads import Unavailable, Workload, input_arrays


@dataclass
class Row:
    """What was found out about a workload with a number of threads."""

    workload: str
    threads: int | None
    cost: Cost | None = None
    timings: dict[str, Timing] = field(default_factory=dict)
    """By runtime; only of cells whose results are right."""
    problems: dict[str, str] = field(default_factory=dict)
    """By runtime: why there is no timing."""

    def ratio_to_best(self) -> Ratio | None:
        """Lamina against the fastest other runtime."""
        return ratio_to_best(self.timings)

    @classmethod
    def read(cls, data: dict[str, Any]) -> Row:
        """From JSON."""
        timings = {name: Timing(rounds) for name, rounds in data.pop("timings").items()}
        cost = data.pop("cost")
        return cls(timings=timings, cost=Cost(**cost) if cost else None, **data)

    def written(self) -> dict[str, Any]:
        """For JSON."""
        timings = {name: t.rounds for name, t in self.timings.items()}
        return {**vars(self), "timings": timings, "cost": vars(self.cost) if self.cost else None}


def run_workload(
    workload: Workload,
    peers: Sequence[str],
    threads: int | None,
    rounds: int,
    clock: Clock = time.perf_counter,
) -> Row:
    """The row of a workload; its cells are interleaved."""
    row = Row(workload.name, threads)
    try:
        model = workload.make()
    except Unavailable as missing:
        row.problems["model"] = str(missing)
        return row
    inputs = input_arrays(model)
    expected = _reference(model, inputs)
    row.cost = cost_of(model)
    found = [_right_cell(workload, model, inputs, expected, peer, row) for peer in peers]
    cells = [cell for cell in found if cell is not None]
    timings = measure(cells, rounds, clock) if cells else {}
    row.timings = {cell.peer: timings[cell.name] for cell in cells}
    return row


def _reference(model: Any, inputs: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """The results by the definition of the operations."""
    import lamina

    found = lamina.interpret(lamina.load(model), *inputs.values())
    return list(found) if isinstance(found, tuple) else [found]


def _right_cell(
    workload: Workload,
    model: Any,
    inputs: Mapping[str, np.ndarray],
    expected: Sequence[np.ndarray],
    peer: str,
    row: Row,
) -> Cell | None:
    """A cell that gives right results, or None with the reason in the row."""
    if peer == "numpy" and workload.in_numpy is None:
        return None
    try:
        cell = PEERS[peer](workload, model, inputs, row.threads)
        with cell.around():
            cell.call()
    except ImportError as missing:
        row.problems[peer] = f"{missing.name} is not installed"
        return None
    except Exception as failure:  # whatever a runtime raises, the other cells go on
        row.problems[peer] = reason(failure)
        return None
    wrong = difference(cell.results(), expected)
    if wrong <= workload.tolerance:
        return cell
    row.problems[peer] = f"wrong: differs by {wrong:.1e} of the largest value"
    return None


def difference(results: Sequence[np.ndarray], expected: Sequence[np.ndarray]) -> float:
    """The largest difference, relative to the largest magnitude of each result; infinite for other shapes."""
    worst = 0.0
    for result, right in zip(results, expected, strict=True):
        if result.shape != right.shape or not np.array_equal(np.isnan(result), np.isnan(right)):
            return float("inf")
        scale = float(np.nanmax(np.abs(right), initial=0.0)) or 1.0
        worst = max(worst, float(np.nanmax(np.abs(result - right), initial=0.0)) / scale)
    return worst
