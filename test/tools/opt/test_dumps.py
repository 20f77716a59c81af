"""The dumps of passes, against those of ``mlir-opt``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

PIPELINE = "--pass-pipeline=builtin.module(canonicalize,func.func(cse,canonicalize),func.func(cse),cse)"


def headers(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("// -----// ")]


@pytest.mark.parametrize(
    "options",
    [
        ["--mlir-print-ir-after-all"],
        ["--mlir-print-ir-before-all"],
        ["--mlir-print-ir-before=cse", "--mlir-print-ir-after=canonicalize"],
        ["--mlir-print-ir-after=cse,canonicalize"],
        ["-mlir-print-ir-after-all", "-mlir-print-ir-module-scope"],
        ["--mlir-print-ir-after-all", "--mlir-print-ir-after-change"],
        ["--mlir-print-ir-after-all", "--mlir-print-ir-after-failure"],
    ],
)
def test_the_same_dumps_come_in_the_same_order(program: Path, opt, upstream, options: list[str]) -> None:
    ours = opt("a.mlir", PIPELINE, "-o", "out", *options)
    theirs = upstream("a.mlir", PIPELINE, "-o", "out", *options)
    assert (ours.status, theirs.status) == (0, 0)
    assert headers(ours.err) == headers(theirs.err)
    assert ours.out == ""


def test_the_tree_of_dumps_has_the_same_files(program: Path, opt, upstream) -> None:
    opt("a.mlir", PIPELINE, "--mlir-print-ir-after-all", "--mlir-print-ir-tree-dir=ours")
    upstream("a.mlir", PIPELINE, "--mlir-print-ir-after-all", "--mlir-print-ir-tree-dir=theirs")
    files = [
        sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*.mlir"))
        for folder in ("ours", "theirs")
    ]
    assert files[0] == files[1]
    first = Path("ours/builtin_module_no-symbol-name/0_canonicalize.mlir").read_text()
    assert first.startswith("// -----// IR Dump After Canonicalizer (canonicalize) //----- //\nmodule {")


def test_a_failed_pass_is_dumped(program: Path, opt) -> None:
    boom = str(Path(__file__).parent / "Inputs" / "boom.py")
    run = opt("a.mlir", f"--load={boom}", "--canonicalize", "--boom", "--mlir-print-ir-after-failure")
    assert headers(run.err) == ["// -----// IR Dump After Boom Failed (boom) //----- //"]


def test_a_diff_shows_what_a_pass_changed(program: Path, opt) -> None:
    run = opt("a.mlir", "--canonicalize", "--cse", "--print-diff", "-o", "out")
    changed = [line for line in run.err.splitlines() if re.match(r"[+-]{1,3}", line)]
    assert changed == [
        "--- before canonicalize ('builtin.module' operation)",
        "+++ after canonicalize ('builtin.module' operation)",
        "-    %c0 = arith.constant 0 : i32",
        "-    %0 = arith.addi %x, %c0 : i32",
        "-    return %0 : i32",
        "+    return %x : i32",
    ]


def test_an_unknown_pass_to_print_after_is_an_error(program: Path, opt) -> None:
    run = opt("a.mlir", "--cse", "--mlir-print-ir-after=cze")
    assert run.status == 1
    assert "there is no pass 'cze' to print the IR before or after" in run.err
    assert "did you mean 'cse'?" in run.err


def names(table: str) -> list[str]:
    rows = (re.match(r"  .*%\)  (.*)", line) for line in table.splitlines())
    return [match.group(1) for match in rows if match]


def test_times_are_a_tree_of_pipelines_and_passes(program: Path, opt, upstream) -> None:
    ours = names(opt("a.mlir", PIPELINE, "--mlir-timing", "-o", "out").err)
    theirs = names(upstream("a.mlir", PIPELINE, "--mlir-timing", "-o", "out").err)
    assert ours == [name for name in theirs if "(A)" not in name]


def test_times_as_a_list_start_with_the_longest(program: Path, opt) -> None:
    table = opt("a.mlir", PIPELINE, "--mlir-timing", "--mlir-timing-display=list", "-o", "out").err
    assert sorted(names(table)) == sorted(
        ["Parser", "Output", "CSE", "Canonicalizer", "'func.func' Pipeline", "Rest", "Total"]
    )
    shown = [float(re.findall(r"\d+\.\d{4}", row)[1]) for row in table.splitlines() if "%)" in row][:-2]
    assert shown == sorted(shown, reverse=True)


def test_times_as_json(program: Path, opt) -> None:
    run = opt("a.mlir", PIPELINE, "--mlir-timing", "--mlir-output-format=json", "-o", "out")
    rows = json.loads(run.err)
    assert [row["name"] for row in rows][-2:] == ["Rest", "Total"]
    nested = next(row for row in rows if row["name"] == "'func.func' Pipeline")
    assert [part.get("name") for part in nested["passes"]] == ["CSE", "Canonicalizer", "CSE", None]
    assert rows[-1]["wall"]["percentage"] == 100.0


def test_statistics_follow_the_pipeline_or_are_merged(program: Path, opt) -> None:
    nested = opt("a.mlir", PIPELINE, "--mlir-pass-statistics", "-o", "out").err
    rows = [line for line in nested.splitlines() if not line.startswith(("=", " " * 8))]
    assert [row for row in rows if "(S)" not in row] == [
        "Canonicalizer",
        "'func.func' Pipeline",
        "  CSE",
        "  Canonicalizer",
        "'func.func' Pipeline",
        "  CSE",
        "CSE",
    ]
    merged = opt(
        "a.mlir", PIPELINE, "--mlir-pass-statistics", "--mlir-pass-statistics-display=list", "-o", "out"
    ).err
    assert [row for row in merged.splitlines() if row[:1].isalpha()] == ["CSE", "Canonicalizer"]
    assert re.search(r"\(S\) 2 rewrites +- folds, patterns", merged)
