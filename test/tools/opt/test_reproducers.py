"""Reproducers: written where a pass fails or where asked for, and read again by us and by ``mlir-opt``."""

from __future__ import annotations

import shlex
from pathlib import Path

BOOM = str(Path(__file__).parent / "Inputs" / "boom.py")


def test_a_fault_of_a_pass_ends_with_a_command_that_shows_it_again(program: Path, opt) -> None:
    run = opt("a.mlir", f"--load={BOOM}", "--canonicalize", "--boom=sizes=1,2 sizes=3")
    assert run.status == 1
    assert (
        "a.mlir:1:1: error: the pass failed on 'func.func': KeyError: 'no such thing' [in pass 'boom']"
        in run.err
    )
    last = run.err.splitlines()[-1]
    start = "note: it can be reproduced by: lamina-opt "
    assert last.startswith(start)
    arguments = shlex.split(last.removeprefix(start))
    path = Path(arguments[-1])
    text = path.read_text()
    assert "func.func(boom{sizes={1,2,3} label={a b}})" not in text, (
        "options are printed in the order of names"
    )
    assert "boom{label={a b} sizes={1,2,3}}" in text
    again = opt(*arguments)
    path.unlink()
    assert again.status == 1
    assert f"{path}:1:1: error: the pass failed on 'func.func': KeyError" in again.err
    assert "can be reproduced" not in again.err


def test_a_crash_reproducer_is_announced_as_upstream_does(program: Path, opt) -> None:
    run = opt("a.mlir", f"--load={BOOM}", "--boom", "--mlir-pass-pipeline-crash-reproducer=r.mlir")
    assert "error: Failures have been detected while processing an MLIR pass pipeline" in run.err
    assert (
        "note: Pipeline failed while executing [`Boom` on 'func.func' operation: @f]: "
        "reproducer generated at `r.mlir`"
    ) in run.err
    assert "KeyError" in opt("r.mlir", f"--load={BOOM}", "--run-reproducer").err


def test_a_reproducer_runs_in_both_tools(program: Path, opt, upstream) -> None:
    wanted = opt("a.mlir", "--cse", "--symbol-dce", "--mlir-generate-reproducer=r.mlir", "--verify-each=0")
    assert wanted.status == 0
    assert "verify_each: false" in Path("r.mlir").read_text()
    assert opt("r.mlir", "--run-reproducer").out == wanted.out
    theirs = upstream("r.mlir", "--run-reproducer")
    assert theirs.out == upstream("a.mlir", "--cse", "--symbol-dce").out
    # A reproducer of a reproducer holds one pipeline.
    opt("r.mlir", "--run-reproducer", "--mlir-generate-reproducer=again.mlir")
    assert Path("again.mlir").read_text().count("mlir_reproducer") == 1
    assert opt("again.mlir", "--run-reproducer").out == wanted.out


def test_a_reproducer_of_upstream_runs_here(program: Path, opt, upstream) -> None:
    upstream("a.mlir", "--cse", "--mlir-generate-reproducer=theirs.mlir")
    run = opt("theirs.mlir", "--run-reproducer")
    assert run.status == 0
    assert "@g" in run.out


def test_resources_of_the_program_stay_beside_the_pipeline(program: Path, opt, upstream) -> None:
    Path("b.mlir").write_text(
        "func.func @f() -> tensor<1xi32> {\n"
        "  %0 = arith.constant dense_resource<weights> : tensor<1xi32>\n"
        "  return %0 : tensor<1xi32>\n"
        "}\n"
        '{-#\n  dialect_resources: {\n    builtin: {\n      weights: "0x0400000007000000"\n    }\n  }\n#-}\n'
    )
    opt("b.mlir", "--cse", "--mlir-generate-reproducer=r.mlir")
    assert "07000000" in opt("r.mlir", "--run-reproducer").out
    assert "07000000" in upstream("r.mlir", "--run-reproducer").out


def test_a_file_without_a_pipeline_is_named(program: Path, opt) -> None:
    run = opt("a.mlir", "--run-reproducer")
    assert run.status == 1
    assert "a.mlir: error: holds no pipeline to reproduce" in run.err


def test_debug_shows_where_a_pass_failed_and_all_that_is_shown_without(program: Path, opt) -> None:
    run = opt("a.mlir", f"--load={BOOM}", "--boom", "--debug")
    assert run.status == 1
    traceback, said = run.err.split("\na.mlir:1:1: error: ", 1)
    assert (
        traceback.startswith("Traceback (most recent call last):")
        and "KeyError: 'no such thing'" in traceback
    )
    assert said.startswith("the pass failed on 'func.func': KeyError: 'no such thing' [in pass 'boom']")
    last = run.err.splitlines()[-1]
    assert last.startswith("note: it can be reproduced by: lamina-opt ")
    Path(shlex.split(last)[-1]).unlink()
