"""Speed of compiled models beside other runtimes and the machine's limits.

    python -m benchmarks.run [ROW …] [--rounds 8] [--threads 1 default] [--json FILE]

A ROW is a name or the beginning of names. A result that is wrong is reported as wrong and not timed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from benchmarks.limits import measure_limits
from benchmarks.peers import PEERS
from benchmarks.report import as_json, print_rows, write_json
from benchmarks.rows import run_workload
from benchmarks.workloads import WORKLOADS, Workload
from lamina.lowering.codegen.target import host_target


def build_parser() -> argparse.ArgumentParser:
    """The options of the command."""
    parser = argparse.ArgumentParser("python -m benchmarks.run", description="Speed of compiled models.")
    add = parser.add_argument
    add("rows", nargs="*", metavar="ROW", help=f"names or beginnings of names of {', '.join(WORKLOADS)}")
    add("--rounds", type=int, default=8, help="rounds in which the runtimes take turns (default: 8)")
    add("--threads", nargs="+", default=["1", "default"], choices=["1", "default"], help="numbers of threads")
    add("--peers", nargs="+", default=list(PEERS), choices=list(PEERS), help="which runtimes to run")
    add("--cpu-time", action="store_true", help="processor time (of one thread) instead of wall-clock time")
    add("--json", metavar="FILE", help="write everything that was measured")
    return parser


def chosen_workloads(names: Sequence[str]) -> list[Workload]:
    """The workloads whose names begin with one of those given; all if none is."""
    if not names:
        return list(WORKLOADS.values())
    unknown = [name for name in names if not any(known.startswith(name) for known in WORKLOADS)]
    if unknown:
        raise SystemExit(f"no row begins with {', '.join(unknown)}; rows are: {', '.join(WORKLOADS)}")
    return [row for known, row in WORKLOADS.items() if any(known.startswith(name) for name in names)]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark; the status is 1 where a result of Lamina's is wrong or missing."""
    args = build_parser().parse_args(argv)
    workloads = chosen_workloads(args.rows)
    threads = [None if text == "default" else int(text) for text in args.threads]
    if args.cpu_time and threads != [1]:
        raise SystemExit("--cpu-time goes with --threads 1: processor time adds up over threads")
    clock = time.process_time if args.cpu_time else time.perf_counter
    target = host_target()
    counts = (1,) if threads == [1] else (1, target.cores)
    limits = {cores: measure_limits(cores, clock) for cores in dict.fromkeys(counts)}
    rows = []
    for workload in workloads:
        print(f"{workload.name} …", file=sys.stderr, flush=True)
        rows += run_workload(workload, args.peers, threads, max(1, args.rounds), clock)
    print_rows(rows, limits, target.l3_bytes)
    if args.json:
        write_json(args.json, as_json(rows, limits, target.l3_bytes))
    return 1 if any("lamina" in row.problems for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
