"""Lowering, fusion and outlining keep the values of random programs, by the interpreter at each level."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from random_programs import Recipe, recipes

import lamina
from lamina.dialects.core.text import to_text
from lamina.dialects.core.verifier import verify

STAGES = (
    "convert-nn-to-linalg",
    "canonicalize,cse,linalg-sink-reshapes",
    "linalg-fuse-elementwise-ops",
    "form-dispatches,merge-equal-dispatches",
)


@settings(
    max_examples=30,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)
@given(recipe=recipes(), seed=st.integers(0, 1000))
def test_each_stage_keeps_the_values(recipe: Recipe, seed: int) -> None:
    module = recipe.build()
    inputs = [far_from_overflow(array) for array in recipe.arrays(seed)]
    expected = arrays(lamina.interpret(module, *inputs))
    for stage in STAGES:
        lamina.run_pipeline(module, stage)
        verify(module)
        for found, wanted in zip(arrays(lamina.interpret(module, *inputs)), expected, strict=True):
            assert found.dtype == wanted.dtype, stage
            if wanted.dtype.kind != "f":
                np.testing.assert_array_equal(found, wanted, stage)
                continue
            scale = max(1.0, float(np.abs(wanted[np.isfinite(wanted)]).max(initial=0)))
            message = f"{stage}\n{to_text(module)}"
            np.testing.assert_allclose(found, wanted, 1e-4, 1e-4 * scale, err_msg=message)


def far_from_overflow(array: np.ndarray) -> np.ndarray:
    """Floats of moderate size, or infinite: near overflow the order of a sum decides what is finite."""
    return (
        np.where(np.isfinite(array), np.clip(array, -1e3, 1e3), array) if array.dtype.kind == "f" else array
    )


def arrays(values: object) -> tuple[np.ndarray, ...]:
    return values if isinstance(values, tuple) else (values,)  # pyright: ignore[reportReturnType]
