"""Running a model in `nn` op by op on NumPy arrays, by the references of the ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from lamina.lowering.interpreter import interpret_function


@pytest.fixture(scope="session")
def run_nn() -> Callable[[ModuleOp, Sequence[np.ndarray]], list[np.ndarray]]:
    """``run_nn(module, inputs)``: the results of ``@main``."""

    def run(module: ModuleOp, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        return [np.asarray(v) for v in interpret_function(module, "main", list(inputs))]

    return run
