"""From the JSON of an op table to its records, each made when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from lamina.dialects.core.ods.spec import AttributeSpec, AttrKind, EnumSpec, Group, OpSpec, Table, TypeKind

T = TypeVar("T")


class LazyRecords(Mapping[str, T], Generic[T]):
    """A mapping that holds rows of JSON and makes the record of a name when it is asked for it."""

    __slots__ = ("_made", "_make", "_rows")

    def __init__(self, rows: dict[str, dict[str, Any]], make: Callable[[str, dict[str, Any]], T]) -> None:
        self._rows = rows
        self._make = make
        self._made: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = self._make(name, self._rows[name])
        return made

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def table_from(data: dict[str, Any]) -> Table:
    """The table that ``ods.json`` holds."""
    return Table(
        data["dialect"],
        LazyRecords(data["ops"], _operation),
        LazyRecords(data["enums"], _enum),
        LazyRecords(data["attr_kinds"], _attr_kind),
        LazyRecords(data["type_kinds"], _type_kind),
        data["attributes"],
        data["types"],
    )


def _operation(name: str, row: dict[str, Any]) -> OpSpec:
    attributes = tuple(_attribute(*entry) for entry in row.get("attributes", ()))
    return OpSpec(
        name,
        tuple(Group(*entry) for entry in row.get("operands", ())),
        tuple(Group(*entry) for entry in row.get("results", ())),
        attributes,
        tuple(Group(*entry) for entry in row.get("regions", ())),
        tuple(Group(*entry) for entry in row.get("successors", ())),
        frozenset(row.get("traits", ())),
        tuple(tuple(entry) for entry in row.get("relations", ())),
        row.get("format"),
        row.get("custom", False),
        row.get("verifier", False),
        {attribute.name: attribute for attribute in attributes},
    )


def _attribute(name: str, kind: str, optional: int = 0, default: str | None = None) -> AttributeSpec:
    return AttributeSpec(name, kind, bool(optional), default)


def _enum(name: str, row: dict[str, Any]) -> EnumSpec:
    return EnumSpec(name, **row)


def _attr_kind(name: str, row: dict[str, Any]) -> AttrKind:
    return AttrKind(name, **row)


def _type_kind(name: str, row: dict[str, Any]) -> TypeKind:
    return TypeKind(name, **row)
