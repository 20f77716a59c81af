"""A dialect whose operations stand in one module for each family."""

from __future__ import annotations

import importlib
import pkgutil

from xdsl.ir import Operation


def operations_of(package: str, base: type[Operation]) -> list[type[Operation]]:
    """The operations, subclasses of ``base`` with a name, of every module of a package, in their order."""
    found: list[type[Operation]] = []
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
        if module.ispkg or module.name == "base":
            continue
        members = vars(importlib.import_module(f"{package}.{module.name}"))
        found += [
            m
            for m in members.values()
            if isinstance(m, type)
            and issubclass(m, base)
            and m.__module__.endswith(f".{module.name}")
            and "name" in vars(m)
        ]
    return found
