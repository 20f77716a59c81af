"""One row of the benchmark: make the cells, check their results, time the right ones."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.cost import Cost, cost_of
from benchmarks.limits import Clock
from benchmarks.measure import Ratio, Timing, measure, ratio
from benchmarks.cell import Cell
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
        own = self.timings.get("lamina")
        peers = {name: t for name, t in self.timings.items() if name != "lamina"}
        if own is None or not peers:
            return None
        best = min(peers, key=lambda name: peers[name].median)
        return ratio(own, peers[best], best)


def run_workload(
    workload: Workload,
    peers: Sequence[str],
    thread_counts: Sequence[int | None],
    rounds: int,
    clock: Clock = time.perf_counter,
) -> list[Row]:
    """The rows of a workload, one for each number of threads; all their cells are interleaved."""
    rows = {threads: Row(workload.name, threads) for threads in thread_counts}
    try:
        model = workload.make()
    except Unavailable as missing:
        for row in rows.values():
            row.problems["model"] = str(missing)
        return list(rows.values())
    inputs = input_arrays(model)
    expected = _reference(model, inputs)
    cells: list[Cell] = []
    for row in rows.values():
        row.cost = cost_of(model)
        for peer in peers:
            cell = _right_cell(workload, model, inputs, expected, peer, row)
            cells += [cell] if cell is not None else []
    timings = measure(cells, rounds, clock) if cells else {}
    for cell in cells:
        rows[cell.threads].timings[cell.peer] = timings[cell.name]
    return list(rows.values())


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
        row.problems[peer] = f"fails: {failure}".split("\n", 1)[0]
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
