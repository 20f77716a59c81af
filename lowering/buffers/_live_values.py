"""Which values of an alias set are read after a time, without looking at slices that are certainly apart.

A tensor that is split into, or assembled from, very many slices would make every write to one of them ask
about all others. Slices of one tensor that are pairwise apart form a family; a write to one member passes
over the values that live in the other members.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from xdsl.dialects import tensor
from xdsl.ir import SSAValue

from lamina.lowering.buffers._slices import SliceOp, slice_bounds

Entry = tuple[int, int, SSAValue]
"""The time of the last read, a serial number, the value."""
PartKey = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


@dataclass(eq=False)
class Family:
    """Slices of one tensor that are pairwise apart, known by their offsets, sizes and strides."""

    keys: set[PartKey]


@dataclass(frozen=True)
class Member:
    """A slice of a family."""

    family: Family
    key: PartKey


def part_key(op: SliceOp) -> PartKey:
    """The static numbers of a slice."""
    return (
        tuple(op.static_offsets.get_values()),
        tuple(op.static_sizes.get_values()),
        tuple(op.static_strides.get_values()),
    )


def family_of(source: SSAValue) -> Family | None:
    """The family of all slices of a value, if they are static and one dimension tells them apart."""
    bounds = {}
    for use in source.uses:
        if isinstance(use.operation, tensor.ExtractSliceOp):
            bounds[part_key(use.operation)] = slice_bounds(use.operation)
    if len(bounds) < 2 or any(None in extents for extents in bounds.values()):
        return None
    for axis in zip(*bounds.values(), strict=True):
        ordered = sorted(axis)
        if all(one[1] < other[0] for one, other in pairwise(ordered)):
            return Family(set(bounds))
    return None


@dataclass
class _FamilyValues:
    values: list[Entry] = field(default_factory=list)
    by_key: dict[PartKey, list[Entry]] = field(default_factory=dict)


@dataclass
class LiveValues:
    """The values of an alias set whose elements are read, ordered by their last read."""

    _others: list[Entry] = field(default_factory=list)
    _families: dict[Family, _FamilyValues] = field(default_factory=dict)

    def add(self, entry: Entry, member: Member | None) -> None:
        """Add a value, which lies in a member of a family or anywhere."""
        if member is None:
            insort(self._others, entry)
            return
        held = self._families.setdefault(member.family, _FamilyValues())
        insort(held.values, entry)
        insort(held.by_key.setdefault(member.key, []), entry)

    def merge(self, other: LiveValues) -> None:
        """Take over the values of another set."""
        for entry in other._others:
            insort(self._others, entry)
        for family, values in other._families.items():
            held = self._families.setdefault(family, _FamilyValues())
            for key, entries in values.by_key.items():
                for entry in entries:
                    insort(held.values, entry)
                    insort(held.by_key.setdefault(key, []), entry)

    def read_after(self, time: int, written: Member | None) -> Iterator[SSAValue]:
        """The values read after a time, without those in other members of the family written to."""
        yield from _later(self._others, time)
        for family, held in self._families.items():
            if written is not None and family is written.family:
                yield from _later(held.by_key.get(written.key, []), time)
            else:
                yield from _later(held.values, time)


def _later(entries: list[Entry], time: int) -> Iterator[SSAValue]:
    for last, _, value in reversed(entries):
        if last <= time:
            return
        yield value
