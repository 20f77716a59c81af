"""`convert-linalg-to-loops`: structured operations on buffers become nests of `scf.for`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation

from lamina.lowering.loops._lowering import linalg_to_loops
from lamina.passes.framework.conditions import no_dialect
from lamina.passes.framework.passes import ANY_OP, Pass, PassContext


@dataclass(frozen=True)
class ConvertLinalgToLoops(Pass):
    """Lower linalg operations on buffers to loops.

    One `scf.for` for each iterator, in their order; the body loads, computes and stores scalars, so a
    reduction accumulates in memory (`promote-reduction-accumulators` takes it into registers). Copies of
    strided buffers become loops as well.

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
      scf.for %3 = %1 to %0 step %2 {
        %4 = memref.load %x[%3] : memref<4xf32>
        %5 = memref.load %x[%3] : memref<4xf32>
        %6 = arith.addf %4, %5 : f32
        memref.store %6, %x[%3] : memref<4xf32>
      }
      return
    }
    ```
    """

    name = "convert-linalg-to-loops"
    anchor = ANY_OP
    ensures = (no_dialect("linalg"),)
    statistics = {"lowered": "operations lowered to loops"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("lowered", linalg_to_loops(op, parallel=False))
