"""Texts with mistakes in their tokens are accepted or refused in our words: never a traceback."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def fuzz() -> Any:
    sys.path.insert(0, str(ROOT / "conformance"))
    try:
        spec = importlib.util.spec_from_file_location("fuzz_of_conformance", ROOT / "conformance" / "fuzz.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(ROOT / "conformance"))
    return module


def test_mutants_are_accepted_or_refused(fuzz: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LAMINA_UPSTREAM_TESTS", raising=False)
    texts = fuzz.seeds(ROOT)
    found = [fuzz.attempt(fuzz.mutant(texts, 0, number)) for number in range(200)]
    assert [finding for finding in found if finding is not None] == []


def test_what_is_wrong_with_the_code_is_found(fuzz: Any) -> None:
    def slip(text: str) -> None:
        raise IndexError("list index out of range")

    def endless(text: str) -> None:
        while True:
            pass

    assert fuzz.attempt("", slip).what == "IndexError: list index out of range"
    assert fuzz.attempt("", endless, 0.05).what == "more than 0.05 s"


def test_tokens_are_the_whole_text(fuzz: Any) -> None:
    text = '%0 = "a.b"(%1) <{x = dense<[1.0e-3]> : tensor<1x?xf32>}> : (i32) -> !t.u // end\n'
    assert "".join(fuzz.tokens_of(text)) == "".join(fuzz.tokens_of(text, coarse=True)) == text


def test_sizes_of_segments_may_be_left_out_where_there_are_no_operands(fuzz: Any) -> None:
    maps = "lowerBoundMap = affine_map<() -> (0)>, upperBoundMap = affine_map<() -> (4)>, step = 1 : index"
    body = '({^bb0(%i: index): "affine.yield"() : () -> ()})'
    assert fuzz.attempt(f'"affine.for"() <{{{maps}}}> {body} : () -> ()') is None


@pytest.mark.parametrize("sizes", ["array<i32: 1, 0>", "array<i32>", "1"])
def test_an_op_with_one_group_has_no_sizes_of_segments(fuzz: Any, sizes: str) -> None:
    given = f"operandSegmentSizes = {sizes}, resultSegmentSizes = {sizes}"
    cast = f'"builtin.unrealized_conversion_cast"(%a) {{{given}}} : (i32) -> i64'
    branch = f'"cf.br"(%b) [^next] {{{given}}} : (i64) -> ()'
    end = "^next(%c: i64):\n  return"
    fuzz.process(f"func.func @f(%a: i32) {{\n  %b = {cast}\n  {branch}\n{end}\n}}")
