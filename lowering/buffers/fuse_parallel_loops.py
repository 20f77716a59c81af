"""The pass ``fuse-parallel-loops``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import ConstantLike

from lamina.lowering.buffers._layouts import is_identity
from lamina.lowering.buffers._parallel_loops import PARALLEL
from lamina.lowering.buffers._row_accesses import accesses_of, may_run_together, use_row
from lamina.lowering.buffers._sunk_copies import sink_copies
from lamina.lowering.buffers._work import known_index
from lamina.passes.framework.conditions import BUFFERS_ONLY
from lamina.passes.framework.passes import Pass, PassContext


def fuse_parallel_loops(function: func.FuncOp) -> tuple[int, int]:
    """Join neighbouring row loops of a function, and keep only a row of what only they use; returns how many
    loops joined another one, and how many buffers shrank."""
    joined = shrunk = 0
    for block in function.body.blocks:
        made = _fuse_in(block)
        joined += len(made)
        for loop in dict.fromkeys(made):
            shrunk += sum(_keep_one_row(alloc, loop) for alloc in _allocations(block))
        for loop in [op for op in block.ops if isinstance(op, scf.ForOp) and PARALLEL in op.attributes]:
            shrunk += sum(sink_copies(alloc, loop) for alloc in _allocations(block))
    return joined, shrunk


def _fuse_in(block: Block) -> list[scf.ForOp]:
    """The loops that another one joined, once for each."""
    made: list[scf.ForOp] = []
    current: scf.ForOp | None = None
    for op in list(block.ops):
        if isinstance(op, scf.ForOp):
            if current is not None and _alike(current, op) and may_run_together(current, op):
                _join(current, op)
                made.append(current)
            else:
                current = op
        elif not (isinstance(op, memref.AllocOp) or op.has_trait(ConstantLike)):
            current = None
    return made


def _alike(first: scf.ForOp, second: scf.ForOp) -> bool:
    """Whether two loops have independent iterations over the same indices, one by one."""
    if any(PARALLEL not in loop.attributes or loop.iter_args for loop in (first, second)):
        return False
    pairs = zip(first.operands, second.operands, strict=True)
    return all(_same(a, b) for a, b in pairs) and known_index(first.step) == 1


def _same(a: SSAValue, b: SSAValue) -> bool:
    return a is b or (known_index(a) is not None and known_index(a) == known_index(b))


def _join(first: scf.ForOp, second: scf.ForOp) -> None:
    """Run the second's body behind the first's. What stands between, allocations and constants, moves up."""
    between = first.next_op
    while between is not None and between is not second:
        following = between.next_op
        between.detach()
        Rewriter.insert_op(between, InsertPoint.before(first))
        between = following
    body, other = first.body.block, second.body.block
    last = cast(Operation, body.last_op)
    other.args[0].replace_all_uses_with(body.args[0])
    for op in list(other.ops)[:-1]:
        op.detach()
        Rewriter.insert_op(op, InsertPoint.before(last))
    Rewriter.erase_op(second)


def _allocations(block: Block) -> list[memref.AllocOp]:
    return [op for op in block.ops if isinstance(op, memref.AllocOp)]


def _keep_one_row(alloc: memref.AllocOp, loop: scf.ForOp) -> bool:
    """Make a buffer as large as one iteration needs, where only the loop uses it, row by row."""
    kind = cast(MemRefType, alloc.memref.type)
    accesses = [a for a in accesses_of(loop) or [] if a.buffer is alloc.memref]
    if len(accesses) != len(list(alloc.memref.uses)) or not is_identity(kind) or not accesses:
        return False
    row = accesses[0].row
    if row is None or any(a.row != row for a in accesses) or kind.get_shape()[row] == 1:
        return False
    shape = [1 if d == row else n for d, n in enumerate(kind.get_shape())]
    new = memref.AllocOp([], [], MemRefType(kind.element_type, shape), alloc.alignment)
    zero = arith.ConstantOp(IntegerAttr(0, IndexType()))
    new.memref.name_hint = alloc.memref.name_hint
    for op in (zero, new):
        op.location = alloc.location
        Rewriter.insert_op(op, InsertPoint.before(alloc))
    use_row(accesses, loop.body.block.args[0], zero.result)
    alloc.memref.replace_all_uses_with(new.memref)
    Rewriter.erase_op(alloc)
    return True


@dataclass(frozen=True)
class FuseParallelLoops(Pass):
    """Run neighbouring loops over the same rows as one, where no row needs another one's results.

    The loops are those with `lamina.parallel` in steps of one. A softmax, three passes over a matrix, becomes
    one pass over rows that stay in the cache; buffers between the loops shrink to one row. So do buffers that
    copies and fills prepare for a loop, a padded image say: each iteration prepares its row.

    ```mlir
    func.func private @rows(%x: memref<8x4xf32>, %y: memref<8x4xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %zero = arith.constant 0.0 : f32
      %t = memref.alloc() : memref<8x4xf32>
      scf.for %i = %c0 to %c8 step %c1 {
        %v = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]} : memref<8x4xf32>, vector<4xf32>
        %e = math.exp %v : vector<4xf32>
        vector.transfer_write %e, %t[%i, %c0] {in_bounds = [true]} : vector<4xf32>, memref<8x4xf32>
      } {lamina.parallel}
      scf.for %j = %c0 to %c8 step %c1 {
        %v = vector.transfer_read %t[%j, %c0], %zero {in_bounds = [true]} : memref<8x4xf32>, vector<4xf32>
        %n = arith.negf %v : vector<4xf32>
        vector.transfer_write %n, %y[%j, %c0] {in_bounds = [true]} : vector<4xf32>, memref<8x4xf32>
      } {lamina.parallel}
      return
    }
    ```

    ```mlir
    func.func private @rows(%x: memref<8x4xf32>, %y: memref<8x4xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %zero = arith.constant 0.000000e+00 : f32
      %0 = arith.constant 0 : index
      %t = memref.alloc() : memref<1x4xf32>
      scf.for %i = %c0 to %c8 step %c1 {
        %v = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]} : memref<8x4xf32>, vector<4xf32>
        %e = math.exp %v : vector<4xf32>
        vector.transfer_write %e, %t[%0, %c0] {in_bounds = [true]} : vector<4xf32>, memref<1x4xf32>
        %v_0 = vector.transfer_read %t[%0, %c0], %zero {in_bounds = [true]} : memref<1x4xf32>, vector<4xf32>
        %n = arith.negf %v_0 : vector<4xf32>
        vector.transfer_write %n, %y[%i, %c0] {in_bounds = [true]} : vector<4xf32>, memref<8x4xf32>
      } {lamina.parallel}
      return
    }
    ```
    """

    name = "fuse-parallel-loops"
    anchor = "func.func"
    requires = (BUFFERS_ONLY,)
    statistics = {"joined": "loops that joined another one", "shrunk": "buffers of which a row is left"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        assert isinstance(op, func.FuncOp)
        if not op.is_declaration:
            joined, shrunk = fuse_parallel_loops(op)
            ctx.count("joined", joined)
            ctx.count("shrunk", shrunk)
