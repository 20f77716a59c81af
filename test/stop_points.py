"""The stop points of the lowering of a model: the text of each level, and checks of what it computes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

import lamina
from lamina.lowering.pipelines import LEVELS
from lamina.passes.nn.nn_set_shapes import set_shapes

INTERPRETED = ("nn-simplified", "linalg", "dispatches", "buffers", "loops")
"""The levels that the interpreter reaches: all but the llvm dialect."""


def stop_points(module: ModuleOp, inputs: Sequence[np.ndarray]) -> Iterator[tuple[str, str]]:
    """Each level and its text, of a module specialised to the shapes of some inputs."""
    module = module.clone()
    set_shapes(module, "main", [array.shape for array in inputs])
    for level, passes in LEVELS.items():
        lamina.run_pipeline(module, ",".join(passes))
        yield level, lamina.to_text(module)


def check_parses_to_itself(text: str) -> ModuleOp:
    """The module of a text, which is printed as the same text, in the generic form, too."""
    module = lamina.parse(text)
    assert lamina.to_text(module) == text
    assert lamina.to_text(lamina.parse(lamina.to_text(module, generic=True))) == text
    return module


def check_accepted_upstream(
    level: str, text: str, mlir_opt: Callable[..., str], mlir_translate: Callable[..., str]
) -> None:
    """MLIR's own tools read a level below ``nn``, and make LLVM IR of the last."""
    if level != "nn-simplified":
        mlir_opt(text)
    if level == "llvm":
        assert "define void @main" in mlir_translate(text, "--mlir-to-llvmir")


def check_results(results: Any, wanted: Sequence[np.ndarray], what: str = "") -> None:
    """Results are the wanted ones: dtype, shape, values (rtol 1e-3, atol 1e-4 of the largest), and argmax."""
    given = results if isinstance(results, tuple) else (results,)
    for result, want in zip(given, wanted, strict=True):
        assert (result.dtype, result.shape) == (want.dtype, want.shape), what
        if want.size == 0 or want.dtype.kind != "f":
            np.testing.assert_array_equal(result, want, err_msg=what)
            continue
        largest = float(np.abs(want).max())
        np.testing.assert_allclose(result, want, rtol=1e-3, atol=1e-4 * largest, err_msg=what)
        if want.ndim:
            np.testing.assert_array_equal(result.argmax(axis=-1), want.argmax(axis=-1), err_msg=what)
