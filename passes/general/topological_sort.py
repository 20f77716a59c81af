"""``topological-sort``: definitions before uses in the regions that do not ask for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.traits import IsTerminator

from lamina.passes.framework.passes import ANY_OP, Pass, PassContext


@dataclass(frozen=True)
class TopologicalSort(Pass):
    """Sort the operations of each graph region so that values are defined before they are used.

    The order is stable. Where cycles leave no operation that is ready, the first one is taken as it is.
    Regions where order means something (functions, loops) are left alone.

    ```mlir
    %1 = arith.addi %0, %0 : i32
    %0 = arith.constant 1 : i32
    ```

    ```mlir
    %0 = arith.constant 1 : i32
    %1 = arith.addi %0, %0 : i32
    ```
    """

    name = "topological-sort"
    anchor = ANY_OP
    statistics = {"sorted": "blocks whose order changed"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("sorted", sort_topologically(op))


def sort_topologically(root: Operation) -> int:
    """Sort the graph regions in (and at) ``root``; returns how many blocks changed."""
    modules = [op for op in root.walk() if isinstance(op, ModuleOp)]
    return sum(
        _sort_block(block) for module in modules for region in module.regions for block in region.blocks
    )


def _sort_block(block: Block) -> bool:
    before = list(block.ops)
    ends = bool(before) and before[-1].has_trait(IsTerminator, value_if_unregistered=False)
    terminator = before.pop() if ends else None
    after = _order(block, before)
    if after == before:
        return False
    for op in after:
        op.detach()
        if terminator is None:
            block.add_op(op)
        else:
            block.insert_op_before(op, terminator)
    return True


def _order(block: Block, ops: list[Operation]) -> list[Operation]:
    """Rounds over what is left: each takes the operations whose operands have been placed, in order."""
    needs = {op: set(_producers(op, block)) & set(ops) for op in ops}
    placed: list[Operation] = []
    done: set[Operation] = set()
    left = ops
    while left:
        waiting: list[Operation] = []
        for op in left:
            if needs[op] <= done:
                placed.append(op)
                done.add(op)
            else:
                waiting.append(op)
        if len(waiting) == len(left):
            first = waiting.pop(0)
            placed.append(first)
            done.add(first)
        left = waiting
    return placed


def _producers(op: Operation, block: Block) -> Iterator[Operation]:
    """The other operations of the block that an operation, or one inside it, takes values from."""
    for inner in op.walk():
        for operand in inner.operands:
            owner = operand.owner
            producer = block.find_ancestor_op_in_block(owner) if isinstance(owner, Operation) else None
            if producer is not None and producer is not op:
                yield producer
