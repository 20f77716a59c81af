"""Upstream's test files read, verified and printed, counted against what ``mlir-opt`` makes of them.

``make conformance`` runs it; with ``--dialect SCF --failures`` it shows what is left there.
"""

from __future__ import annotations

import argparse
import collections
import re
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from chunks import DIALECTS, OPERATIONS, Chunk, chunks, upstream_tests
from limits import TooLong, within
from reference import Reference

from benchmarks.pages import markdown_table, publish

_GENERIC_OP = re.compile(r'(?<![\w$.])"([A-Za-z_][\w$.\-]*)"\(')
_NOT_KNOWN = re.compile(
    r"unregistered|unsupported|unknown (dialect|operation)|is unknown|not found for|has no operation|"
    r"no custom",
    re.IGNORECASE,
)


def process(text: str) -> str:
    """Read, verify and print a text. Raises LaminaError for what is wrong in it."""
    from lamina.dialects.core.text import parse
    from lamina.dialects.core.verifier import verify
    from lamina.dialects.core.writing.writer import write_text as to_text

    module = parse(text, "chunk.mlir", allow_unregistered=True)
    verify(module)
    return to_text(module)


def attempt(text: str, seconds: int = 10) -> tuple[str | None, str, int]:
    """The printed text, or None with the message and the line of the error."""
    from lamina.dialects.core.diagnostics import LaminaError

    try:
        return within(seconds, lambda: process(text)), "", 0
    except LaminaError as problem:
        first = problem.diagnostics[0]
        return None, first.message, first.location.line if first.location else 0
    except TooLong:
        return None, "TIMEOUT", -1
    except Exception as problem:
        return None, f"INTERNAL {type(problem).__name__}: {problem}".split("\n")[0], -1


def is_counted(chunk: Chunk, generic: str | None) -> bool:
    """Whether a chunk holds only ops of the promised dialects (others only where it is generic itself)."""
    if generic is None:
        return False
    # An op of another dialect has to be generic each time that it stands in the source.
    others = collections.Counter(
        name for name in _GENERIC_OP.findall(generic) if name.partition(".")[0] not in OPERATIONS
    )
    source = re.sub(r"^\s*//.*", "", chunk.text, flags=re.MULTILINE)
    return all(source.count(f'"{name}"') >= count for name, count in others.items())


def valid_chunks(found: Sequence[Chunk], reference: Reference) -> list[tuple[Chunk, str]]:
    """The chunks without expected errors that ``mlir-opt`` accepts, with its generic form of them."""
    plain = [chunk for chunk in found if not chunk.expected_errors]
    answers = reference.generic([chunk.text for chunk in plain])
    return [(c, a) for c, a in zip(plain, answers, strict=True) if a is not None and is_counted(c, a)]


def check_valid(pairs: Sequence[tuple[Chunk, str]], reference: Reference) -> list[tuple[Chunk, str]]:
    """The failures among valid chunks, with the reason."""
    failures: list[tuple[Chunk, str]] = []
    printed: list[tuple[Chunk, str, str]] = []
    for chunk, wanted in pairs:
        text, message, line = attempt(chunk.text)
        if text is None:
            failures.append((chunk, f"{chunk.path}:{chunk.line + max(line, 1) - 1}: {message}"))
        else:
            printed.append((chunk, wanted, text))
    answers = reference.generic([text for _, _, text in printed])
    for (chunk, wanted, _), answer in zip(printed, answers, strict=True):
        if answer is None:
            failures.append((chunk, "REFUSED: mlir-opt does not read what was printed"))
        elif answer != wanted:
            failures.append((chunk, "DIFFERENT: " + _first_difference(wanted, answer)))
    return failures


def _first_difference(wanted: str, got: str) -> str:
    for left, right in zip(wanted.split("\n"), got.split("\n"), strict=False):
        if left != right:
            return f"\n    wanted {left.strip()[:300]}\n    got    {right.strip()[:300]}"
    return "in length"


