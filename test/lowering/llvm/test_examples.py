"""The examples in the docstrings of the conversions do what they say, and mlir-opt accepts their results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import lamina.lowering.llvm
from lamina.dialects.core.text import parse, to_text
from lamina.passes.framework.registry import find_pass

PASSES = sorted(
    path.stem.replace("_", "-")
    for path in Path(lamina.lowering.llvm.__file__).parent.glob("*.py")
    if not path.stem.startswith("_")
)


@pytest.mark.parametrize("name", PASSES)
def test_example_of_the_docstring(name: str, lower: Callable[..., str]) -> None:
    source, expected = find_pass(name).examples()
    assert lower(source, name) == to_text(parse(expected))


@pytest.mark.parametrize("name", PASSES)
def test_mlir_opt_accepts_the_output_of_the_example(
    name: str, lower: Callable[..., str], mlir_opt: Callable[..., str]
) -> None:
    mlir_opt(lower(find_pass(name).examples()[0], name))
