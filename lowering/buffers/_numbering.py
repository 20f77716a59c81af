"""Times for the operations of a function, so that liveness of tensor values is a comparison of numbers.

Control flow is structured: an operation's time is the interval from when it starts to when it is done, and
the intervals of what it contains lie inside. A read inside a loop of a value from outside happens again in
the next iteration, so it counts as a read at the end of the loop.
"""

from __future__ import annotations

from xdsl.ir import Block, Operation, SSAValue

from lamina.dialects.linalg.structured import is_structured

_REPEATING = frozenset(
    {"scf.for", "scf.while", "scf.parallel", "scf.forall", "affine.for", "affine.parallel", "tensor.generate"}
)
_PARALLEL = frozenset({"scf.parallel", "scf.forall", "affine.parallel"})


def repeats(op: Operation) -> bool:
    """Whether the regions of an operation may run more than once."""
    return op.name in _REPEATING or is_structured(op)


def home_block(value: SSAValue) -> Block | None:
    """The block in which a value is defined."""
    owner = value.owner
    return owner.parent if isinstance(owner, Operation) else owner


def parallel_scope(block: Block | None) -> Operation | None:
    """The innermost operation around a block that runs its iterations concurrently."""
    parent = block.parent_op() if block is not None else None
    while parent is not None and parent.name not in _PARALLEL:
        parent = parent.parent_op()
    return parent


class Numbering:
    """Start and end time of every operation below a root."""

    def __init__(self, root: Operation) -> None:
        self.start: dict[Operation, int] = {}
        self.end: dict[Operation, int] = {}
        self._clock = 0
        self._visit(root)

    def _visit(self, op: Operation) -> None:
        self.start[op] = self._clock
        self._clock += 1
        for region in op.regions:
            for block in region.blocks:
                for inner in block.ops:
                    self._visit(inner)
        self.end[op] = self._clock
        self._clock += 1

    def last_read(self, user: Operation, value: SSAValue) -> int:
        """The last time at which ``user`` reads a value: its start, or the end of the outermost loop around
        it that does not contain the value's definition."""
        home = home_block(value)
        time = self.start[user]
        inner = user
        while inner.parent is not home:
            outer = inner.parent_op()
            if outer is None or outer not in self.end:
                break
            if repeats(outer):
                time = self.end[outer]
            inner = outer
        return time

    def exclusive(self, first: Operation, second: Operation, value: SSAValue) -> bool:
        """Whether two users of a value lie in different branches of one `scf.if`, so that only one of them
        runs between two definitions of the value."""
        around = {}
        inner = first
        while (outer := inner.parent_op()) is not None:
            around[outer] = inner.parent
            inner = outer
        home = home_block(value)
        inner = second
        while (outer := inner.parent_op()) is not None:
            if outer in around:
                block = around[outer]
                branches = outer.name in ("scf.if", "scf.index_switch")
                return branches and block is not inner.parent and not self._loop_between(outer, home)
            inner = outer
        return False

    def _loop_between(self, op: Operation, home: Block | None) -> bool:
        """Whether a loop lies around ``op`` and inside the block of a definition."""
        inner = op
        while inner.parent is not home:
            outer = inner.parent_op()
            if outer is None:
                return False
            if repeats(outer):
                return True
            inner = outer
        return False
