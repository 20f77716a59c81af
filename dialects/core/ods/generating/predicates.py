"""Predicates as trees: ``["or", ["isa", …]]`` with upstream's C++ expressions as the leaves.

Node forms: a C++ expression (text), ``["and", …]``, ``["or", …]``, ``["not", x]``, ``["element", x]`` (of
the element type of a shaped type), ``["vector-element", x]``, ``["complex-element", x]``, ``["value", x]``
(of the type in a type attribute), ``["each", x]`` (of every element of an array), ``["of", expression, x]``
(of another value). ``True`` is always fulfilled.
"""

from __future__ import annotations

from typing import Any

from lamina.dialects.core.ods.generating.records import Dump, Record, derives, plain

_INTO = {
    "cast<ComplexType>($_self).getElementType()": "complex-element",
    "cast<TypeAttr>($_self).getValue()": "value",
    "cast<VectorType>($_self).getElementType()": "vector-element",
}


def tree(dump: Dump, reference: Record) -> Any:
    """The predicate of a record as a tree."""
    record = dump[reference]
    if not derives(record, "CombinedPred"):
        text = plain(record["predExpr"])
        return True if text == "true" else text
    children = [tree(dump, child) for child in record["children"]]
    kind = record["kind"]["def"]
    if kind == "PredCombinerAnd":
        return _joined("and", [c for c in children if c is not True], True)
    if kind == "PredCombinerOr":
        return True if True in children else _joined("or", children, False)
    if kind == "PredCombinerNot":
        return ["not", children[0]]
    if kind == "PredCombinerSubstLeaves":
        into = plain(record["replacement"])
        if into in ("attr", "elementType"):  # said by the text around it
            return children[0]
        return _nested(_INTO[into], children[0]) if into in _INTO else ["of", into, children[0]]
    if kind == "PredCombinerConcat":
        prefix = plain(record["prefix"])
        return _nested("each" if "ArrayAttr" in prefix else "element", children[0])
    raise ValueError(f"unknown combination of predicates: {kind}")


def _joined(kind: str, children: list[Any], empty: bool) -> Any:
    flat: list[Any] = []
    for child in children:
        flat.extend(child[1:] if isinstance(child, list) and child[0] == kind else [child])
    unique = [child for i, child in enumerate(flat) if child not in flat[:i]]
    if not unique:
        return empty
    return unique[0] if len(unique) == 1 else [kind, *unique]


def _nested(kind: str, child: Any) -> Any:
    return True if child is True else [kind, child]
