"""Sets of tensor values that share memory, and sets of values that are the very same buffer.

Both are union-find structures, merged small into large, so the analysis stays near linear.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue


@dataclass(eq=False)
class AliasSet:
    """Values that may share memory."""

    writable: bool = True
    """False for constants and for arguments that belong to the caller."""
    scope: Operation | None = None
    """The innermost concurrent loop around the allocation: code in a deeper one may not write to it."""
    live: list[tuple[int, int, SSAValue]] = field(default_factory=list)
    """Members whose elements are read: (time of the last read, serial number, value), sorted."""
    members: list[SSAValue] = field(default_factory=list)
    last_write: int = -1
    """The time of the latest write in place, -1 without one."""


class Aliases:
    """Alias sets and buffer identity of the tensor values of a function."""

    def __init__(self) -> None:
        self._sets: dict[SSAValue, AliasSet] = {}
        self._leader: dict[SSAValue, SSAValue] = {}
        self._views: dict[SSAValue, list[Operation]] = {}
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
        insort(self._sets[value].live, (until, self._serial, value))

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
        for entry in small.live:
            insort(large.live, entry)
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
            if (moved := self._views.pop(second, None)) is not None:
                self._views.setdefault(first, []).extend(moved)

    def record_view(self, view: SSAValue, op: Operation) -> None:
        """``view`` is defined as a part or another shape of the first operand of ``op``."""
        self._views.setdefault(self.identity(view), []).append(op)

    def views(self, value: SSAValue) -> list[Operation]:
        """The view operations that define the buffer of a value."""
        return self._views.get(self.identity(value), [])


def _outer(first: Operation | None, second: Operation | None) -> Operation | None:
    """The outer one of two concurrent loops, one of which lies inside the other."""
    above = first
    while above is not None:
        if above is second:
            return second
        above = above.parent_op()
    return first
