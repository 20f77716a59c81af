"""The Python class of an op: xDSL's or an extension's where there is one, else one made from the op table.

Passes see no difference: a class that is made from the table has an accessor for each operand, result,
attribute, region and successor (upstream's name in snake case), and xDSL's traits for upstream's.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache

from xdsl.ir import Attribute, Dialect, Operation

from lamina.dialects.core.ods.spec import spec_of, table_of

_classes: dict[str, type[Operation]] = {}


def class_of(name: str) -> type[Operation] | None:
    """The class of an op by its full name; None where no dialect has it."""
    found = _classes.get(name)
    if found is None:
        found = written_classes(name.partition(".")[0]).get(name)
        if found is None:
            spec = spec_of(name)
            if spec is None:
                return None
            from lamina.dialects.core.ods.making import made_from

            found = made_from(spec)
        _classes[name] = found
    return found


@cache
def written_classes(dialect: str) -> dict[str, type[Operation]]:
    """The classes that xDSL or an extension has for a dialect, by name; the extension's wins."""
    from lamina.dialects.core.context import base_dialect, extensions

    base = base_dialect(dialect)
    found = {op.name: op for op in base.operations} if base else {}
    module = extensions().get(dialect)
    if module:
        found.update({op.name: op for op in importlib.import_module(module).OPERATIONS})
    return found


class TableDialect(Dialect):
    """A dialect with an op table; the classes it lacks are made when they are listed."""

    def __init__(self, base: Dialect, attributes: list[type[Attribute]]) -> None:
        written = list(written_classes(base.name).values())
        interfaces = list(base._interfaces)  # pyright: ignore[reportPrivateUsage]
        super().__init__(base.name, written, attributes, interfaces)

    @property
    def written(self) -> list[type[Operation]]:
        """The operations whose classes exist without the table."""
        return self._operations

    @property
    def operations(self) -> Iterator[type[Operation]]:
        yield from self._operations
        table = table_of(self.name)
        names = {op.name for op in self._operations}
        for name in table.ops if table else ():
            made = None if name in names else class_of(name)
            if made is not None:
                yield made
