"""What every pass declares: documentation, examples that hold, files named like passes."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from lamina.dialects.core.text import parse, to_text
from lamina.dialects.core.verifier import verify
from lamina.passes.framework.manager import PassManager
from lamina.passes.framework.passes import Pass
from lamina.passes.framework.pipeline import Pipeline
from lamina.passes.framework.registry import all_passes

PASSES = all_passes()


def normal(module: ModuleOp) -> str:
    """Text without value names, so that only the structure is compared."""
    for op in module.walk():
        for value in op.results:
            value.name_hint = None
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    argument.name_hint = None
    return to_text(module)


@pytest.mark.parametrize("declaration", PASSES, ids=lambda p: p.name)
def test_a_pass_lives_in_a_file_of_its_name_and_says_what_it_does(declaration: type[Pass]) -> None:
    assert declaration.__module__.rsplit(".", 1)[-1] == declaration.name.replace("-", "_")
    assert declaration.summary().endswith(".")
    for field in dataclasses.fields(declaration):
        assert field.metadata.get("help"), f"option {field.name} has no help"


@pytest.mark.parametrize("declaration", PASSES, ids=lambda p: p.name)
def test_the_example_of_a_pass_holds(declaration: type[Pass]) -> None:
    blocks = declaration.examples()
    assert len(blocks) == 2, "the docstring has an input and an output block"
    module = parse(blocks[0])
    verify(module)
    manager = PassManager()
    manager.run(module, Pipeline("builtin.module", [declaration()]))
    expected = parse(blocks[1])
    verify(expected)
    assert normal(module) == normal(expected)


def test_no_two_passes_share_a_name() -> None:
    names = [p.name for p in PASSES]
    assert len(set(names)) == len(names)


def test_every_pass_file_is_registered() -> None:
    root = Path(__file__).resolve().parents[3]
    declared = {p.__module__ for p in PASSES}
    for package in ("passes", "lowering"):
        for path in (root / package).rglob("*.py"):
            if "(Pass):" in path.read_text(encoding="utf-8") and "framework" not in path.parts:
                dotted = ".".join(path.relative_to(root).with_suffix("").parts)
                assert f"lamina.{dotted}" in declared
