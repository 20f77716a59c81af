"""From when to when the buffers of a function are in use, through all the views of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects import memref, scf
from xdsl.ir import Block, Operation, SSAValue

from lamina.lowering.buffers._numbering import Numbering, home_block, repeats

_VIEWS = frozenset(
    {
        "memref.subview",
        "memref.view",
        "memref.cast",
        "memref.collapse_shape",
        "memref.expand_shape",
        "memref.reinterpret_cast",
        "memref.memory_space_cast",
        "memref.transpose",
        "memref.extract_strided_metadata",
        "memref.assume_alignment",
        "memref.reshape",
        "builtin.unrealized_conversion_cast",
        "arith.select",
    }
)


_ESCAPES = frozenset({"func.return", "bufferization.to_tensor", "memref.extract_aligned_pointer_as_index"})


@dataclass(frozen=True)
class Lifetime:
    """The first and last time at which a buffer is used, inclusive; empty where it never is."""

    first: int
    last: int
    escapes: bool = False
    """The buffer is returned, or goes where its uses cannot be seen."""

    def overlaps(self, other: Lifetime) -> bool:
        """Whether both are in use at some time."""
        return self.first <= other.last and other.first <= self.last


def aliases_of(value: SSAValue) -> Iterator[tuple[SSAValue, Operation]]:
    """All uses, as (value, user), of a buffer and of whatever may show the same memory."""
    seen = {value}
    pending = [value]
    while pending:
        current = pending.pop()
        for use in current.uses:
            yield current, use.operation
            for alias in _forwarded(use.operation, use.index):
                if alias not in seen:
                    seen.add(alias)
                    pending.append(alias)


def _forwarded(op: Operation, operand: int) -> list[SSAValue]:
    """The values that may be the same memory as an operand."""
    if op.name in _VIEWS:
        return list(op.results)
    match op:
        case scf.ForOp():
            number = operand - 3
            return [op.body.block.args[1 + number], op.results[number]] if number >= 0 else []
        case scf.WhileOp():
            return [op.before_region.block.args[operand]]
        case scf.ConditionOp():
            parent = op.parent_op()
            if isinstance(parent, scf.WhileOp) and operand >= 1:
                return [parent.after_region.block.args[operand - 1], parent.results[operand - 1]]
            return []
        case scf.YieldOp():
            return _yielded(op.parent_op(), operand)
        case _:
            return []


def _yielded(parent: Operation | None, operand: int) -> list[SSAValue]:
    match parent:
        case scf.ForOp():
            return [parent.body.block.args[1 + operand], parent.results[operand]]
        case scf.WhileOp():
            return [parent.before_region.block.args[operand]]
        case None:
            return []
        case _:
            return [parent.results[operand]]


def lifetime(value: SSAValue, times: Numbering) -> Lifetime:
    """The lifetime of a buffer that is allocated in the numbered function.

    A use inside a loop that does not contain the allocation counts for the whole loop: what one iteration
    writes, the next may read.
    """
    home = home_block(value)
    first, last, escapes = 1 << 60, -1, False
    for _, user in aliases_of(value):
        if user.name in _VIEWS or isinstance(user, memref.DeallocOp):
            continue  # touches no element
        start, end = _extent(user, home, times)
        first, last = min(first, start), max(last, end)
        escapes |= user.name in _ESCAPES
    return Lifetime(first, last, escapes)


def _extent(user: Operation, home: Block | None, times: Numbering) -> tuple[int, int]:
    start, end = times.start[user], times.end[user]
    inner = user
    while inner.parent is not home:
        outer = inner.parent_op()
        if outer is None or outer not in times.end:
            break
        if repeats(outer):
            start, end = times.start[outer], times.end[outer]
        inner = outer
    return start, end


def deallocations_of(value: SSAValue) -> list[Operation]:
    """The operations that free a buffer."""
    return [user for _, user in aliases_of(value) if isinstance(user, memref.DeallocOp)]
