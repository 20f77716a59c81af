"""``loop-invariant-code-motion``: what a loop computes anew each time is computed once, before it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from xdsl.ir import Block, Operation, Region
from xdsl.traits import IsTerminator

from lamina.passes.framework.passes import ANY_OP, Pass, PassContext
from lamina.passes.general._speculation import may_run_early

LOOPS = frozenset(("affine.for", "affine.parallel", "scf.for", "scf.forall", "scf.parallel", "scf.while"))
"""The operations whose regions run many times."""


@dataclass(frozen=True)
class LoopInvariantCodeMotion(Pass):
    """Move operations that do not depend on a loop in front of it.

    They must have no side effects, and must not be able to fail, since the loop may not run at all: a
    division stays unless its divisor is a constant other than 0 and -1. Inner loops come first, so that an
    operation can leave several.

    ```mlir
    func.func @f(%x: f32, %y: f32, %to: memref<8xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      scf.for %i = %c0 to %c8 step %c1 {
        %0 = arith.mulf %x, %y : f32
        memref.store %0, %to[%i] : memref<8xf32>
      }
      return
    }
    ```

    ```mlir
    func.func @f(%x: f32, %y: f32, %to: memref<8xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %0 = arith.mulf %x, %y : f32
      scf.for %i = %c0 to %c8 step %c1 {
        memref.store %0, %to[%i] : memref<8xf32>
      }
      func.return
    }
    ```
    """

    name = "loop-invariant-code-motion"
    anchor = ANY_OP
    statistics = {"moved": "operations moved out of a loop"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("moved", move_loop_invariant_code(op))


def move_loop_invariant_code(root: Operation) -> int:
    """Move invariant operations out of every loop inside ``root``; returns how many moves were made."""
    loops = [op for op in root.walk(region_first=True) if op is not root and op.name in LOOPS]
    return sum(_move_out_of(region, loop) for loop in loops for region in loop.regions)


def _move_out_of(region: Region, loop: Operation) -> int:
    """Move what does not depend on ``loop`` out of one of its regions, in the order of the program."""
    assert loop.parent is not None
    pending = deque(op for block in region.blocks for op in block.ops)
    moved = 0
    while pending:
        op = pending.popleft()
        if op.parent_region() is not region or not _is_invariant(op, loop) or not may_run_early(op):
            continue
        op.detach()
        loop.parent.insert_op_before(op, loop)
        moved += 1
        # Users that came earlier in the queue (in graph order, or after a refusal) get another chance.
        for result in op.results:
            pending.extend(use.operation for use in result.uses if use.operation.parent_region() is region)
    return moved


def _is_invariant(op: Operation, loop: Operation) -> bool:
    """Whether an operation, and all inside it, only use what is defined outside the loop or inside the op."""
    if op.has_trait(IsTerminator, value_if_unregistered=True):
        return False
    return not any(
        _is_inside(operand.owner, loop) and not _is_inside(operand.owner, op)
        for inner in op.walk()
        for operand in inner.operands
    )


def _is_inside(owner: Operation | Block, op: Operation) -> bool:
    """Whether a definition lies in a region of ``op``."""
    block = owner if isinstance(owner, Block) else owner.parent
    while block is not None:
        parent = block.parent_op()
        if parent is op:
            return True
        block = parent.parent if parent is not None else None
    return False
