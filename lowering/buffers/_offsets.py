"""Placing buffers of known size and lifetime into one arena.

Greedy by size with best fit (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference",
2020): the largest buffer first, each into the smallest gap between the buffers that are in use at the same
time. A second order, by the time of the first use, is tried as well, and the better plan is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

ALIGNMENT = 64


@dataclass(frozen=True)
class Request:
    """A buffer to place: its bytes, and its first and last time of use (inclusive)."""

    size: int
    first: int
    last: int

    @property
    def room(self) -> int:
        """The bytes it takes, a multiple of the alignment."""
        return -(-self.size // ALIGNMENT) * ALIGNMENT


@dataclass(frozen=True)
class Plan:
    """Offsets of the buffers, in the order of the requests, and the bytes of the whole arena."""

    offsets: tuple[int, ...]
    total: int


def plan_offsets(requests: Sequence[Request]) -> Plan:
    """Offsets such that buffers in use at the same time do not overlap. All are multiples of 64."""
    numbers = range(len(requests))
    by_size = sorted(numbers, key=lambda n: (-requests[n].room, requests[n].first))
    by_time = sorted(numbers, key=lambda n: (requests[n].first, -requests[n].room))
    plans = [_place(requests, order) for order in (by_size, by_time)]
    return min(plans, key=lambda plan: plan.total)


def _place(requests: Sequence[Request], order: Sequence[int]) -> Plan:
    """Place in the given order. Each step compares against all placed buffers, in NumPy."""
    offsets = [0] * len(requests)
    count = len(requests)
    first, last = np.empty(count, np.int64), np.empty(count, np.int64)
    low, high = np.empty(count, np.int64), np.empty(count, np.int64)
    placed = 0
    for number in order:
        request = requests[number]
        if request.room == 0:
            continue
        active = (first[:placed] <= request.last) & (last[:placed] >= request.first)
        offset = _best_gap(low[:placed][active], high[:placed][active], request.room)
        offsets[number] = offset
        first[placed], last[placed] = request.first, request.last
        low[placed], high[placed] = offset, offset + request.room
        placed += 1
    return Plan(tuple(offsets), int(high[:placed].max()) if placed else 0)


def _best_gap(low: np.ndarray, high: np.ndarray, room: int) -> int:
    """The start of the smallest gap of at least ``room`` bytes, or the end of what is taken."""
    if not low.size:
        return 0
    order = np.argsort(low, kind="stable")
    taken_until = np.maximum.accumulate(high[order])
    starts = np.concatenate(([0], taken_until[:-1]))
    gaps = low[order] - starts
    fitting = np.flatnonzero(gaps >= room)
    if fitting.size:
        return int(starts[fitting[np.argmin(gaps[fitting])]])
    return int(taken_until[-1])


def lower_bound(requests: Sequence[Request]) -> int:
    """The most bytes that are in use at one time: no plan can be smaller."""
    events: list[tuple[int, int]] = []
    for request in requests:
        if request.first > request.last:
            continue  # never in use
        events.append((request.first, request.room))
        events.append((request.last + 1, -request.room))
    most = current = 0
    for _, change in sorted(events):
        current += change
        most = max(most, current)
    return most
