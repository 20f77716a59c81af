"""Programs of JAX, and JAX's own backward programs, give JAX's results: interpreted and compiled."""

from __future__ import annotations

from typing import Any

import jax_programs
import numpy as np
import pytest
from jax_programs import Case

import lamina

jax = pytest.importorskip("jax")

LOSSES = (
    "mlp",
    "activations",
    "attention",
    "cnn",
    "convolutions",
    "lstm",
    "gather_and_scatter",
    "sorting",
    "cumulative",
    "windows",
)
"""The programs that give one number."""
COMPILED = ("recurrence", "reductions", "movement", "convolutions", "loops", "sorting", "orders", "windows")
"""Programs that are compiled here; others are, with their backward programs, below."""
NATIVE = ("mlp", "cnn", "lstm", "gather_and_scatter", "cumulative")
"""Losses whose backward programs are compiled, too."""
TOLERANCE = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-5}


def check(case: Case, compiled: bool = False) -> None:
    """Import a program and compare its results, interpreted and compiled, with JAX's."""
    module = lamina.from_stablehlo(case.text)
    _compare(lamina.interpret(module, *case.inputs), case)
    if compiled:
        _compare(lamina.compile(module)(*case.inputs), case)


def _compare(results: Any, case: Case) -> None:
    results = results if isinstance(results, tuple) else (results,)
    for i, (result, wanted) in enumerate(zip(results, case.outputs, strict=True)):
        assert result.dtype == wanted.dtype and result.shape == wanted.shape, i
        if wanted.dtype.kind != "f":
            np.testing.assert_array_equal(result, wanted)
            continue
        known = np.isfinite(wanted)
        np.testing.assert_array_equal(result[~known], wanted[~known])
        tolerance = TOLERANCE.get(wanted.dtype, 1e-3)
        distance = np.linalg.norm((result - wanted)[known])
        assert distance <= tolerance * max(np.linalg.norm(wanted[known]), 1e-6), i


@pytest.mark.parametrize("name", list(jax_programs.PROGRAMS))
def test_a_program(name: str) -> None:
    check(jax_programs.case(name, np.float64), compiled=name in COMPILED)


@pytest.mark.parametrize("name", LOSSES)
def test_a_backward_program(name: str) -> None:
    check(jax_programs.case(name, np.float64, jax.value_and_grad))


@pytest.mark.parametrize("name", LOSSES)
def test_a_backward_program_in_f32(name: str) -> None:
    check(jax_programs.case(name, np.float32, jax.value_and_grad), compiled=name in NATIVE)
