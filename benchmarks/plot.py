"""A picture of the ratios to the best peer."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.report import threads_text
from benchmarks.rows import Row

_TICKS = (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 20, 50, 100)


def draw(rows: Sequence[Row], path: Path) -> None:
    """Bars by row and number of threads, with their intervals and the name of the best peer, as a PNG."""
    figures: Any = importlib.import_module("matplotlib.figure")
    names = list(dict.fromkeys(row.workload for row in rows))
    counts = list(dict.fromkeys(row.threads for row in rows))
    thickness = 0.8 / max(1, len(counts))
    figure = figures.Figure(figsize=(9, 1.5 + 0.3 * len(names) * max(1, len(counts))), layout="constrained")
    axes = figure.add_subplot(xscale="log", xlabel="time of the best peer / time of Lamina")
    for place, threads in enumerate(counts):
        found = [(row, r) for row in rows if row.threads == threads and (r := row.ratio_to_best())]
        at = [names.index(row.workload) + (place - (len(counts) - 1) / 2) * thickness for row, _ in found]
        lengths = [r.value - 1 for _, r in found]
        spread = [[r.value - r.low for _, r in found], [r.high - r.value for _, r in found]]
        label = f"threads: {threads_text(threads)}"
        axes.barh(at, lengths, thickness, left=1, xerr=spread, label=label, ecolor="gray")
        for y, (_, r) in zip(at, found, strict=True):
            axes.text(max(1.0, r.high), y, f" {r.peer}", fontsize=6, verticalalignment="center")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    shown = axes.get_xlim()
    axes.set_xticks(_TICKS, [f"{tick:g}" for tick in _TICKS])
    axes.set_xticks([], minor=True)
    axes.set_xlim(shown[0], 1.2 * shown[1])  # room for the last name
    figure.legend(loc="outside upper right")
    figure.savefig(path, format="png", dpi=150)
