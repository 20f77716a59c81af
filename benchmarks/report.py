"""Tables and JSON of the results."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.limits import Limits
from benchmarks.measure import geometric_mean
from benchmarks.peers import PEERS
from benchmarks.rows import Row
from lamina.tools.doctor import version_of

PACKAGES = ("lamina", "numpy", "onnx", "onnxruntime", "llvmlite", "xdsl")


def machine() -> dict[str, Any]:
    """The processor, its cores and caches, and the versions of what runs."""
    from lamina.lowering.codegen.target import host_target

    target = host_target()
    return {
        "processor": _processor(),
        "cores": target.cores,
        "vector_bits": target.vector_bits,
        "cache_bytes": [target.l1_bytes, target.l2_bytes, target.l3_bytes],
        "python": platform.python_version(),
        "packages": {name: version for name in PACKAGES if (version := version_of(name))},
    }


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    text = information.read_text(encoding="utf-8") if information.exists() else ""
    names = [line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith("model name")]
    return names[0] if names else platform.processor()


def as_json(rows: Sequence[Row], limits: Mapping[int, Limits], cache_bytes: int) -> dict[str, Any]:
    """Everything that was measured."""
    return {
        "machine": machine(),
        "limits": [vars(limit) for limit in limits.values()],
        "rows": [_row_as_json(row, limits, cache_bytes) for row in rows],
    }


def _row_as_json(row: Row, limits: Mapping[int, Limits], cache_bytes: int) -> dict[str, Any]:
    best = row.ratio_to_best()
    return {
        "workload": row.workload,
        "threads": row.threads,
        "cost": vars(row.cost) if row.cost else None,
        "share_of_limit": share_of_limit(row, limits, cache_bytes),
        "ratio_to_best_peer": vars(best) if best else None,
        "seconds": {peer: {"median": t.median, "rounds": t.rounds} for peer, t in row.timings.items()},
        "problems": row.problems,
    }


def share_of_limit(row: Row, limits: Mapping[int, Limits], cache_bytes: int) -> float | None:
    """The least time that the machine allows, over the time that Lamina takes."""
    own = row.timings.get("lamina")
    if own is None or row.cost is None:
        return None
    return row.cost.seconds(limits[row.threads or max(limits)], cache_bytes) / own.median or None


def write_json(path: str, content: Mapping[str, Any]) -> None:
    """Write a JSON file."""
    Path(path).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def print_rows(rows: Sequence[Row], limits: Mapping[int, Limits], cache_bytes: int) -> None:
    """The table of rows and, below it, the limits and the geometric means."""
    from rich.console import Console
    from rich.table import Table

    peers = [peer for peer in PEERS if any(peer in row.timings or peer in row.problems for row in rows)]
    table = Table(title="Median time of a call in ms")
    table.add_column("workload", no_wrap=True)
    table.add_column("threads")
    for heading in (*peers, "x best peer", "95 %", "of limit"):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(*_cells(row, peers, limits, cache_bytes))
    console = Console(width=max(140, Console().width))
    console.print(table)
    for limit in limits.values():
        console.print(
            f"{limit.cores} core(s): {limit.flops / 1e9:.1f} GFLOP/s f32 multiply-adds, "
            f"{limit.bandwidth / 1e9:.1f} GB/s copying"
        )
    for threads in dict.fromkeys(row.threads for row in rows):
        found = [r for row in rows if row.threads == threads and (r := row.ratio_to_best())]
        mean = geometric_mean([r.value for r in found])
        console.print(
            f"threads {_threads(threads)}: {mean:.2f} x the best peer (geometric mean of {len(found)})"
        )
    for row in rows:
        for peer, problem in row.problems.items():
            console.print(f"{row.workload}, {_threads(row.threads)} thread(s), {peer}: {problem}")


def _cells(row: Row, peers: Sequence[str], limits: Mapping[int, Limits], cache_bytes: int) -> list[str]:
    best, share = row.ratio_to_best(), share_of_limit(row, limits, cache_bytes)
    return [
        row.workload,
        _threads(row.threads),
        *(_milliseconds(row, peer) for peer in peers),
        f"{best.value:.2f}" if best else "-",
        f"{best.low:.2f} - {best.high:.2f}" if best else "-",
        f"{share:.0%}" if share else "-",
    ]


def _threads(threads: int | None) -> str:
    return str(threads or "default")


def _milliseconds(row: Row, peer: str) -> str:
    if peer in row.timings:
        return f"{1e3 * row.timings[peer].median:.4g}"
    return row.problems[peer].split(":", 1)[0] if peer in row.problems else "-"
