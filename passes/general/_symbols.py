"""Symbols: who may see them, and which attributes refer to them."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.traits import SymbolOpInterface, SymbolTable


def symbol_name(op: Operation) -> str | None:
    """The name an operation defines as a symbol, or None where it defines none."""
    if not op.has_trait(SymbolOpInterface, value_if_unregistered=False):
        return None
    name = op.get_attr_or_prop("sym_name")
    return name.data if isinstance(name, StringAttr) else None


def visibility(op: Operation) -> str:
    """``public``, ``nested`` or ``private``: from where a symbol can be referred to."""
    value = op.get_attr_or_prop("sym_visibility")
    return value.data if isinstance(value, StringAttr) else "public"


def is_symbol_table(op: Operation) -> bool:
    """Whether symbols directly inside the operation are looked up there."""
    return op.has_trait(SymbolTable, value_if_unregistered=False)


def symbols_of(table: Operation) -> dict[str, Operation]:
    """The symbols that a symbol table defines, by name."""
    return {
        name: op
        for region in table.regions
        for block in region.blocks
        for op in block.ops
        if (name := symbol_name(op)) is not None
    }


def references_of(op: Operation) -> Iterator[SymbolRefAttr]:
    """Every symbol reference in the attributes of one operation, however deep inside them."""
    stack: list[Attribute] = [*op.properties.values(), *op.attributes.values()]
    while stack:
        attribute = stack.pop()
        match attribute:
            case SymbolRefAttr():
                yield attribute
            case ArrayAttr():
                stack.extend(attribute.data)
            case DictionaryAttr():
                stack.extend(attribute.data.values())
            case ParametrizedAttribute():
                stack.extend(attribute.parameters)
            case _:
                pass
