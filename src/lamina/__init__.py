"""Lamina: an MLIR-style compiler framework, from trained models to fast native code.

The names below are the public API; each is imported when first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from lamina.dialects.core.diagnostics import LaminaError as LaminaError
    from lamina.dialects.core.printer import to_text as to_text
    from lamina.lowering.api import from_stablehlo as from_stablehlo
    from lamina.lowering.api import interpret as interpret
    from lamina.lowering.api import load as load
    from lamina.lowering.api import parse as parse
    from lamina.lowering.compilation import compile as compile
    from lamina.passes.framework.manager import run_pipeline as run_pipeline
    from lamina.passes.nn._binding import bind as bind
    from lamina.passes.nn.nn_grad import grad as grad
    from lamina.passes.nn.nn_grad import value_and_grad as value_and_grad
    from lamina.passes.nn.nn_initialize import initializer as initializer
    from lamina.passes.nn.nn_jvp import jvp as jvp
    from lamina.passes.nn.nn_train_step import train_step as train_step

_PUBLIC = {
    "bind": "lamina.passes.nn._binding",
    "LaminaError": "lamina.dialects.core.diagnostics",
    "to_text": "lamina.dialects.core.printer",
    "run_pipeline": "lamina.passes.framework.manager",
    "compile": "lamina.lowering.compilation",
    "grad": "lamina.passes.nn.nn_grad",
    "jvp": "lamina.passes.nn.nn_jvp",
    "train_step": "lamina.passes.nn.nn_train_step",
    "value_and_grad": "lamina.passes.nn.nn_grad",
    "from_stablehlo": "lamina.lowering.api",
    "initializer": "lamina.passes.nn.nn_initialize",
    "interpret": "lamina.lowering.api",
    "load": "lamina.lowering.api",
    "parse": "lamina.lowering.api",
}

__all__ = [
    "LaminaError",
    "__version__",
    "bind",
    "compile",
    "from_stablehlo",
    "grad",
    "initializer",
    "interpret",
    "jvp",
    "load",
    "parse",
    "run_pipeline",
    "to_text",
    "train_step",
    "value_and_grad",
]


def __getattr__(name: str) -> object:
    module = _PUBLIC.get(name)
    if module is None:
        raise AttributeError(f"module 'lamina' has no attribute '{name}'")
    return getattr(importlib.import_module(module), name)


def __dir__() -> list[str]:
    return sorted(__all__)
