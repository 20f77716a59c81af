"""Interleaved timing: in each round every cell runs in turn, so that ratios compare neighbours in time."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.cell import Cell
from benchmarks.limits import Clock

_ROUND_SECONDS = 0.05
"""How long a cell runs in a round, at least three batches of one call."""
_BATCH_SECONDS = 0.0005
"""How long a batch of calls between two looks at the clock takes, at least one call."""
_RESAMPLES = 2000


@dataclass(frozen=True)
class Timing:
    """Seconds of a call, one value for each round."""

    rounds: list[float]

    @property
    def median(self) -> float:
        """The median of the rounds."""
        return statistics.median(self.rounds)


@dataclass(frozen=True)
class Ratio:
    """How many times as fast as a peer: above 1 the peer is slower."""

    peer: str
    value: float
    low: float
    high: float
    """Bounds of the 95 % interval of the median, from resampled rounds."""


def measure(cells: Sequence[Cell], rounds: int, clock: Clock = time.perf_counter) -> dict[str, Timing]:
    """Time cells in rounds; the order within a round changes from round to round.

    The time of a round is the median of short batches of calls, so a moment in which another process runs
    does not count.
    """
    sizes = {cell.name: _batches(cell) for cell in cells}
    seconds: dict[str, list[float]] = {cell.name: [] for cell in cells}
    for number in range(rounds):
        shift = number % len(cells)
        for cell in [*cells[shift:], *cells[:shift]]:
            seconds[cell.name].append(_time(cell, *sizes[cell.name], clock))
    return {name: Timing(values) for name, values in seconds.items()}


def ratio(own: Timing, peer: Timing, name: str) -> Ratio:
    """The median of the per-round ratios, with its interval."""
    ratios = np.array([theirs / ours for ours, theirs in zip(own.rounds, peer.rounds, strict=True)])
    random = np.random.default_rng(0)
    drawn = random.choice(ratios, (_RESAMPLES, len(ratios)))
    low, high = np.percentile(np.median(drawn, axis=1), (2.5, 97.5))
    return Ratio(name, float(np.median(ratios)), float(low), float(high))


def ratio_to_best(timings: Mapping[str, Timing]) -> Ratio | None:
    """Lamina against the fastest other runtime, of timings by runtime."""
    own = timings.get("lamina")
    peers = {name: t for name, t in timings.items() if name != "lamina"}
    if own is None or not peers:
        return None
    best = min(peers, key=lambda name: peers[name].median)
    return ratio(own, peers[best], best)


def geometric_mean(values: Sequence[float]) -> float:
    """The geometric mean; of nothing it is NaN."""
    return math.exp(statistics.fmean(map(math.log, values))) if values else math.nan


def _batches(cell: Cell) -> tuple[int, int]:
    """The number of batches in a round and of calls in a batch; found by warm calls."""
    once = max(1e-7, _time(cell, 3, 1, time.perf_counter))
    calls = max(1, round(_BATCH_SECONDS / once))
    return max(3, round(_ROUND_SECONDS / (once * calls))), calls


def _time(cell: Cell, batches: int, calls: int, clock: Clock) -> float:
    """Seconds of one call, as the median of batches; one more call goes before, which is not counted."""
    call, taken = cell.call, []
    with cell.around():
        call()
        for _ in range(batches):
            started = clock()
            for _ in range(calls):
                call()
            taken.append((clock() - started) / calls)
    return statistics.median(taken)
