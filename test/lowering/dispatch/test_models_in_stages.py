"""Typical blocks of models: every stage is accepted by mlir-opt, and computes what nn says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import lamina
from lamina.dialects.core.text import to_text

STAGES = (
    "convert-nn-to-linalg",
    "canonicalize,cse,linalg-sink-reshapes",
    "linalg-fuse-elementwise-ops",
    "form-dispatches,merge-equal-dispatches",
)

MODELS = {"attention": 10, "residual": 8, "squeeze-excite": 4}
"""Names of texts in Inputs, and the most dispatches each may need."""
INPUTS = Path(__file__).parent / "Inputs"


@pytest.mark.parametrize("name", MODELS)
def test_stages_are_accepted_and_keep_the_values(mlir_opt: Callable[..., str], name: str) -> None:
    module = lamina.parse((INPUTS / f"{name}.mlir").read_text(encoding="utf-8"))
    main = next(op for op in module.walk() if op.name == "func.func")
    rng = np.random.default_rng(0)
    inputs = [rng.standard_normal(a.type.get_shape()).astype(np.float32) for a in main.regions[0].block.args]  # pyright: ignore
    expected = lamina.interpret(module, *inputs)
    for stage in STAGES:
        lamina.run_pipeline(module, stage)
        mlir_opt(to_text(module))
        np.testing.assert_allclose(lamina.interpret(module, *inputs), expected, 1e-5, 1e-5, err_msg=stage)
    calls = [op for op in module.walk() if op.name == "func.call"]
    assert len(calls) <= MODELS[name]
