"""How far ``canonicalize`` and ``canonicalize,cse`` reduce upstream's own tests, beside mlir-opt.

    python test/conformance/canonicalize.py [UPSTREAM/mlir/test] [--lost]

Counted are the chunks that expect no errors, that mlir-opt accepts and that hold only ops of the promised
dialects and unregistered ones. Of these, in how many is our result valid for mlir-opt; and of those that
mlir-opt makes smaller, in how many are we left with no more ops? mlir-opt's answers are kept in a cache.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from chunks import DIALECTS, OPERATIONS, Chunk, chunks, upstream_tests
from limits import TooLong, within
from reference import FLAGS, Reference, executable
from xdsl.dialects.builtin import ModuleOp

import lamina
from benchmarks.pages import markdown_table, publish
from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.core.verifier import verify

PIPELINES = ("canonicalize", "canonicalize,cse")
_OP = re.compile(r'^\s*(?:%[^=]*= )?"([\w.$]+)"\(', re.MULTILINE)


@dataclass(frozen=True)
class Outcome:
    """What became of one chunk under one pipeline."""

    chunk: Chunk
    problem: str = ""
    """Why there is no valid result of ours."""
    is_read: bool = True
    """Whether our reader takes the chunk at all."""
    ours: Counter[str] | None = None
    theirs: Counter[str] | None = None
    """The ops that are left; of mlir-opt's only where it made the chunk smaller."""

    @property
    def is_as_small(self) -> bool:
        if self.ours is None or self.theirs is None:
            return False
        return self.ours.total() <= self.theirs.total()


def ops_in(generic: str) -> Counter[str]:
    """How often each op stands in a text in generic form."""
    return Counter(_OP.findall(generic))


@cache
def other_dialects() -> frozenset[str]:
    """The dialects that mlir-opt knows and that are not counted; its tests' own one is as good as unknown."""
    text = subprocess.run(
        [executable() or "mlir-opt", "--show-dialects"], capture_output=True, text=True, check=True
    ).stdout
    return frozenset(re.findall(r"\w+", text.partition(":")[2])) - {"test"} - OPERATIONS


def is_counted(generic: str) -> bool:
    """Whether a chunk holds ops of the promised dialects and unregistered ones only."""
    return not any(name.partition(".")[0] in other_dialects() for name in ops_in(generic))


def read(text: str, generic: str) -> ModuleOp | None:
    """A chunk as a module, or None where it is not read or not valid for us.

    Ops of upstream's test dialect have a syntax that is not known here: their generic form is read.
    """
    for source in (text, generic):
        try:
            module = lamina.parse(source, allow_unregistered=True)
            verify(module)
            return module
        except LaminaError:
            pass
    return None


def reduced(module: ModuleOp, pipeline: str) -> str:
    """The text of our result."""
    lamina.run_pipeline(module, pipeline)
    verify(module)
    return lamina.to_text(module)


def attempt(module: ModuleOp, pipeline: str, seconds: int = 20) -> tuple[str, str]:
    """Our result, or an empty text and the problem."""
    try:
        return within(seconds, lambda: reduced(module, pipeline)), ""
    except TooLong:
        return "", "does not end"
    except LaminaError as problem:
        return "", f"error: {problem.diagnostics[0].message}"
    except Exception as problem:
        return "", f"{type(problem).__name__}: {problem}".split("\n")[0]


def outcomes(found: Sequence[Chunk], pipeline: str) -> list[Outcome]:
    """What becomes of each of the counted chunks under a pipeline."""
    plain = [chunk for chunk in found if not chunk.expected_errors]
    reference = Reference()
    reducing = Reference((*FLAGS, f"--pass-pipeline=builtin.module({pipeline})"))
    texts = reference.generic([chunk.text for chunk in plain])
    counted = [(c, text) for c, text in zip(plain, texts, strict=True) if text and is_counted(text)]
    modules = [read(chunk.text, generic) for chunk, generic in counted]
    results = [attempt(module, pipeline) if module else ("", "not read") for module in modules]
    accepted = iter(reference.generic([text for text, _ in results if text]))
    smaller = reducing.generic([chunk.text for chunk, _ in counted])
    rows: list[Outcome] = []
    for (chunk, before), (text, problem), after, module in zip(
        counted, results, smaller, modules, strict=True
    ):
        answer = next(accepted) if text else None
        if text and answer is None:
            problem = "mlir-opt refuses the result"
        theirs = ops_in(after) if after is not None else None
        if theirs is not None and theirs.total() >= ops_in(before).total():
            theirs = None
        ours = ops_in(answer) if answer else None
        rows.append(Outcome(chunk, problem, module is not None, ours, theirs))
    return rows


