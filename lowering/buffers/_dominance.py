"""Whether a value is known at an operation, in structured control flow, while operations are moved."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import tensor
from xdsl.ir import Operation, SSAValue

from lamina.lowering.buffers._numbering import home_block


class Dominance:
    """Order numbers of the operations below a root. New operations get a number between their neighbours."""

    def __init__(self, root: Operation) -> None:
        self._order: dict[Operation, float] = {}
        self._starts: dict[SSAValue, SSAValue] = {}
        for op in root.walk():
            for region in op.regions:
                for block in region.blocks:
                    self._order.update((inner, float(number)) for number, inner in enumerate(block.ops))

    def dominates(self, value: SSAValue, op: Operation) -> bool:
        """Whether a value is defined before ``op``: in its block, or in one around it."""
        home = home_block(value)
        inner: Operation | None = op
        while inner is not None and inner.parent is not home:
            inner = inner.parent_op()
        if inner is None:
            return False
        owner = value.owner
        return not isinstance(owner, Operation) or self._order[owner] < self._order[inner]

    def start_of_insertions(self, value: SSAValue) -> SSAValue:
        """The `tensor.empty` from which a series of insertions starts; another value is returned as it is."""
        path: list[SSAValue] = []
        current = value
        while current not in self._starts and isinstance(op := current.owner, tensor.InsertSliceOp):
            path.append(current)
            current = op.dest
        start = self._starts.get(current, current)
        is_empty = isinstance(start.owner, tensor.EmptyOp)
        for step in path:
            self._starts[step] = start if is_empty else step
        return start if is_empty else value

    def sorted(self, ops: Iterable[Operation]) -> list[Operation]:
        """Operations of one block, from the first to the last."""
        return sorted(ops, key=self._order.__getitem__)

    def place_before(self, op: Operation, other: Operation) -> None:
        """Number an operation that now stands directly before another."""
        previous = op.prev_op
        high = self._order[other]
        low = self._order[previous] if previous is not None else high - 1.0
        self._order[op] = (low + high) / 2.0
        if not low < self._order[op] < high and op.parent is not None:
            self._order.update((inner, float(number)) for number, inner in enumerate(op.parent.ops))
