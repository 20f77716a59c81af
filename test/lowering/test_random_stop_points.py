"""Random programs at every stop point: the text parses, upstream reads it, and it computes the same."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from random_programs import Recipe, recipes
from stop_points import INTERPRETED, check_accepted_upstream, check_parses_to_itself, stop_points

import lamina
from lamina.lowering.pipelines import LEVELS

EXAMPLES = int(os.environ.get("LAMINA_RANDOM_STOP_POINTS", "10"))
"""Programs that are tried; more with LAMINA_RANDOM_STOP_POINTS=500."""
BUDGET = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)


def _check_equal(results: Any, wanted: Any, what: str) -> None:
    """Integers bit for bit; floats as far as another order of additions lets them differ."""
    results, wanted = (v if isinstance(v, tuple) else (v,) for v in (results, wanted))
    for result, want in zip(results, wanted, strict=True):
        assert (result.dtype, result.shape) == (want.dtype, want.shape), what
        if want.dtype.kind != "f":
            np.testing.assert_array_equal(result, want, err_msg=what)
            continue
        finite = np.abs(want[np.isfinite(want)])
        largest = float(finite.max(initial=1.0))
        np.testing.assert_allclose(result, want, rtol=1e-4, atol=1e-4 * largest, err_msg=what)


@BUDGET
@given(recipes(), st.integers(0, 2**16), st.sampled_from(list(LEVELS)))
def test_text_of_each_level_computes_what_the_program_does(recipe: Recipe, seed: int, compiled: str) -> None:
    module, inputs = recipe.build(), recipe.arrays(seed)
    wanted = lamina.interpret(module, *inputs)
    for level, text in stop_points(module, inputs):
        parsed = check_parses_to_itself(text)
        if level in INTERPRETED:
            _check_equal(lamina.interpret(parsed, *inputs), wanted, f"interpreted at the level {level}")
        if level == compiled:
            _check_equal(lamina.compile(parsed)(*inputs), wanted, f"compiled from the level {level}")


def test_upstream_reads_each_level_of_random_programs(
    mlir_opt: Callable[..., str], mlir_translate: Callable[..., str]
) -> None:
    @BUDGET
    @given(recipes(), st.integers(0, 2**16))
    def check(recipe: Recipe, seed: int) -> None:
        for level, text in stop_points(recipe.build(), recipe.arrays(seed)):
            check_accepted_upstream(level, text, mlir_opt, mlir_translate)

    check()
