"""`convert-linalg-to-parallel-loops`: structured ops on buffers become `scf.parallel` and `scf.for`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation

from lamina.lowering.loops._lowering import linalg_to_loops
from lamina.passes.framework.conditions import no_dialect
from lamina.passes.framework.passes import ANY_OP, Pass, PassContext


@dataclass(frozen=True)
class ConvertLinalgToParallelLoops(Pass):
    """Lower linalg operations on buffers to loops that say which iterations are independent.

    Neighbouring parallel iterators become one `scf.parallel`, reductions `scf.for`, in their order.

    ```mlir
    func.func @double(%x: memref<4xf32>) {
      linalg.add ins(%x, %x : memref<4xf32>, memref<4xf32>) outs(%x : memref<4xf32>)
      return
    }
    ```

    ```mlir
    func.func @double(%x: memref<4xf32>) {
      %0 = arith.constant 4 : index
      %1 = arith.constant 0 : index
      %2 = arith.constant 1 : index
      "scf.parallel"(%1, %0, %2) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
      ^bb0(%3: index):
        %4 = memref.load %x[%3] : memref<4xf32>
        %5 = memref.load %x[%3] : memref<4xf32>
        %6 = arith.addf %4, %5 : f32
        memref.store %6, %x[%3] : memref<4xf32>
        scf.reduce
      }) : (index, index, index) -> ()
      return
    }
    ```
    """

    name = "convert-linalg-to-parallel-loops"
    anchor = ANY_OP
    ensures = (no_dialect("linalg"),)
    statistics = {"lowered": "operations lowered to loops"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("lowered", linalg_to_loops(op, parallel=True))
