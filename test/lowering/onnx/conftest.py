"""Running a model in `nn` op by op on NumPy arrays, by the references of the ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from lamina.lowering.api import interpret


@pytest.fixture(scope="session")
def run_nn() -> Callable[[ModuleOp, Sequence[np.ndarray]], list[np.ndarray]]:
    """``run_nn(module, inputs)``: the results of ``@main``."""

    def run(module: ModuleOp, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        results = interpret(module, *inputs)
        return list(results) if isinstance(results, tuple) else [results]

    return run
