"""The registered dialects: xDSL's, what Lamina adds to them, and Lamina's own, imported when used."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.ir import Attribute, Dialect, Operation

from lamina.dialects.core.implicit_builders import keep_the_hook_of_implicit_builders

keep_the_hook_of_implicit_builders()

_OWN = {
    "nn": ("lamina.dialects.nn", "Nn"),
    "onnx": ("lamina.dialects.onnx", "Onnx"),
    "index": ("lamina.dialects.index", "Index"),
    "stablehlo": ("lamina.dialects.stablehlo", "Stablehlo"),
    "chlo": ("lamina.dialects.chlo", "Chlo"),
}
"""Lamina's dialects: module and the name of the dialect object in it."""

_plugins: dict[str, Callable[[], Dialect]] = {}


def extensions() -> dict[str, str]:
    """The modules that add ops to xDSL's dialects, by dialect: each ``dialects/<name>/extension.py``."""
    root = Path(__file__).resolve().parent.parent
    return {
        path.parent.name: f"lamina.dialects.{path.parent.name}.extension"
        for path in root.glob("*/extension.py")
    }


@cache
def extended_class(kind: type[Operation]) -> type[Operation]:
    """The class that an extension has in place of one of xDSL's, itself where there is none.

    Passes, xDSL's among them, make ops of xDSL's classes; their text has to be what the extension parses.
    """
    module = extensions().get(kind.name.split(".", 1)[0])
    added = importlib.import_module(module).OPERATIONS if module else ()
    return next((found for found in added if found.name == kind.name and issubclass(found, kind)), kind)


def register_dialect(name: str, factory: Callable[[], Dialect]) -> None:
    """Make a dialect from outside Lamina known to every context that is made from now on."""
    _plugins[name] = factory


def make_context(*, allow_unregistered: bool = False) -> Context:
    """A context in which every dialect is registered and none is loaded."""
    context = Context(allow_unregistered)
    extended = extensions()
    for name, factory in get_all_dialects().items():
        if name in _OWN or name in _plugins:
            continue
        module = extended.get(name)
        context.register_dialect(name, partial(_extended, factory, module) if module else factory)
    for name, (module, attribute) in _OWN.items():
        context.register_dialect(name, partial(_own, module, attribute))
    for name, factory in _plugins.items():
        context.register_dialect(name, factory)
    return context


def _own(module: str, attribute: str) -> Dialect:
    return getattr(importlib.import_module(module), attribute)


def _extended(factory: Callable[[], Dialect], module: str) -> Dialect:
    """xDSL's dialect joined by the ops and attributes of an extension module; the extension wins a name."""
    base = factory()
    extra = importlib.import_module(module)
    operations: dict[str, type[Operation]] = {op.name: op for op in (*base.operations, *extra.OPERATIONS)}
    attributes: dict[str, type[Attribute]] = {a.name: a for a in (*base.attributes, *extra.ATTRIBUTES)}
    interfaces = list(base._interfaces)  # pyright: ignore[reportPrivateUsage]
    return Dialect(base.name, list(operations.values()), list(attributes.values()), interfaces)
