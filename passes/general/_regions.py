"""Simplification of control flow graphs: unreachable blocks, dead values around cycles, equal blocks."""

from __future__ import annotations

from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from lamina.dialects.core.branches import edges_into, incoming, set_successor_operands, successor_spans
from lamina.dialects.core.effects import is_removable
from lamina.passes.framework.walk import ops_inside
from lamina.passes.general._equal_blocks import merge_equal_blocks


def simplify_regions(root: Operation, *, merge_blocks: bool = False) -> int:
    """Simplify the control flow of every region inside ``root``; returns how many changes were made.

    ``merge_blocks`` also merges equal blocks, and drops block arguments that always get the same value.
    """
    changes = 0
    for region in [r for op in (root, *ops_inside(root)) for r in op.regions]:
        first = region.blocks.first
        if first is None or first.next_block is None or region.parent is None:
            continue
        changes += erase_unreachable_blocks(region) + _erase_dead(region)
        if merge_blocks:
            changes += merge_equal_blocks(region) + _drop_redundant_arguments(region)
    return changes


def erase_unreachable_blocks(region: Region) -> int:
    """Erase the blocks that cannot be reached from the first one; returns how many."""
    entry = region.blocks.first
    if entry is None or entry.next_block is None:
        return 0
    reached = {entry}
    pending = [entry]
    while pending:
        last = pending.pop().last_op
        for successor in last.successors if last is not None else ():
            if successor not in reached:
                reached.add(successor)
                pending.append(successor)
    dead = [block for block in region.blocks if block not in reached]
    for block in dead:
        for op in block.ops:
            forget_operands(op)
    for block in dead:
        for op in list(block.ops):
            block.erase_op(op, safe_erase=False)
        region.erase_block(block)
    return len(dead)


def forget_operands(op: Operation) -> None:
    """Let an op that is to be erased, and all inside it, use nothing and jump nowhere."""
    for inner in (op, *ops_inside(op)):
        inner.operands = []
        inner.successors = []


def _erase_dead(region: Region) -> int:
    """Erase ops and block arguments that only each other need."""
    live = _Liveness(region)
    dead = [op for block in region.blocks for op in block.ops if op not in live.ops]
    for op in dead:
        forget_operands(op)
    erased = len(dead)
    for block in list(region.blocks)[1:]:
        for argument in reversed(block.args):
            if argument not in live.values:
                erased += _drop_argument(argument)
    for op in dead:
        assert op.parent is not None
        op.parent.erase_op(op, safe_erase=False)
    return erased


class _Liveness:
    """The ops and block arguments that an effect or a terminator of a region needs."""

    def __init__(self, region: Region) -> None:
        self.ops: set[Operation] = set()
        self.values: set[SSAValue] = set()
        self._region = region
        self._pending: list[SSAValue] = []
        for block in region.blocks:
            for op in block.ops:
                if not is_removable(op):
                    self._mark(op)
        while self._pending:
            self._need(self._pending.pop())

    def _mark(self, op: Operation) -> None:
        if op in self.ops:
            return
        self.ops.add(op)
        passed: set[int] = set()
        for first, last in successor_spans(op) or () if op.successors else ():
            passed.update(range(first, last))
        self._pending += [value for i, value in enumerate(op.operands) if i not in passed]
        if op.regions:
            for inner in ops_inside(op):
                self._pending += inner.operands
        if op.successors and successor_spans(op) is None:
            for block in op.successors:
                self._pending += block.args

    def _need(self, value: SSAValue) -> None:
        if value in self.values:
            return
        self.values.add(value)
        owner = value.owner
        if isinstance(owner, Operation):
            if owner.parent_region() is self._region:
                self._mark(owner)
        elif owner.parent is self._region and isinstance(value, BlockArgument):
            self._pending += incoming(value) or ()


def _drop_argument(argument: BlockArgument) -> int:
    """Erase a block argument without uses, and what is passed for it; 0 where that is not possible."""
    block = argument.block
    edges = edges_into(block)
    if argument.first_use is not None or any(successor_spans(op) is None for op, _ in edges):
        return 0
    for op, index in edges:
        first, last = (successor_spans(op) or [])[index]
        values = list(op.operands[first:last])
        del values[argument.index]
        set_successor_operands(op, index, values)
    block.erase_arg(argument)
    return 1


def _drop_redundant_arguments(region: Region) -> int:
    """Replace block arguments that always get one value, or the same values as another argument."""
    dropped = 0
    for block in list(region.blocks)[1:]:
        known: dict[tuple[SSAValue, ...], BlockArgument] = {}
        for argument in list(block.args):
            values = incoming(argument)
            if not values:
                continue
            different = {value for value in values if value is not argument}
            if len(different) == 1 and _dominates(different.pop(), values, block):
                argument.replace_all_uses_with(values[0])
                dropped += _drop_argument(argument)
                continue
            earlier = known.setdefault(tuple(values), argument)
            if earlier is not argument:
                argument.replace_all_uses_with(earlier)
                dropped += _drop_argument(argument)
    return dropped


def _dominates(value: SSAValue, values: list[SSAValue], block: Block) -> bool:
    """A value that every edge passes, itself no argument of a loop through the block, is visible in it."""
    return all(other is value for other in values) and value.owner is not block
