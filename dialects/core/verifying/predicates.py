"""Constraints as Python predicates, made from the trees of the op tables when an op is first verified."""

from __future__ import annotations

from functools import cache
from typing import Any

from xdsl.dialects.builtin import IntegerAttr, IntegerType

from lamina.dialects.core.ods.spec import AttrKind, table_of
from lamina.dialects.core.verifying.leaves import Condition, leaf, mnemonic_of


def predicate(tree: Any) -> Condition:
    """The predicate of a tree (:mod:`lamina.dialects.core.ods.generating.predicates`)."""
    if tree is True:
        return lambda x: True
    if isinstance(tree, str):
        return leaf(tree)
    kind, *rest = tree
    if kind == "and":
        parts = [predicate(part) for part in rest]
        return lambda x: all(part(x) for part in parts)
    if kind == "or":
        parts = [predicate(part) for part in rest]
        return lambda x: any(part(x) for part in parts)
    inner = predicate(rest[-1])
    if kind == "not":
        return lambda x: not inner(x)
    if kind in ("element", "vector-element", "complex-element"):
        return lambda x: inner(x.element_type)
    if kind == "each":
        return lambda x: all(inner(y) for y in x.data)
    if kind == "value":
        return inner
    raise ValueError(f"unknown predicate: {tree}")


@cache
def type_predicate(dialect: str, constraint: str) -> Condition | None:
    """The predicate of a type constraint of a dialect's table; None where every type fulfils it."""
    table = table_of(dialect)
    assert table is not None
    tree = table.type_kinds[constraint].predicate
    return None if tree is True else predicate(tree)


@cache
def attribute_predicate(dialect: str, constraint: str) -> Condition | None:
    """The predicate of an attribute constraint of a dialect's table; None where every attribute
    fulfils it."""
    table = table_of(dialect)
    assert table is not None
    kind = table.attr_kinds[constraint]
    if kind.storage == "enum-integer" and kind.enum:
        cases = table.enums[kind.enum]
        allowed = _bits(cases.cases) if cases.bits else frozenset(cases.cases.values())
        return _number_in(kind, allowed, cases.bits)
    return None if kind.predicate is True else predicate(kind.predicate)


def _bits(cases: dict[str, int]) -> frozenset[int]:
    every = 0
    for value in cases.values():
        every |= value
    return frozenset((every,))


def _number_in(kind: AttrKind, allowed: frozenset[int], bits: bool) -> Condition:
    """An integer attribute that holds a case (a set of bits) of an enumeration, or the attribute that
    wraps it."""
    width = int((kind.type or "i32")[1:])
    mask = next(iter(allowed)) if bits else 0
    wrapped = kind.attribute
    extra = None if kind.predicate is True or isinstance(kind.predicate, str) else _bounds(kind.predicate)

    def holds(attribute: Any) -> bool:
        if not isinstance(attribute, IntegerAttr):
            return wrapped is not None and mnemonic_of(attribute) == wrapped
        type = attribute.type
        if not isinstance(type, IntegerType) or type.width.data != width:
            return False
        number = attribute.value.data
        if not (number & ~mask == 0 if bits else number in allowed):
            return False
        return extra is None or extra(attribute)

    return holds


def _bounds(tree: Any) -> Condition:
    """The part of a predicate that bounds an integer attribute; its class has been checked."""
    return predicate(["and", *(part for part in tree[1:] if "getInt()" in str(part))])
