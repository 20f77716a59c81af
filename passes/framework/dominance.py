"""The analysis of dominance: what is surely executed before what."""

from __future__ import annotations

from xdsl.ir import Block, Operation, Region, SSAValue

from lamina.dialects.core.dominance import immediate_dominators


class DominanceInfo:
    """Dominance between the blocks, operations and values inside an operation.

    Holds as long as no block or edge between blocks is added or removed: operations inside blocks may change.
    """

    def __init__(self, root: Operation) -> None:
        self._trees: dict[Region, dict[Block, Block | None]] = {}

    def immediate_dominator(self, block: Block) -> Block | None:
        """The closest block that every path to ``block`` passes; None for entries and unreachable blocks."""
        return self._tree(block).get(block)

    def is_reachable(self, block: Block) -> bool:
        """Whether a path leads from the entry of the region to the block."""
        return block in self._tree(block)

    def block_dominates(self, first: Block, second: Block) -> bool:
        """Whether every path to ``second`` passes ``first``; both are in one region."""
        tree = self._tree(second)
        step: Block | None = second
        if second not in tree:
            return True
        while step is not None:
            if step is first:
                return True
            step = tree.get(step)
        return False

    def properly_dominates(self, first: Operation, second: Operation) -> bool:
        """Whether ``first`` has run whenever ``second`` starts; no op properly dominates what is in it."""
        inner = _ancestor_in(first.parent.parent, second) if first.parent is not None else None
        if inner is None or inner is first:
            return False
        if inner.parent is first.parent:
            return first.is_before_in_block(inner)
        assert first.parent is not None and inner.parent is not None
        return self.block_dominates(first.parent, inner.parent)

    def value_dominates(self, value: SSAValue, user: Operation) -> bool:
        """Whether ``value`` is known where ``user`` stands."""
        if isinstance(value.owner, Operation):
            return self.properly_dominates(value.owner, user)
        inner = _ancestor_in(value.owner.parent, user)
        return (
            inner is not None and inner.parent is not None and self.block_dominates(value.owner, inner.parent)
        )

    def _tree(self, block: Block) -> dict[Block, Block | None]:
        region = block.parent
        if region is None:
            return {block: None}
        if region not in self._trees:
            self._trees[region] = immediate_dominators(region)
        return self._trees[region]


def _ancestor_in(region: Region | None, op: Operation) -> Operation | None:
    """The op itself, or the one around it, that stands directly in a region."""
    found: Operation | None = op
    while found is not None and (found.parent is None or found.parent.parent is not region):
        found = found.parent_op()
    return found
