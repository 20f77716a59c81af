"""The other options of ``lamina-opt``: parts, top-level operations, plugins, wrong uses."""

from __future__ import annotations

from pathlib import Path

import pytest


def test_pipelines_are_printed_as_upstream_prints_them(program: Path, opt, upstream) -> None:
    text = "builtin.module(func.func(cse,loop-invariant-code-motion),any(cse),builtin.module(symbol-dce))"
    arguments = ("a.mlir", f"--pass-pipeline={text}", "--dump-pass-pipeline", "-o", "out")
    theirs = upstream(*arguments).err
    ours = opt(*arguments).err
    assert ours.startswith(theirs.rstrip("\n"))


def test_a_nested_pipeline_runs_on_what_is_inside(program: Path, opt) -> None:
    Path("n.mlir").write_text(
        "module @a { module @b { func.func private @dead() } func.func private @kept() }"
    )
    run = opt("n.mlir", "--pass-pipeline=builtin.module(builtin.module(symbol-dce))")
    assert "@kept" in run.out
    assert "@dead" not in run.out


def test_parts_are_split_and_joined_at_markers(program: Path, opt) -> None:
    Path("s.mlir").write_text("module @a {}\n//# next\nmodule @b {}\n// -----\n")
    run = opt("s.mlir", "--split-input-file=//# next", "--output-split-marker=//++")
    assert run.out == "module @a {\n}\n//++\nmodule @b {\n}\n"
    Path("s.mlir").write_text("module @a {}\n//-----\nmodule @b {}\n")
    run = opt("s.mlir", "-split-input-file")
    assert run.out == "module @a {\n}\n// -----\nmodule @b {\n}\n"


def test_good_parts_are_printed_beside_bad_ones_but_never_into_a_file(program: Path, opt) -> None:
    Path("s.mlir").write_text("module @a {}\n// -----\nmodule {}\n}\n")
    run = opt("s.mlir", "--split-input-file")
    assert run.status == 1
    assert run.out == "module @a {\n}\n// -----\n"
    assert "s.mlir:3:10: error: expected an operation" in run.err
    assert opt("s.mlir", "--split-input-file", "-o", "out").status == 1
    assert not Path("out").exists()


@pytest.mark.parametrize("pipeline", ["--cse", "--pass-pipeline=func.func(cse)", "--pass-pipeline=any(cse)"])
def test_without_an_implicit_module_passes_run_on_the_operation_of_the_text(
    program: Path, opt, pipeline: str
) -> None:
    Path("f.mlir").write_text("// one\n#a = 1 : i32\nfunc.func @f() {\n  return\n}\n")
    run = opt("f.mlir", "--no-implicit-module", pipeline)
    assert (run.status, run.out) == (0, "func.func @f() {\n  return\n}\n")
    assert opt("a.mlir", "--no-implicit-module").err == (
        "a.mlir: error: source must contain a single top-level operation, found: 2\n"
    )


def test_a_pipeline_for_another_operation_is_refused(program: Path, opt) -> None:
    Path("f.mlir").write_text("func.func @f() {\n  return\n}\n")
    run = opt("f.mlir", "--no-implicit-module", "--pass-pipeline=builtin.module(cse)")
    assert run.status == 1 or "ran on nothing" in run.err


def test_a_round_trip_is_verified(program: Path, opt) -> None:
    assert opt("a.mlir", "--verify-roundtrip").status == 0


def test_a_pass_and_a_dialect_of_a_file_are_loaded(program: Path, opt) -> None:
    Path("mine.py").write_text(
        "from dataclasses import dataclass\n"
        "from xdsl.dialects.test import TestOp\n"
        "from xdsl.ir import Dialect\n"
        "from xdsl.irdl import IRDLOperation, irdl_op_definition, result_def\n"
        "from xdsl.passes import ModulePass\n"
        "from lamina.passes.framework.passes import Pass\n"
        "@irdl_op_definition\n"
        "class One(IRDLOperation):\n"
        "    name = 'mine.one'\n"
        "    result = result_def()\n"
        "Mine = Dialect('mine', [One], [])\n"
        "@dataclass(frozen=True)\n"
        "class Rename(Pass):\n"
        "    'Renames functions.'\n"
        "    name = 'my-rename'\n"
        "    anchor = 'func.func'\n"
        "    def run(self, op, ctx):\n"
        "        op.attributes['mine.renamed'] = op.properties['sym_name']\n"
        "@dataclass(frozen=True)\n"
        "class Other(ModulePass):\n"
        "    'A pass of xDSL.'\n"
        "    name = 'my-xdsl-pass'\n"
        "    mark: str = 'x'\n"
        "    def apply(self, ctx, op):\n"
        "        op.attributes[self.mark] = op.body.block.first_op.location\n"
    )
    Path("m.mlir").write_text('func.func @f() {\n  %0 = "mine.one"() : () -> i32\n  return\n}\n')
    run = opt("m.mlir", "--load=mine.py", "--my-rename", "--my-xdsl-pass=mark=mine.seen")
    assert run.status == 0, run.err
    assert '"mine.one"' in run.out
    assert "renamed" in run.out
    assert "seen" in run.out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", "mine_bad.py: error: declares no pass and no dialect"),
        ("x = (\n", "mine_bad.py:1:5: error: cannot be loaded: '(' was never closed"),
        ("\nraise ValueError('no')\n", "mine_bad.py:2: error: cannot be loaded: ValueError: no"),
    ],
)
def test_a_broken_plugin_is_named(program: Path, opt, text: str, message: str) -> None:
    Path("mine_bad.py").write_text(text)
    run = opt("a.mlir", "--load=mine_bad.py")
    assert run.status == 1
    assert run.err.splitlines()[0].endswith(message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.mlir", "b.mlir"], "unexpected argument 'b.mlir': one file is read"),
        (
            ["a.mlir", "--canonicalise"],
            "there is no option or pass '--canonicalise'; did you mean '--canonicalize'?",
        ),
        (
            ["a.mlir", "--cse", "--pass-pipeline=cse"],
            "give passes as options or with --pass-pipeline, not both",
        ),
        (["a.mlir", "--mlir-timing-display=pie"], "--mlir-timing-display=list|tree cannot be 'pie'"),
        (["a.mlir", "--pass-pipeline"], "--pass-pipeline=TEXT needs a value"),
        (["a.mlir", "--verify-each=perhaps"], "--verify-each is true or false, not 'perhaps'"),
        (
            ["a.mlir", "--mlir-elide-elementsattrs-if-larger=many"],
            "--mlir-elide-elementsattrs-if-larger=N: 'many' is no whole number of at least 0",
        ),
    ],
)
def test_a_wrong_use_is_told(program: Path, opt, arguments: list[str], message: str) -> None:
    run = opt(*arguments)
    assert run.status == 2
    assert run.err.splitlines() == [
        "usage: lamina-opt [FILE] [--PASS[=OPTIONS] …] [OPTION …]; lamina-opt --help tells more",
        f"lamina-opt: error: {message}",
    ]


def test_options_of_one_or_two_dashes_and_values_of_either_form_are_the_same(program: Path, opt) -> None:
    wanted = opt("a.mlir", "--mlir-print-op-generic", "--pass-pipeline=cse").out
    assert opt("-mlir-print-op-generic", "-pass-pipeline", "cse", "a.mlir").out == wanted
    assert opt("a.mlir", "--mlir-print-op-generic=false").out == opt("a.mlir").out