Row = tuple[str, int, int, int, int, int]


def row_of(name: str, found: Sequence[Outcome]) -> Row:
    """A folder: chunks, those that we read, our valid results, those that mlir-opt shrinks, ours as small."""
    shrunk = [outcome for outcome in found if outcome.theirs is not None]
    return (
        name,
        len(found),
        sum(outcome.is_read for outcome in found),
        sum(not outcome.problem for outcome in found),
        len(shrunk),
        sum(outcome.is_as_small for outcome in shrunk),
    )


def table(pipeline: str, rows: Sequence[Row]) -> str:
    """The results of a pipeline as a Markdown table."""
    head = (f"`{pipeline}`", "chunks", "read", "valid results", "`mlir-opt` shrinks", "ours as small", "%")
    sums = [sum(column) for column in zip(*(row[1:] for row in rows), strict=True)]
    found: list[Sequence[object]] = []
    for name, *numbers in (*rows, ("all", *sums)):
        shrunk, same = numbers[-2:]
        found.append((name, *numbers, f"{100 * same / shrunk:.1f}" if shrunk else ""))
    return markdown_table(head, found)


def report_lost(found: Sequence[Outcome]) -> None:
    """Print the chunks without a valid result, then those in which we are left with more, and what of."""
    for outcome in found:
        if outcome.problem:
            print(f"  {outcome.chunk.name}: {outcome.problem}")
    most: Counter[str] = Counter()
    for outcome in found:
        if outcome.ours is not None and outcome.theirs is not None and not outcome.is_as_small:
            more, fewer = outcome.ours - outcome.theirs, outcome.theirs - outcome.ours
            most.update(more.keys())
            print(f"  {outcome.chunk.name}: more {_listed(more)}; fewer {_listed(fewer)}")
    print("left over most often:", ", ".join(f"{name} ({n})" for name, n in most.most_common(20)))


def _listed(ops: Counter[str]) -> str:
    return ", ".join(f"{n} {name}" for name, n in ops.most_common())


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table by folder for each pipeline; with ``--lost`` also what is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "root", type=Path, nargs="?", default=upstream_tests(), help="default: $LAMINA_UPSTREAM_TESTS"
    )
    parser.add_argument("--dialect", action="append", choices=[*DIALECTS, "IR"], help="only this folder")
    parser.add_argument("--only", default="", help="only chunks whose name contains this")
    parser.add_argument("--pipeline", action="append", help="only this pipeline")
    parser.add_argument("--docs", type=Path, help="write the tables into this page, too")
    parser.add_argument("--lost", action="store_true", help="list the chunks that are not as they should be")
    options = parser.parse_args(arguments)
    if options.root is None or executable() is None:
        print("conformance needs mlir-opt 22 and $LAMINA_UPSTREAM_TESTS", file=sys.stderr)
        return 1
    for pipeline in options.pipeline or PIPELINES:
        rows: list[Row] = []
        every: list[Outcome] = []
        for dialect in options.dialect or [*DIALECTS, "IR"]:
            found = outcomes([c for c in chunks(options.root, [dialect]) if options.only in c.name], pipeline)
            rows.append(row_of(dialect, found))
            every += found
        text = table(pipeline, rows)
        print(text, "", sep="\n", flush=True)
        if options.docs:
            publish(options.docs, pipeline, text)
        if options.lost:
            report_lost(every)
    return 0


if __name__ == "__main__":
    sys.exit(main())
