"""One table of results that were measured before, perhaps in several runs on one machine.

    python -m benchmarks.publish FILE.json … [--docs docs/performance.md] [--plot FILE.png]

A FILE is what `python -m benchmarks.run --json FILE` wrote.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.pages import check_page, publish
from benchmarks.report import Report, combined, markdown, print_rows
from benchmarks.run import PART


def build_parser() -> argparse.ArgumentParser:
    """The options of the command."""
    parser = argparse.ArgumentParser("python -m benchmarks.publish", description="One table of several runs.")
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="FILE", help="JSON that benchmarks.run wrote")
    add("--docs", type=Path, metavar="PAGE", help=f"write the table into the part '{PART}' of a page")
    add("--plot", type=Path, metavar="FILE", help="draw the ratios to the best peer as a PNG")
    return parser


def read_report(path: Path) -> Report:
    """What a run wrote.

    :raises SystemExit: if the file cannot be read or was not written by `benchmarks.run`
    """
    try:
        return Report.read(json.loads(path.read_text(encoding="utf-8")))
    except OSError as problem:
        raise SystemExit(f"{path}: {problem.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise SystemExit(f"{path} was not written by python -m benchmarks.run --json") from None


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table, and write and draw it where asked."""
    args = build_parser().parse_args(argv)
    if args.docs:
        check_page(args.docs, PART)
    report = combined([read_report(path) for path in args.files])
    print_rows(report)
    if args.plot:
        from benchmarks.plot import draw

        draw(report.rows, args.plot)
    if args.docs:
        publish(args.docs, PART, markdown(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
