"""Sets of tensor values that share memory, and sets of values that are the very same buffer.

Both are union-find structures, merged small into large, so the analysis stays near linear.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import tensor
from xdsl.ir import Operation, SSAValue

from lamina.lowering.buffers._live_values import Family, LiveValues, Member, PartKey, family_of, part_key
from lamina.lowering.buffers._slices import InsertionOp


@dataclass(eq=False)
class AliasSet:
    """Values that may share memory."""

    writable: bool = True
    """False for constants and for arguments that belong to the caller."""
    scope: Operation | None = None
    """The innermost concurrent loop around the allocation: code in a deeper one may not write to it."""
    live: LiveValues = field(default_factory=LiveValues)
    """Members whose elements are read."""
    members: list[SSAValue] = field(default_factory=list)
    last_write: int = -1
    """The time of the latest write in place, -1 without one."""


class Aliases:
    """Alias sets and buffer identity of the tensor values of a function."""

    def __init__(self) -> None:
        self._sets: dict[SSAValue, AliasSet] = {}
        self._leader: dict[SSAValue, SSAValue] = {}
        self._views: dict[SSAValue, list[Operation]] = {}
        self._families: dict[SSAValue, list[Family]] = {}
        self._members: dict[SSAValue, Member] = {}
        self._split: set[SSAValue] = set()
        self._read: set[SSAValue] = set()
        self._serial = 0

    def add(self, value: SSAValue, *, writable: bool = True, scope: Operation | None = None) -> None:
        """A value in a new buffer."""
        self._sets[value] = AliasSet(writable, scope, members=[value])

    def knows(self, value: SSAValue) -> bool:
        """Whether the value has been added."""
        return value in self._sets

    def set_of(self, value: SSAValue) -> AliasSet:
        """The alias set of a value."""
        return self._sets[value]

    def join(self, value: SSAValue, other: SSAValue) -> None:
        """A new value in the set of another."""
        found = self._sets[other]
        self._sets[value] = found
        found.members.append(value)

    def keep_alive(self, value: SSAValue, until: int) -> None:
        """Record that the elements of a value are read, last at a time."""
        self._serial += 1
        self._read.add(value)
        self._sets[value].live.add((until, self._serial, value), self.member_of(value))

    def unite(self, first: SSAValue, second: SSAValue) -> None:
        """Merge two alias sets."""
        large, small = self._sets[first], self._sets[second]
        if large is small:
            return
        if len(large.members) < len(small.members):
            large, small = small, large
        large.writable &= small.writable
        large.last_write = max(large.last_write, small.last_write)
        if large.scope is not small.scope:
            large.scope = _outer(large.scope, small.scope)
        large.live.merge(small.live)
        large.members.extend(small.members)
        for member in small.members:
            self._sets[member] = large

    def identity(self, value: SSAValue) -> SSAValue:
        """The representative of all values that are the same buffer."""
        root = value
        while (above := self._leader.get(root, root)) is not root:
            root = above
        while value is not root:
            self._leader[value], value = root, self._leader.get(value, root)
        return root

    def same(self, first: SSAValue, second: SSAValue) -> bool:
        """Whether two values are the very same buffer."""
        return self.identity(first) is self.identity(second)

    def identify(self, first: SSAValue, second: SSAValue) -> None:
        """Two values are the same buffer."""
        first, second = self.identity(first), self.identity(second)
        if first is not second:
            self._leader[second] = first
            for table in (self._views, self._families):
                if (moved := table.pop(second, None)) is not None:
                    table.setdefault(first, []).extend(moved)  # pyright: ignore[reportArgumentType]

    def record_view(self, view: SSAValue, op: Operation) -> None:
        """``view`` is defined as a part or another shape of the first operand of ``op``."""
        self._views.setdefault(self.identity(view), []).append(op)
        if isinstance(op, tensor.ExtractSliceOp):
            self._place_slice(view, op)
        elif (member := self.member_of(op.operands[0])) is not None:
            self._members[self.identity(view)] = member

    def views(self, value: SSAValue) -> list[Operation]:
        """The view operations that define the buffer of a value."""
        return self._views.get(self.identity(value), [])

    def is_read(self, value: SSAValue) -> bool:
        """Whether the elements of a value are read."""
        return value in self._read

    def _place_slice(self, value: SSAValue, op: tensor.ExtractSliceOp) -> None:
        """Note in which member of its family a slice lies."""
        source = op.source
        if source not in self._split:
            self._split.add(source)
            family = family_of(source)
            if family is not None:
                self._families.setdefault(self.identity(source), []).append(family)
        member = self._member_at(source, part_key(op)) or self.member_of(source)
        if member is not None:
            self._members[self.identity(value)] = member

    def _member_at(self, whole: SSAValue, key: PartKey) -> Member | None:
        for family in self._families.get(self.identity(whole), ()):
            if key in family.keys:
                return Member(family, key)
        return None

    def member_of(self, value: SSAValue) -> Member | None:
        """The member of a family of slices in which a value lies."""
        return self._members.get(self.identity(value))

    def member_written(self, op: Operation, written: SSAValue) -> Member | None:
        """The member of a family of slices to which a write of ``op`` to ``written`` is confined."""
        if isinstance(op, InsertionOp):
            found = self._member_at(written, part_key(op))
            if found is not None:
                return found
        return self.member_of(written)


def _outer(first: Operation | None, second: Operation | None) -> Operation | None:
    """The outer one of two concurrent loops, one of which lies inside the other."""
    above = first
    while above is not None:
        if above is second:
            return second
        above = above.parent_op()
    return first
