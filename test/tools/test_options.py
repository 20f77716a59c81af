"""Options and pipelines that are wrong: usage errors have status 2, pipelines are pointed at."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from lamina.tools import opt, run, translate

IR = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}\n"


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        (opt, ["a", "b"], "unexpected argument 'b': one file is read"),
        (opt, ["--csee"], "there is no option or pass '--csee'; did you mean '--cse'?"),
        (
            opt,
            ["--splt-input-file"],
            "there is no option or pass '--splt-input-file'; did you mean '--split-input-file'?",
        ),
        (opt, ["--zzzzzz"], "there is no option or pass '--zzzzzz'"),
        (
            opt,
            ["--cse", "--pass-pipeline=cse"],
            "give passes as options or with --pass-pipeline, not both",
        ),
        (opt, ["-o"], "-o FILE needs a value"),
        (
            opt,
            ["--mlir-elide-elementsattrs-if-larger=-1"],
            "--mlir-elide-elementsattrs-if-larger=N: '-1' is no whole number of at least 0",
        ),
        (translate, [], "one of the arguments --import-onnx --mlir-to-llvmir is required"),
        (run, [], "the following arguments are required: file"),
        (
            run,
            ["m", "--random-inputs=-1"],
            "argument --random-inputs: '-1' is no whole number of at least 0",
        ),
        (run, ["m", "--threads=0"], "argument --threads: '0' is no whole number of at least 1"),
        (run, ["m", "--benchmark=many"], "argument --benchmark: 'many' is no whole number of at least 1"),
        (run, ["m", "--emit=obj"], "argument --emit: an object needs -o FILE"),
        (run, ["m", "--emit=llvm", "--interpret"], "argument --emit: not allowed with argument --interpret"),
        (run, ["m", "-o", "x"], "argument -o: only --emit writes code; --outputs writes results"),
        (
            run,
            ["m", "--inputs=a.npz", "--random-inputs=1"],
            "argument --random-inputs: not allowed with argument --inputs",
        ),
        (
            run,
            ["m", "--inputs=a.npz", "--shape=x=1"],
            "argument --shape: not allowed with argument --inputs, which has its own shapes",
        ),
    ],
)
def test_a_wrong_use_of_options_has_status_2(
    call: Callable[..., Any], tool: Any, arguments: list[str], message: str
) -> None:
    outcome = call(tool.main, *arguments, text=IR)
    assert (outcome.status, outcome.out) == (2, "")
    usage, last = outcome.err[:10], outcome.err.splitlines()[-1]
    assert usage == "usage: lam" and last == f"lamina-{tool.__name__.rsplit('.', 1)[-1]}: error: {message}"


@pytest.mark.parametrize(
    ("arguments", "pipeline", "column", "message", "hint"),
    [
        (
            ["--pass-pipeline=builtin.module(func.func(csee))"],
            "builtin.module(func.func(csee))",
            26,
            "unknown pass 'csee'",
            "did you mean 'cse'?",
        ),
        (
            ["--canonicalize=foo=3"],
            "canonicalize{foo=3}",
            14,
            "pass 'canonicalize' has no option 'foo'",
            "its options are: top-down, region-simplify, max-iterations, max-num-rewrites, test-convergence, "
            "disable-patterns, enable-patterns",
        ),
        (
            ["--cse", "--canonicalize=max-num-rewrites=x"],
            "cse,canonicalize{max-num-rewrites=x}",
            18,
            "option 'max-num-rewrites' of pass 'canonicalize' needs a whole number, not 'x'",
            None,
        ),
        (["--pass-pipeline=cse("], "cse(", 1, "there is no operation 'cse' to run passes on", None),
        (["--pass-pipeline=cse{"], "cse{", 4, "the options of 'cse' are not closed by '}'", None),
        (
            ["--pass-pipeline=any(cse"],
            "any(cse",
            8,
            "expected ',' or ')' in the pipeline, found the end",
            None,
        ),
        (
            ["--lower-to-linalg=x=1"],
            "lower-to-linalg{x=1}",
            1,
            "pipeline 'lower-to-linalg' takes no options",
            None,
        ),
    ],
)
def test_a_wrong_pipeline_is_pointed_at(
    call: Callable[..., Any], arguments: list[str], pipeline: str, column: int, message: str, hint: str | None
) -> None:
    outcome = call(opt.main, *arguments, text=IR)
    assert (outcome.status, outcome.out) == (1, "")
    expected = f"<pipeline>:1:{column}: error: {message}\n  {pipeline}\n  {' ' * (column - 1)}^\n"
    if hint is None and "to run passes on" in message:
        hint = "an anchor is an operation, as builtin.module or func.func"
    assert outcome.err == expected + (f"  hint: {hint}\n" if hint else "")


def test_a_very_deep_pipeline_is_one_error(call: Callable[..., Any]) -> None:
    outcome = call(opt.main, "--pass-pipeline=" + "any(" * 100_000, text=IR)
    assert (outcome.status, outcome.out, outcome.err.count("error:")) == (1, "", 1)


@pytest.mark.parametrize(
    "text",
    [
        "module {" * 5000 + "}" * 5000,
        "func.func @f(%a: " + "tuple<" * 20_000 + "i1" + ">" * 20_000 + ") {\n  return\n}\n",
        "func.func @f() attributes {a = " + "[" * 20_000 + "]" * 20_000 + "} {\n  return\n}\n",
        "#m = affine_map<(d) -> (" + "(" * 20_000 + "d" + ")" * 20_000 + ")>\n",
    ],
    ids=["regions", "types", "attributes", "affine expressions"],
)
def test_ir_without_end_of_nesting_is_one_error(call: Callable[..., Any], text: str) -> None:
    outcome = call(opt.main, text=text)
    assert (outcome.status, outcome.out) == (1, "")
    assert re.search("error: (the IR is nested too deeply to be read|more than [0-9]+ nested)", outcome.err)


def test_hundreds_of_nested_regions_are_no_problem(call: Callable[..., Any]) -> None:
    depth = 400
    text = f"func.func @f(%c: i1) {{\n{'scf.if %c {' * depth}{'}' * depth}\n  return\n}}\n"
    outcome = call(opt.main, "--canonicalize", text=text)
    assert (outcome.status, outcome.err) == (0, "")


def test_an_unclosed_string_of_a_million_characters_is_found_at_once(call: Callable[..., Any]) -> None:
    outcome = call(opt.main, text='func.func @f() attributes {a = "' + "a" * 1_000_000)
    assert outcome.err.startswith("<stdin>:1:32: error: the string is not closed in its line\n")


def test_a_number_of_thousands_of_digits_is_one_error(call: Callable[..., Any]) -> None:
    outcome = call(opt.main, text="%c = arith.constant " + "9" * 5000 + " : i64\n")
    assert outcome.err.startswith("<stdin>:1:21: error: integer constant out of range for attribute\n")
