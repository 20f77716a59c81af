"""N-d vectors become 1-d vectors: one for each row."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.ir import Operation

from lamina.lowering.vector import _rows_control, _rows_memory, _rows_products, _rows_shapes
from lamina.lowering.vector._rows import Rows
from lamina.lowering.vector._rows_order import order_by_rows
from lamina.passes.framework.passes import Pass, PassContext

_HANDLERS_IN = (_rows_control, _rows_memory, _rows_products, _rows_shapes)


@dataclass(frozen=True)
class LowerVectorMultiDim(Pass):
    """Unroll n-d vectors to 1-d ones, also where loops and conditionals carry them.

    Contractions become ``vector.fma`` of rows with repeated scalars, transfers in bounds become loads and
    stores of rows (of scalars, where a column is read only to be repeated). Nothing is left as an array of
    vectors, except in what has no form on rows (masked transfers, gathers, signatures of functions).

    ```mlir
    func.func @scale(%x: memref<2x8xf32>, %s: f32) {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %v = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<2x8xf32>, vector<2x8xf32>
      %b = vector.broadcast %s : f32 to vector<2x8xf32>
      %r = arith.mulf %v, %b : vector<2x8xf32>
      vector.transfer_write %r, %x[%c0, %c0] {in_bounds = [true, true]} : vector<2x8xf32>, memref<2x8xf32>
      return
    }
    ```

    ```mlir
    func.func @scale(%x: memref<2x8xf32>, %s: f32) {
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.000000e+00 : f32
      %0 = vector.load %x[%c0, %c0] : memref<2x8xf32>, vector<8xf32>
      %1 = vector.load %x[%c1, %c0] : memref<2x8xf32>, vector<8xf32>
      %2 = vector.broadcast %s : f32 to vector<8xf32>
      %3 = arith.mulf %0, %2 : vector<8xf32>
      vector.store %3, %x[%c0, %c0] : memref<2x8xf32>, vector<8xf32>
      %4 = arith.mulf %1, %2 : vector<8xf32>
      vector.store %4, %x[%c1, %c0] : memref<2x8xf32>, vector<8xf32>
      func.return
    }
    ```
    """

    name = "lower-vector-multi-dim"
    statistics = {"lowered": "operations on n-d vectors that were unrolled"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        for function in op.walk():
            if isinstance(function, func.FuncOp) and not function.is_declaration:
                ctx.count("lowered", lower_function(function))


def lower_function(function: func.FuncOp) -> int:
    """Unroll the n-d vectors of a function; returns the number of operations that were replaced."""
    entry = function.body.blocks[0]
    if entry.first_op is None:
        return 0
    rows = Rows(entry, entry.first_op)
    for block in list(function.body.blocks):
        rows.lower_block(block)
    rows.erase_dead()
    if rows.dead:
        for op in function.walk():
            for region in op.regions:
                for block in region.blocks:
                    order_by_rows(block)
    return len(rows.dead)
