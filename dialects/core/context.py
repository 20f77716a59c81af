"""The registered dialects: xDSL's, what Lamina adds to them, and Lamina's own, imported when used."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path
from typing import Any

from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.ir import Attribute, Dialect, Operation

from lamina.dialects.core.assembly_formats import compile_formats_on_demand
from lamina.dialects.core.implicit_builders import keep_the_hook_of_implicit_builders
from lamina.dialects.core.installed import DIALECTS, Unusable, find_installed, installed_names
from lamina.dialects.core.ods.classes import TableDialect, class_of
from lamina.dialects.core.ods.spec import has_table, table_of

keep_the_hook_of_implicit_builders()
compile_formats_on_demand()

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


def operation_names() -> Iterable[str]:
    """The operations of Lamina's dialects and of those with an op table, without making a class for one."""
    for name in _factories():
        table = table_of(name)
        yield from table.ops if table else ()
    for name in _OWN:
        table = table_of(name)
        yield from table.ops if table else (op.name for op in _own(*_OWN[name]).operations)


def register_dialect(name: str, factory: Callable[[], Dialect]) -> None:
    """Make a dialect from outside Lamina known to every context that is made from now on."""
    _plugins[name] = factory


@cache
def _factories() -> dict[str, Callable[[], Dialect]]:
    return get_all_dialects()


@cache
def base_dialect(name: str) -> Dialect | None:
    """The dialect as xDSL has it, or Lamina's own of that name, without what the op tables add."""
    if name in _OWN:
        return _own(*_OWN[name])
    factory = _factories().get(name)
    return factory() if factory else None


class Registered(dict[str, Callable[[], Dialect]]):
    """Dialects by name; one that is not here is looked for in installed packages."""

    def __contains__(self, name: object) -> bool:
        if super().__contains__(name):
            return True
        found = find_installed(DIALECTS, str(name), _installed_dialect)
        if found is None:
            return False
        self[str(name)] = found
        return True

    def copy(self) -> Registered:
        return Registered(self)


class TableContext(Context):
    """A context that knows every op of the op tables. The class of one is made when it is asked for."""

    @property
    def registered_dialect_names(self) -> Iterable[str]:
        own = {*_factories(), *_OWN}
        return dict.fromkeys((*self._registered_dialects, *installed_names(DIALECTS, own)))

    def clone(self) -> TableContext:
        return TableContext(
            self.allow_unregistered,
            self._loaded_dialects.copy(),
            self._loaded_ops.copy(),
            self._loaded_attrs.copy(),
            self._loaded_types.copy(),
            self._registered_dialects.copy(),
        )

    def load_registered_dialect(self, name: str) -> None:
        if name not in self._registered_dialects:
            return super().load_registered_dialect(name)
        dialect = self._registered_dialects[name]()
        self._loaded_dialects[dialect.name] = dialect
        for op in dialect.written if isinstance(dialect, TableDialect) else dialect.operations:
            self.load_op(op)
        for attribute in dialect.attributes:
            self.load_attr_or_type(attribute)
        return None

    def _get_known_op(self, name: str) -> type[Operation] | None:
        found = super()._get_known_op(name)
        if found is None:
            dialect = self._loaded_dialects.get(name.partition(".")[0])
            if isinstance(dialect, TableDialect):
                found = class_of(name)
                if found is not None:
                    self._loaded_ops[name] = found
        return found


def make_context(*, allow_unregistered: bool = False) -> Context:
    """A context in which every dialect is registered and none is loaded."""
    context = TableContext(allow_unregistered, _registered_dialects=Registered())
    for name in (*_factories(), *_OWN):
        if name not in _plugins:
            context._registered_dialects[name] = partial(_dialect, name)
    context._registered_dialects.update(_plugins)
    return context


def _installed_dialect(name: str, found: Any) -> Callable[[], Dialect]:
    dialect = found if isinstance(found, Dialect) else found()
    if not isinstance(dialect, Dialect):
        raise Unusable(f"it is no dialect but of type '{type(dialect).__name__}'")
    if dialect.name != name:
        raise Unusable(f"it is the dialect '{dialect.name}'")
    return lambda: dialect


def _own(module: str, attribute: str) -> Dialect:
    return getattr(importlib.import_module(module), attribute)


def _dialect(name: str) -> Dialect:
    """The dialect of a name: as it is, or with what an extension and the op table add to it."""
    base = base_dialect(name)
    assert base is not None
    module = extensions().get(name)
    if not module and not has_table(name):
        return base
    added: list[type[Attribute]] = importlib.import_module(module).ATTRIBUTES if module else []
    attributes = {a.name: a for a in (*base.attributes, *added)}
    return TableDialect(base, list(attributes.values()))
