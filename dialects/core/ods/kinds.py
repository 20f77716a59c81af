"""How the ops of one name are made: their class, and where it keeps each of their attributes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from xdsl.dialects.builtin import DenseArrayBase, UnregisteredOp, i32
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation
from xdsl.traits import IsolatedFromAbove

from lamina.dialects.core.ods.formats.attributes import default_texts
from lamina.dialects.core.ods.spec import OpSpec


class OpKind:
    """What is known of the ops of one name before the first is made."""

    __slots__ = (
        "_default_texts",
        "_defaults",
        "_inherent",
        "_kept_as_attributes",
        "_read",
        "isolated",
        "name",
        "spec",
        "type",
        "unregistered",
    )

    def __init__(
        self,
        name: str,
        kind: type[Operation],
        spec: OpSpec | None,
        read: Callable[[str], Attribute] | None = None,
    ) -> None:
        self.name, self.type, self.spec = name, kind, spec
        self.unregistered = issubclass(kind, UnregisteredOp)
        self.isolated = kind.has_trait(IsolatedFromAbove, value_if_unregistered=False)
        self._read = read
        properties: set[str] = set()
        attributes: set[str] = set()
        if issubclass(kind, IRDLOperation):
            definition = kind.get_irdl_definition()
            properties.update(definition.properties)
            attributes.update(definition.attributes)
        declared = {a.name for a in spec.attributes} if spec else set()
        self._kept_as_attributes = attributes - properties
        self._inherent = properties | (declared - attributes)
        self._default_texts: list[tuple[str, str]] = []
        if spec is not None and any(a.default is not None and not a.optional for a in spec.attributes):
            texts = default_texts(spec)
            self._default_texts = [
                (a.name, texts[a.name]) for a in spec.attributes if a.name in texts and not a.optional
            ]
        self._defaults: list[tuple[str, Attribute]] | None = None

    def split(
        self, attributes: Mapping[str, Attribute] | None, properties: Mapping[str, Attribute] | None
    ) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
        """Properties and attributes of an op, from what was given as either, with defaults put in."""
        inherent: dict[str, Attribute] = {}
        others: dict[str, Attribute] = {}
        if properties:
            kept = self._kept_as_attributes
            for name, value in properties.items():
                (others if name in kept else inherent)[name] = value
        if attributes:
            known = self._inherent
            for name, value in attributes.items():
                (inherent if name in known else others)[name] = value
        if self._default_texts:
            for name, value in self._default_values():
                if name not in inherent and name not in others:
                    (others if name in self._kept_as_attributes else inherent)[name] = value
        return inherent, others

    def _default_values(self) -> list[tuple[str, Attribute]]:
        if self._defaults is None:
            read = self._read
            self._defaults = [(name, read(text)) for name, text in self._default_texts] if read else []
        return self._defaults

    def set_segments(
        self, inherent: dict[str, Attribute], others: dict[str, Attribute], name: str, sizes: Sequence[int]
    ) -> None:
        """Store the sizes of groups of operands or results where the op's class keeps them."""
        value = _segments(tuple(sizes))
        (others if name in self._kept_as_attributes else inherent)[name] = value


@lru_cache(maxsize=1024)
def _segments(sizes: tuple[int, ...]) -> DenseArrayBase:
    return DenseArrayBase.from_list(i32, sizes)


def slots_of(counts: Sequence[int], total: int, sizes: Sequence[int] | None) -> list[slice] | None:
    """The slice of each group in a list of operands or results; None where they do not fit.

    ``counts`` says what each group may hold (:data:`lamina.dialects.core.ods.spec.SINGLE` and its like).
    """
    if sizes is not None:
        if len(sizes) != len(counts) or sum(sizes) != total:
            return None
        slices, first = [], 0
        for size in sizes:
            slices.append(slice(first, first + size))
            first += size
        return slices
    several = sum(1 for count in counts if count)
    spare = total - (len(counts) - several)
    if spare < 0 or (not several and spare) or (several > 1 and spare % several):
        return None
    share = spare // several if several else 0
    slices, first = [], 0
    for count in counts:
        size = share if count else 1
        slices.append(slice(first, first + size))
        first += size
    return slices


class _Groups(NamedTuple):
    """The groups of operands or results of all ops of one name."""

    single: bool
    """Whether each holds one value."""
    counts: list[int]
    sizes: str | None
    """The attribute with the size of each, where the op has one; one of this name may be on any op."""


_groups: dict[tuple[str, str], _Groups] = {}


def _groups_in(spec: OpSpec, what: str) -> _Groups:
    found = _groups.get((spec.name, what))
    if found is None:
        groups, kind = (spec.operands, "Operand") if what == "operands" else (spec.results, "Result")
        counts = [group.count for group in groups]
        sized = f"AttrSized{kind}Segments" in spec.traits
        sizes = f"{kind.lower()}SegmentSizes" if sized else None
        found = _groups[spec.name, what] = _Groups(not any(counts), counts, sizes)
    return found


def groups_of(op: Operation, spec: OpSpec, what: str) -> list[Any] | None:
    """The values of each group of operands or results (``what``) of an op, in order."""
    single, counts, name = _groups_in(spec, what)
    values = op._operands if what == "operands" else op.results  # pyright: ignore[reportPrivateUsage]
    if single:
        return [(value,) for value in values] if len(values) == len(counts) else None
    found = op.get_attr_or_prop(name) if name else None
    sizes = found.get_values() if isinstance(found, DenseArrayBase) else None
    slices = slots_of(counts, len(values), sizes)  # pyright: ignore[reportArgumentType]
    return [tuple.__getitem__(values, part) for part in slices] if slices is not None else None
