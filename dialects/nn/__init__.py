"""The ``nn`` dialect: models as operations on tensors, with NumPy's and ONNX's semantics."""

from __future__ import annotations

import importlib
import pkgutil

from xdsl.ir import Dialect, Operation

from lamina.dialects.nn.base import NnOp


def _operations() -> list[type[Operation]]:
    """The ops of every family module of this package, in the order of their files."""
    found: list[type[Operation]] = []
    for module in pkgutil.iter_modules(__path__):
        if module.ispkg or module.name == "base":
            continue
        members = vars(importlib.import_module(f"{__name__}.{module.name}"))
        found += [
            m
            for m in members.values()
            if isinstance(m, type)
            and issubclass(m, NnOp)
            and m.__module__.endswith(f".{module.name}")
            and "name" in vars(m)
        ]
    return found


Nn = Dialect("nn", _operations(), [])
