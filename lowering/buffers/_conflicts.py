"""Read-after-write conflicts: whether a write in place would destroy elements that are still needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.dialects import func
from xdsl.ir import Operation, SSAValue

from lamina.lowering.buffers._accesses import Access, accesses, harmless_in_one_op
from lamina.lowering.buffers._aliases import Aliases
from lamina.lowering.buffers._numbering import Numbering, parallel_scope
from lamina.lowering.buffers._slices import InsertionOp, inserted_in_place, parts_apart, read_outside

_FOREVER = 1 << 60


@dataclass
class Decisions:
    """What the analysis found out about a function."""

    aliases: Aliases = field(default_factory=Aliases)
    in_place: set[tuple[Operation, int]] = field(default_factory=set)
    """Operands that are written (or, for a loop, carried) in their own buffer."""
    undefined: set[SSAValue] = field(default_factory=set)
    """Values without elements to preserve."""
    returned: list[SSAValue] = field(default_factory=list)


class Conflicts:
    """Answers, for a function that is being analysed, what a write in place would destroy."""

    def __init__(
        self,
        decisions: Decisions,
        times: Numbering,
        call_accesses: Callable[[func.CallOp], list[Access]],
    ) -> None:
        self._decisions = decisions
        self._aliases = decisions.aliases
        self._times = times
        self._call_accesses = call_accesses
        self._known: dict[Operation, list[Access] | None] = {}

    def last_read(self, value: SSAValue) -> int:
        """When the elements of a value are read for the last time, -1 if never."""
        return max((self._read_time(u.operation, u.index, value) for u in value.uses), default=-1)

    def _read_time(self, user: Operation, operand: int, value: SSAValue) -> int:
        """When a use reads the value's elements for the last time; -1 where it does not read them."""
        if user.name == "bufferization.to_buffer":
            return _FOREVER
        for access in self.accesses(user) or ():
            if access.operand == operand:
                reads = access.reads or access.is_view
                return self._times.last_read(user, value) if reads else -1
        return self._times.last_read(user, value)

    def accesses(self, op: Operation) -> list[Access] | None:
        """How an operation uses its tensors, None where that is not known."""
        if op not in self._known:
            found = self._call_accesses(op) if isinstance(op, func.CallOp) else accesses(op)
            self._known[op] = None if found is None else list(found)
        return self._known[op]

    def refuse(self, op: Operation, access: Access, others: list[Access], time: int) -> bool:
        """Whether a write in place would destroy something that is still needed, or touch what it may not."""
        value = op.operands[access.operand]
        alias_set = self._aliases.set_of(value)
        if not alias_set.writable or parallel_scope(op.parent) is not alias_set.scope:
            return True
        for other in others:
            if other.operand != access.operand and self._clash(op, access, other):
                return True
        return self.read_later(op, value, time)

    def _clash(self, op: Operation, access: Access, other: Access) -> bool:
        """Whether another operand of the same operation stands in the way."""
        value, second = op.operands[access.operand], op.operands[other.operand]
        if self._aliases.set_of(second) is not self._aliases.set_of(value):
            return False
        if other.writes and (op, other.operand) in self._decisions.in_place:
            return True
        if not other.reads or other.writes or second in self._decisions.undefined:
            return False
        if parts_apart(self._aliases, op, value, second):
            return False
        if isinstance(op, InsertionOp):
            return not inserted_in_place(self._aliases, op)
        return not (
            self._aliases.same(value, second) and harmless_in_one_op(op, other.operand, access.operand)
        )

    def read_later(self, op: Operation, written: SSAValue, time: int) -> bool:
        """Whether a value of the set of ``written`` is read after ``time`` and would miss its elements."""
        live = self._aliases.set_of(written).live
        confined = self._aliases.member_written(op, written)
        return any(self._loses(op, written, member, time) for member in live.read_after(time, confined))

    def _loses(self, op: Operation, written: SSAValue, member: SSAValue, time: int) -> bool:
        if parts_apart(self._aliases, op, written, member):
            return False
        for use in member.uses:
            if self._read_time(use.operation, use.index, member) <= time:
                continue
            if self._times.exclusive(op, use.operation, member):
                continue
            if not read_outside(self._aliases, op, written, use.operation, use.index, member):
                return True
        return False
