"""Random programs: native code equals the interpreter, integers bit for bit, floats up to rounding."""

from __future__ import annotations

import os

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from random_programs import Recipe, recipes

import lamina
from lamina.dialects.core.text import parse, to_text
from lamina.dialects.core.verifier import verify

EXAMPLES = int(os.environ.get("LAMINA_RANDOM_PROGRAMS", "60"))
"""Programs that are tried; more with LAMINA_RANDOM_PROGRAMS=5000."""
EPSILON = float(np.finfo(np.float32).eps)


def results_of(values: object) -> tuple[np.ndarray, ...]:
    return values if isinstance(values, tuple) else (values,)  # pyright: ignore[reportReturnType]


def check(recipe: Recipe, seed: int) -> None:
    module = recipe.build()
    verify(module)
    inputs = recipe.arrays(seed)
    interpreted = results_of(lamina.interpret(module, *inputs))
    exact = results_of(lamina.interpret(recipe.build(wide=True), *recipe.arrays(seed, wide=True)))
    native = results_of(lamina.compile(module)(*inputs))
    size = max(4, max(int(np.prod(s.shape)) for s in recipe.pool))
    for got, held, best in zip(native, interpreted, exact, strict=True):
        assert got.dtype == held.dtype
        assert got.shape == held.shape
        if got.dtype.kind != "f":
            np.testing.assert_array_equal(got, held)
            continue
        close(got, held, best, size)


def close(got: np.ndarray, held: np.ndarray, best: np.ndarray, size: int) -> None:
    """Within the interpreter's own distance from the f64 result, and a few roundings for each element."""
    np.testing.assert_array_equal(np.isnan(got), np.isnan(held))
    finite = np.isfinite(held) & np.isfinite(best) & np.isfinite(got)
    np.testing.assert_array_equal(got[~finite & ~np.isnan(held)], held[~finite & ~np.isnan(held)])
    if not finite.any():
        return
    scale = max(1.0, float(np.abs(best[finite]).max()))
    own = float(np.abs(held[finite] - best[finite]).max())
    error = float(np.abs(got[finite] - best[finite]).max())
    assert error <= 4 * own + 8 * size**0.5 * EPSILON * scale


# A failing program is small already: shrinking it compiles thousands more.
@settings(
    max_examples=EXAMPLES,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)
@given(recipes(), st.integers(0, 2**16))
def test_native_code_equals_the_interpreter(recipe: Recipe, seed: int) -> None:
    check(recipe, seed)


@settings(max_examples=EXAMPLES, derandomize=True, suppress_health_check=list(HealthCheck))
@given(recipes())
def test_a_program_prints_and_parses_to_itself(recipe: Recipe) -> None:
    text = to_text(recipe.build())
    assert to_text(parse(text)) == text