def check_invalid(found: Sequence[Chunk], reference: Reference) -> tuple[int, list[tuple[Chunk, str]]]:
    """How many chunks with expected errors were looked at, and those that do not fail where they should."""
    failures: list[tuple[Chunk, str]] = []
    refused = [c for c in found if c.expected_errors]
    answers = reference.generic([chunk.text for chunk in refused])
    counted = [c for c, answer in zip(refused, answers, strict=True) if answer is None and _ours(c)]
    for chunk in counted:
        text, message, line = attempt(chunk.text)
        if text is not None:
            failures.append((chunk, f"ACCEPTED, expected an error on line {sorted(chunk.expected_errors)}"))
        elif line < 0:
            failures.append((chunk, message))
        elif _NOT_KNOWN.search(message) and not _NOT_KNOWN.search(chunk.text):
            failures.append((chunk, f"NOT KNOWN: line {line}: {message}"))
        elif line not in chunk.expected_errors and 0 not in chunk.expected_errors:
            failures.append((chunk, f"line {line}, not {sorted(chunk.expected_errors)}: {message}"))
    return len(counted), failures


_NAME = re.compile(r"^\s*(?:%[^=\n]*=\s*)?\"?([a-z_]+)\.[a-z_.0-9]+", re.MULTILINE)


def _ours(chunk: Chunk) -> bool:
    """Whether the ops of a chunk that is wrong are of the dialects that are promised."""
    others = {name for name in _NAME.findall(chunk.text)} - OPERATIONS
    return not any(name in _OTHER_DIALECTS for name in others)


_OTHER_DIALECTS = frozenset(
    [
        "test",
        "transform",
        "gpu",
        "tosa",
        "spirv",
        "nvvm",
        "nvgpu",
        "async",
        "shape",
        "quant",
        "sparse_tensor",
        "shard",
        "omp",
        "acc",
        "emitc",
        "pdl",
        "pdl_interp",
        "irdl",
        "smt",
        "ml_program",
        "mpi",
        "xegpu",
        "amdgpu",
        "arm_sme",
        "arm_sve",
        "arm_neon",
        "x86vector",
        "amx",
        "rocdl",
        "ptr",
        "dlti",
        "wasmssa",
        "xevm",
    ]
)


_Row = tuple[str, int, int, int, int]
"""A folder with its valid chunks, the identical ones, the wrong ones, and those found on the right line."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table by dialect; with ``--failures`` also each failure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--dialect", action="append", choices=[*DIALECTS, "IR"], help="only this folder (repeatable)"
    )
    parser.add_argument("--failures", action="store_true", help="show each failure")
    parser.add_argument("--only", help="only chunks whose name contains this")
    parser.add_argument("--docs", type=Path, help="write the table into this page, too")
    options = parser.parse_args(arguments)
    root = upstream_tests()
    reference = Reference()
    if root is None or reference.tool is None:
        print("conformance needs mlir-opt 22 and $LAMINA_UPSTREAM_TESTS", file=sys.stderr)
        return 1
    rows: list[_Row] = []
    for dialect in options.dialect or [*DIALECTS, "IR"]:
        found = [c for c in chunks(root, [dialect]) if not options.only or options.only in c.name]
        pairs = valid_chunks(found, reference)
        failures = check_valid(pairs, reference)
        wrong, missed = check_invalid(found, reference)
        rows.append((dialect, len(pairs), len(pairs) - len(failures), wrong, wrong - len(missed)))
        if options.failures:
            for chunk, reason in (*failures, *missed):
                print(f"  {chunk.name} ({chunk.path}:{chunk.line}): {reason}", flush=True)
    text = _table(rows)
    print(text)
    if options.docs:
        publish(options.docs, "round trip", text)
    return 0


def _table(rows: list[_Row]) -> str:
    sums = [sum(column) for column in zip(*(row[1:] for row in rows), strict=True)]
    head = ("folder", "valid chunks", "identical", "%", "wrong chunks", "found on the right line", "%")
    shares = [
        (name, valid, same, _share(same, valid), wrong, found, _share(found, wrong))
        for name, valid, same, wrong, found in (*rows, ("all", *sums))
    ]
    return markdown_table(head, shares)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else ""


if __name__ == "__main__":
    sys.exit(main())
