"""The records of an op table, and the tables by dialect, loaded when a dialect is first met.

A table ``dialects/<dialect>/ods.json`` is generated from upstream's definitions by
:mod:`lamina.dialects.core.ods.generate` and committed: names, argument names, constraints, traits and
assembly formats are upstream's (MLIR 22, Apache-2.0 WITH LLVM-exception).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

SINGLE, OPTIONAL, VARIADIC, NESTED = 0, 1, 2, 3
"""How many values a group of operands or results holds: one, at most one, any number, groups of groups."""


@dataclass(slots=True, frozen=True)
class Group:
    """A named group of operands, results, regions or successors."""

    name: str
    constraint: str
    count: int = SINGLE
    segments: str | None = None
    """The attribute that holds the sizes of a nested group."""
    minimum: int = 0
    """The least number of values of a variadic group."""


@dataclass(slots=True, frozen=True)
class AttributeSpec:
    """An inherent attribute. ``kind`` is upstream's record: ``I64Attr``, ``Arith_FastMathAttr``, …"""

    name: str
    kind: str
    optional: bool = False
    default: str | None = None
    """The default value as attribute text (``"false"``, ``"#arith.fastmath<none>"``), or None."""


@dataclass(slots=True, frozen=True)
class OpSpec:
    """An operation as upstream defines it."""

    name: str
    operands: tuple[Group, ...]
    results: tuple[Group, ...]
    attributes: tuple[AttributeSpec, ...]
    regions: tuple[Group, ...]
    successors: tuple[Group, ...]
    traits: frozenset[str]
    """Traits without parameters: ``Pure``, ``Terminator``, ``AttrSizedOperandSegments``, …"""
    relations: tuple[tuple[Any, ...], ...] = ()
    """Traits with parameters: ``("AllTypesMatch", "lhs", "rhs")``, ``("TypesMatchWith", from, to,
    transformer, summary)``, ``("HasParent", names…)``, ``("SingleBlockImplicitTerminator", name)``,
    ``("PredOpTrait", summary, predicate tree, name)``, ``("Effect", effect, argument)``,
    ``("MemoryEffects", effects…)``, …"""
    format: str | None = None
    """The assembly format; None where the syntax is written by hand (``custom``) or only generic."""
    custom: bool = False
    verifier: bool = False
    """Whether upstream verifies more than the table says."""
    by_name: dict[str, AttributeSpec] = field(default_factory=dict, compare=False, hash=False)


@dataclass(slots=True, frozen=True)
class EnumSpec:
    """An enumeration: ``cases`` maps the text of each case to its number.

    Bit enums join cases by a separator.
    """

    name: str
    cases: dict[str, int]
    bits: bool = False
    separator: str = "|"
    width: int = 32


@dataclass(slots=True, frozen=True)
class AttrKind:
    """What the table knows of an attribute constraint: how it is stored, checked and shown in a format.

    ``storage`` is ``"integer"``, ``"float"``, ``"enum-integer"`` (with ``type``, as ``i64``), ``"boolean"``,
    ``"enum"`` (an attribute of the dialect that wraps an enum, as ``#arith.fastmath<…>``), ``"symbol"``,
    ``"symbol-name"``, ``"string"``, ``"unit"``, ``"type"``, ``"array"``, ``"dense-array"``, ``"elements"``,
    ``"dictionary"``, ``"affine-map"``, ``"integer-set"``, ``"dialect"``, ``"any"``.
    """

    name: str
    summary: str
    storage: str
    type: str | None = None
    enum: str | None = None
    attribute: str | None = None
    """The mnemonic of the dialect attribute, as ``arith.fastmath``."""
    predicate: Any = True
    """Upstream's predicate as a tree (:mod:`lamina.dialects.core.ods.generating.predicates`)."""
    property: bool = False
    """Whether upstream holds it as a C++ value, not as an attribute."""


@dataclass(slots=True, frozen=True)
class TypeKind:
    """A type constraint: upstream's summary (which stands in messages) and its predicate as a tree."""

    name: str
    summary: str
    predicate: Any = True
    buildable: str | None = None
    """The text of the one type that fulfils it, as ``index`` or ``i1``; formats leave such types out."""


@dataclass(slots=True)
class Table:
    """Everything that upstream's definitions of one dialect say."""

    dialect: str
    ops: Mapping[str, OpSpec]
    enums: Mapping[str, EnumSpec]
    attr_kinds: Mapping[str, AttrKind]
    type_kinds: Mapping[str, TypeKind]
    attributes: dict[str, dict[str, Any]]
    """The dialect's own attributes by full name, as ``arith.fastmath``: ``{"class": C++ class,
    "parameters": [[name, C++ type, default of an optional one]…], "format": …, "custom": bool, "enum": name,
    "alias": bool}``; what is empty is left out."""
    types: dict[str, dict[str, Any]]
    """The dialect's own types by full name, likewise."""


_DIALECTS = Path(__file__).resolve().parents[2]


@cache
def has_table(dialect: str) -> bool:
    """Whether there is an op table of a dialect."""
    return (_DIALECTS / dialect / "ods.json").is_file()


@cache
def table_of(dialect: str) -> Table | None:
    """The table of a dialect, or None where there is none."""
    if not has_table(dialect):
        return None
    from lamina.dialects.core.ods.loading import table_from

    path = _DIALECTS / dialect / "ods.json"
    return table_from(json.loads(path.read_text(encoding="utf-8")))  # pyright: ignore[reportReturnType]


def spec_of(name: str) -> OpSpec | None:
    """The definition of an op by its full name, or None."""
    table = table_of(name.partition(".")[0])
    return table.ops.get(name) if table else None
