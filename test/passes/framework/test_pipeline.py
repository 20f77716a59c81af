"""Textual pipelines: parsing, printing, and errors that point at the place."""

from __future__ import annotations

import pytest

from lamina.dialects.core.diagnostics import LaminaError
from lamina.passes.framework.pipeline import parse_pipeline
from lamina.passes.framework.registry import all_passes, pipeline_names


@pytest.mark.parametrize(
    "text",
    [
        "builtin.module()",
        "builtin.module(canonicalize)",
        "builtin.module(canonicalize,cse)",
        "builtin.module(func.func(canonicalize{max-num-rewrites=4},cse),any(cse))",
        "any(cse)",
    ],
)
def test_a_pipeline_prints_as_it_was_written(text: str) -> None:
    assert parse_pipeline(text).text() == text


def test_blanks_and_a_missing_anchor_mean_the_same() -> None:
    assert parse_pipeline(" canonicalize , func.func( cse ) ").text() == (
        "builtin.module(canonicalize,func.func(cse))"
    )


@pytest.mark.parametrize("name", pipeline_names())
def test_a_named_pipeline_stands_for_its_passes(name: str) -> None:
    text = parse_pipeline(name).text()
    assert parse_pipeline(text).text() == text
    assert len(parse_pipeline(name).items) > 3


@pytest.mark.parametrize("declaration", all_passes(), ids=lambda p: p.name)
def test_every_pass_prints_and_parses_with_its_defaults(declaration) -> None:
    pipeline = parse_pipeline(declaration.name)
    assert pipeline.items == [declaration()]
    assert parse_pipeline(pipeline.text()) == pipeline


@pytest.mark.parametrize(
    ("text", "column", "message", "hint"),
    [
        ("canonicalise", 1, "unknown pass 'canonicalise'", "did you mean 'canonicalize'?"),
        ("cse,canonicalise", 5, "unknown pass 'canonicalise'", "did you mean 'canonicalize'?"),
        ("builtin.module(func.func(cze))", 26, "unknown pass 'cze'", "did you mean 'cse'?"),
        ("cse,", 5, "expected the name of a pass, found the end", None),
        ("cse,,cse", 5, "expected the name of a pass, found ','", None),
        ("cse cse", 5, "expected ',' in the pipeline, found 'c'", None),
        ("func.func(cse", 14, "expected ',' or ')' in the pipeline, found the end", None),
        ("func.func(cse))", 15, "expected ',' in the pipeline, found ')'", None),
        ("canonicalize{max-num-rewrites=4", 13, "the options of 'canonicalize' are not closed by '}'", None),
        (
            "canonicalize{max-rewrite=4}",
            14,
            "pass 'canonicalize' has no option 'max-rewrite'",
            "did you mean 'max-num-rewrites'?",
        ),
        (
            "canonicalize{zzz=4}",
            14,
            "pass 'canonicalize' has no option 'zzz'",
            "its options are: top-down, region-simplify, max-iterations, max-num-rewrites, test-convergence, "
            "disable-patterns, enable-patterns",
        ),
        (
            "canonicalize{max-num-rewrites=four}",
            14,
            "option 'max-num-rewrites' of pass 'canonicalize' needs a whole number, not 'four'",
            None,
        ),
        (
            "canonicalize{max-num-rewrites}",
            14,
            "option 'max-num-rewrites' of pass 'canonicalize' needs a value (int)",
            None,
        ),
        ("cse{x=1}", 5, "pass 'cse' has no option 'x'", "its options are: none"),
        ("lower-to-linalg{x=1}", 1, "pipeline 'lower-to-linalg' takes no options", None),
        ("canonicalize{max-num-rewrites=4 %}", 33, "expected an option of 'canonicalize', found '%'", None),
        ("canonicalize{=4}", 14, "expected an option of 'canonicalize', found '='", None),
        (
            "func.fun(cse)",
            1,
            "there is no operation 'func.fun' to run passes on",
            "did you mean 'func.func'?",
        ),
        (
            "func.func(convert-nn-to-linalg)",
            11,
            "pass 'convert-nn-to-linalg' runs on 'builtin.module', not on 'func.func'",
            "take it out of func.func(…)",
        ),
        ("1cse", 1, "expected the name of a pass, found '1'", None),
    ],
)
def test_a_mistake_is_pointed_at(text: str, column: int, message: str, hint: str | None) -> None:
    with pytest.raises(LaminaError) as caught:
        parse_pipeline(text)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.message == message
    assert diagnostic.hint == hint
    assert diagnostic.location is not None
    assert (diagnostic.location.line, diagnostic.location.column) == (1, column)
