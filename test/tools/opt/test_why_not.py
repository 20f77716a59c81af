"""``--why-not`` where there is nothing to tell: it says why."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--cse", "--why-not=canonicalize"],
            "// -----// Why not canonicalize: the pass did not run //----- //",
        ),
        (["--why-not=canonicalize@2"], "// -----// Why not canonicalize: the pass did not run //----- //"),
        (["--cse", "--why-not=cse"], "the pass tried no pattern on any operation"),
        (
            ["--canonicalize", "--why-not=canonicalize@99"],
            "no operation that the pass was given is on line 99",
        ),
        (
            ["--canonicalize", "--why-not=canonicalize@4"],
            "the pass tried no pattern on an operation of line 4",
        ),
        (
            ["--canonicalize", "--why-not=canonicalize@3"],
            "patterns matched: no operation on which they were tried is still there",
        ),
    ],
)
def test_what_there_was_nothing_to_tell_of_is_said(
    program: Path, opt, arguments: list[str], message: str
) -> None:
    run = opt("a.mlir", *arguments)
    assert run.status == 0 and run.err.splitlines()[-1] == message


@pytest.mark.parametrize("name", ["canonicalise", "canonicalise@3"])
def test_an_unknown_pass_is_answered_with_the_nearest(program: Path, opt, name: str) -> None:
    run = opt("a.mlir", f"--why-not={name}")
    assert (run.status, run.out) == (1, "")
    assert run.err == "error: unknown pass 'canonicalise'\n  hint: did you mean 'canonicalize'?\n"


def test_a_pipeline_is_no_pass(program: Path, opt) -> None:
    run = opt("a.mlir", "--why-not=lower-to-linalg")
    assert run.status == 1 and "'lower-to-linalg' is a pipeline, not a pass\n  hint: its passes " in run.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--list-passes", "extra"], "unexpected argument 'extra': --list-passes reads no file"),
        (["--show-dialects", "--cse"], "unexpected argument '--cse': --show-dialects runs no pass"),
    ],
)
def test_lists_read_no_file_and_run_no_pass(program: Path, opt, arguments: list[str], message: str) -> None:
    run = opt(*arguments)
    assert (run.status, run.out) == (2, "") and run.err.endswith(f"lamina-opt: error: {message}\n")
