"""The op that a symbol stands for, from the place where it is used."""

from __future__ import annotations

import weakref

from xdsl.dialects.builtin import StringAttr, SymbolRefAttr
from xdsl.ir import Operation
from xdsl.traits import SymbolTable

from lamina.dialects.core.diagnostics import did_you_mean
from lamina.dialects.core.verifying.groups import attribute

_last: tuple[weakref.ref[Operation], dict[str, Operation]] | None = None
"""The names of the symbol table that was looked into last: mostly it is the next one, too."""


def nearest_table(op: Operation) -> Operation | None:
    """The op around ``op`` (or itself) in which symbols are looked up."""
    table: Operation | None = op
    while table is not None and not table.has_trait(SymbolTable, value_if_unregistered=False):
        table = table.parent_op()
    return table


def symbol_in(table: Operation, name: str) -> Operation | None:
    """The op of this name in a symbol table."""
    global _last
    known = _last[1].get(name) if _last is not None and _last[0]() is table else None
    if known is not None and known.parent_op() is table and _name_of(known) == name:
        return known
    inside = (op for block in table.regions[0].blocks for op in block.ops)
    names = {found: op for op in inside if (found := _name_of(op)) is not None}
    _last = weakref.ref(table), names
    return names.get(name)


def symbol_from(op: Operation, reference: str | SymbolRefAttr) -> Operation | None:
    """The op that a name, or a nested reference, stands for where ``op`` uses it."""
    table = nearest_table(op)
    if isinstance(reference, str):
        return symbol_in(table, reference) if table is not None else None
    found = symbol_in(table, reference.root_reference.data) if table is not None else None
    for name in reference.nested_references.data:
        if found is None or not found.has_trait(SymbolTable, value_if_unregistered=False):
            return None
        found = symbol_in(found, name.data)
    return found


def nearest_symbol(op: Operation, name: str) -> str | None:
    """A hint that names the symbol most like one that does not exist, where ``op`` uses it."""
    table = nearest_table(op)
    if table is None:
        return None
    inside = (found for block in table.regions[0].blocks for other in block.ops if (found := _name_of(other)))
    return did_you_mean(name, list(inside))


def _name_of(op: Operation) -> str | None:
    name = attribute(op, "sym_name")
    return name.data if isinstance(name, StringAttr) else None
