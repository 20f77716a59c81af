"""The text of JAX is read and printed so that StableHLO's own parser sees the same program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import jax_programs
import pytest

import lamina
from lamina.dialects.core.reader import parse
from lamina.dialects.core.verifier import verify

jax = pytest.importorskip("jax")

FORMS = Path(__file__).with_name("forms.mlir")
"""Forms that the programs do not have."""


@pytest.fixture(scope="module")
def generic() -> Iterator[Callable[[str], str]]:
    """``generic(text)``: the program in generic form, as StableHLO's own parser and printer give it."""
    mlir = pytest.importorskip("jaxlib.mlir.ir")
    from jax._src.interpreters.mlir import make_ir_context

    with make_ir_context() as context:
        context.allow_unregistered_dialects = True
        yield lambda text: mlir.Module.parse(text).operation.get_asm(print_generic_op_form=True)


def _check(text: str, generic: Callable[[str], str]) -> None:
    module = parse(text, allow_unregistered=True)
    verify(module)
    printed = lamina.to_text(module)
    assert lamina.to_text(parse(printed, allow_unregistered=True)) == printed
    assert generic(printed) == generic(text)
    assert generic(lamina.to_text(module, generic=True)) == generic(text)


def test_every_pretty_form_survives(generic: Callable[[str], str]) -> None:
    _check(FORMS.read_text(encoding="utf-8"), generic)


@pytest.mark.parametrize("name", list(jax_programs.PROGRAMS))
def test_the_text_of_a_program_survives(name: str, generic: Callable[[str], str]) -> None:
    _check(jax_programs.text(name), generic)


def test_the_dialect_has_every_operation_of_stablehlo() -> None:
    generated = pytest.importorskip("jaxlib.mlir.dialects._stablehlo_ops_gen")
    from lamina.dialects.stablehlo import Stablehlo

    theirs = {
        value.OPERATION_NAME
        for value in vars(generated).values()
        if isinstance(getattr(value, "OPERATION_NAME", None), str)
    }
    ours = {op.name for op in Stablehlo.operations}
    assert {n for n in theirs - ours if n.startswith("stablehlo.")} <= _OF_OLDER_FORM


_OF_OLDER_FORM = {
    "stablehlo.async_done",
    "stablehlo.async_start",
    "stablehlo.cross-replica-sum",
    "stablehlo.dynamic_conv",
    "stablehlo.unary_einsum",
}
