"""Speed of compiled models beside other runtimes and the machine's limits.

    python -m benchmarks.run [ROW …] [--rounds 8] [--threads 1 default] [--peers NAME …] [--json FILE]
                             [--plot FILE.png] [--docs docs/performance.md]

A ROW is a name or the beginning of names. A result that is wrong is reported as wrong and not timed. Each row
and number of threads has a process of its own, on as many cores; in a round every runtime runs in turn.
`python -m benchmarks.publish FILE …` makes one table of the JSON of several runs.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.limits import measure_limits
from benchmarks.machine import machine
from benchmarks.pages import check_page, publish
from benchmarks.peers import PEERS, installed
from benchmarks.processes import Ended, answer, ask, keep_to
from benchmarks.report import Report, markdown, print_rows, write_json
from benchmarks.rows import Row, run_workload
from benchmarks.workloads import WORKLOADS, Workload

PART = "speed"
"""The name of the generated part of the page."""


def build_parser() -> argparse.ArgumentParser:
    """The options of the command."""
    parser = argparse.ArgumentParser("python -m benchmarks.run", description="Speed of compiled models.")
    add = parser.add_argument
    add("rows", nargs="*", metavar="ROW", help=f"names or beginnings of names of {', '.join(WORKLOADS)}")
    add("--rounds", type=int, default=8, help="rounds in which the runtimes take turns (default: 8)")
    add("--threads", nargs="+", default=["1", "default"], help="numbers of threads, or default")
    add("--peers", nargs="+", default=installed(), choices=list(PEERS), help="which runtimes to run")
    add("--cpu-time", action="store_true", help="processor time (of one thread) instead of wall-clock time")
    add("--json", metavar="FILE", help="write everything that was measured, after each row")
    add("--plot", metavar="FILE", help="draw the ratios to the best peer as a PNG")
    add("--docs", type=Path, metavar="PAGE", help=f"write the table into the part '{PART}' of a page")
    add("--within", help=argparse.SUPPRESS)
    return parser


def chosen_workloads(names: Sequence[str]) -> list[Workload]:
    """The workloads whose names begin with one of those given; all if none is."""
    if not names:
        return list(WORKLOADS.values())
    unknown = [name for name in names if not any(known.startswith(name) for known in WORKLOADS)]
    if unknown:
        raise SystemExit(f"no row begins with {', '.join(unknown)}; rows are: {', '.join(WORKLOADS)}")
    return [row for known, row in WORKLOADS.items() if any(known.startswith(name) for name in names)]


def thread_count(text: str) -> int | None:
    """A number of threads; None stands for the default of each runtime."""
    if text == "default":
        return None
    if not text.isdecimal() or not int(text):
        raise SystemExit(f"{text} is no number of threads")
    return int(text)


def _in_process(arguments: argparse.Namespace, workload: str, threads: int | None) -> Row:
    """A row from a process of its own, which may end as it likes."""
    command = [workload, "--within", str(threads or "default"), "--rounds", str(max(1, arguments.rounds))]
    command += ["--peers", *arguments.peers, *(["--cpu-time"] if arguments.cpu_time else [])]
    try:
        return Row.read(ask("benchmarks.run", command, threads))
    except Ended as failure:
        return Row(workload, threads, problems={"process": str(failure)})


def _run_within(arguments: argparse.Namespace) -> int:
    threads = thread_count(arguments.within)
    if threads is not None:
        keep_to(threads)
    clock = time.process_time if arguments.cpu_time else time.perf_counter
    workload = WORKLOADS[arguments.rows[0]]
    answer(run_workload(workload, arguments.peers, threads, arguments.rounds, clock).written())
    return 0


def _measured(
    arguments: argparse.Namespace, workloads: Sequence[Workload], threads: Sequence[int | None], command: str
) -> Report:
    """The limits of the machine, then row by row; the file of results grows with the rows."""
    clock = time.process_time if arguments.cpu_time else time.perf_counter
    found = machine()
    counts = dict.fromkeys(count or found["cores"] for count in threads)
    report = Report([], {count: measure_limits(count, clock) for count in counts}, found, [command])
    for workload in workloads:
        print(f"{workload.name} …", file=sys.stderr, flush=True)
        rows = [_in_process(arguments, workload.name, count) for count in threads]
        report = replace(report, rows=[*report.rows, *rows])
        if arguments.json:
            write_json(arguments.json, report.written())
    return report


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark; the status is 1 where a result of Lamina's is wrong or missing."""
    given = sys.argv[1:] if argv is None else argv
    args = build_parser().parse_args(given)
    if args.within:
        return _run_within(args)
    workloads = chosen_workloads(args.rows)
    threads = [thread_count(text) for text in args.threads]
    if args.cpu_time and threads != [1]:
        raise SystemExit("--cpu-time goes with --threads 1: processor time adds up over threads")
    if args.docs:
        check_page(args.docs, PART)
    report = _measured(args, workloads, threads, f"python -m benchmarks.run {shlex.join(given)}".rstrip())
    print_rows(report)
    if args.plot:
        from benchmarks.plot import draw

        draw(report.rows, Path(args.plot))
    if args.docs:
        publish(args.docs, PART, markdown(report))
    return 1 if any({"lamina", "process"} & row.problems.keys() for row in report.rows) else 0


if __name__ == "__main__":
    sys.exit(main())
