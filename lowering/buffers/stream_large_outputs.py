"""The pass ``stream-large-outputs``."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.dialects import func, vector
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, i64
from xdsl.ir import BlockArgument, Operation
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.core.dtypes import numpy_dtype
from lamina.dialects.llvm.atomics import FenceOp
from lamina.lowering.buffers._layouts import is_identity
from lamina.lowering.buffers._line_by_line import begin_at_lines, vector_loop
from lamina.lowering.buffers._tile_by_tile import begin_tiles_at_lines, tile_loop
from lamina.passes.framework.conditions import BUFFERS_ONLY
from lamina.passes.framework.passes import Pass, PassContext, option

_SEQUENTIALLY_CONSISTENT = 7


def stream_large_outputs(function: func.FuncOp, least_bytes: int) -> int:
    """Let what a private function writes pass by the caches; returns the number of stores that do."""
    visibility = function.sym_visibility
    if visibility is None or visibility.data != "private" or len(function.body.blocks) != 1:
        return 0
    block = function.body.block
    moved = sum(_bytes(a.type) for a in block.args)
    if moved < least_bytes:
        return 0
    streaming = sum(_stream(buffer) for buffer in block.args if _bytes(buffer.type) * 4 >= moved)
    if streaming:
        end = cast(Operation, block.last_op)
        fence = FenceOp.create(properties={"ordering": IntegerAttr(_SEQUENTIALLY_CONSISTENT, i64)})
        fence.location = end.location
        Rewriter.insert_op(fence, InsertPoint.before(end))
    return streaming


def _bytes(kind: object) -> int:
    if not isinstance(kind, MemRefType) or not kind.has_static_shape():
        return 0
    return prod(kind.get_shape()) * numpy_dtype(kind.element_type).itemsize


def _stream(buffer: BlockArgument) -> int:
    """Rewrite the loops that store to a buffer, where all of them can begin at lines."""
    stores = _stores_into(buffer)
    if not stores:
        return 0
    loops = [loop for store in stores if (loop := vector_loop(store))]
    if len({loop.op for loop in loops}) == len(stores):
        return sum(begin_at_lines(loop, buffer.block) for loop in loops)
    tiles = tile_loop(stores)
    return begin_tiles_at_lines(tiles, buffer.block) if tiles else 0


def _stores_into(buffer: BlockArgument) -> list[vector.StoreOp]:
    """The stores of vectors into an argument; empty where it is used in any other way."""
    uses = [use.operation for use in buffer.uses]
    stores = [op for op in uses if isinstance(op, vector.StoreOp) and op.base is buffer]
    return stores if len(stores) == len(uses) and is_identity(cast(MemRefType, buffer.type)) else []


@dataclass(frozen=True)
class StreamLargeOutputs(Pass):
    """Write results that no cache could hold with stores that pass by the caches.

    An ordinary store reads the line first that it writes to; a streaming one of a whole line does not, and
    leaves in the cache what is there. Kernels that move at least `least-bytes` get them. Lines begin where
    the addresses say, and an output where its caller wants: a loop that computes lane by lane begins anew at
    the first line, with what comes before and after it under a mask. Where a tile is more than that, as in a
    transposition, its loop begins at a line too, and its first and last tile may overlap the others. What is
    written must not be read. A fence ends the kernel: streaming stores are seen in no particular order
    before it.

    ```mlir
    func.func private @negate(%x: memref<8388608xf32>, %y: memref<8388608xf32>) {
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %c8388608 = arith.constant 8388608 : index
      scf.for %i = %c0 to %c8388608 step %c16 {
        %v = vector.load %x[%i] : memref<8388608xf32>, vector<16xf32>
        %n = arith.negf %v : vector<16xf32>
        vector.store %n, %y[%i] : memref<8388608xf32>, vector<16xf32>
      }
      return
    }
    ```

    ```mlir
    func.func private @negate(%x: memref<8388608xf32>, %y: memref<8388608xf32>) {
      %0 = arith.constant dense<0.000000e+00> : vector<16xf32>
      %c4 = arith.constant 4 : index
      %c63 = arith.constant 63 : index
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %c8388608 = arith.constant 8388608 : index
      %1 = memref.extract_aligned_pointer_as_index %y : memref<8388608xf32> -> index
      %2 = arith.subi %c0, %1 : index
      %3 = arith.andi %2, %c63 : index
      %4 = arith.divui %3, %c4 : index
      %5 = arith.minsi %4, %c8388608 : index
      %6 = arith.cmpi ne, %5, %c0 : index
      scf.if %6 {
        %12 = vector.create_mask %5 : vector<16xi1>
        %13 = vector.maskedload %x[%c0], %12, %0 : memref<8388608xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
        %14 = arith.negf %13 : vector<16xf32>
        vector.maskedstore %y[%c0], %12, %14 : memref<8388608xf32>, vector<16xi1>, vector<16xf32>
      }
      %7 = arith.subi %c8388608, %5 : index
      %8 = arith.remui %7, %c16 : index
      %9 = arith.subi %c8388608, %8 : index
      scf.for %arg0 = %5 to %9 step %c16 {
        %12 = vector.load %x[%arg0] : memref<8388608xf32>, vector<16xf32>
        %13 = arith.negf %12 : vector<16xf32>
        vector.store %13, %y[%arg0] {alignment = 64 : i64, nontemporal = true} : memref<8388608xf32>, vector<16xf32>
      }
      %10 = arith.subi %c8388608, %9 : index
      %11 = arith.cmpi ne, %10, %c0 : index
      scf.if %11 {
        %12 = vector.create_mask %10 : vector<16xi1>
        %13 = vector.maskedload %x[%9], %12, %0 : memref<8388608xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
        %14 = arith.negf %13 : vector<16xf32>
        vector.maskedstore %y[%9], %12, %14 : memref<8388608xf32>, vector<16xi1>, vector<16xf32>
      }
      llvm.fence seq_cst
      return
    }
    ```
    """  # noqa: E501

    name = "stream-large-outputs"
    requires = (BUFFERS_ONLY,)
    statistics = {"streaming": "stores that pass by the caches"}
    least_bytes: int = option(32 << 20, "what a kernel reads and writes at least: more than the last cache")

    def run(self, op: Operation, ctx: PassContext) -> None:
        assert isinstance(op, ModuleOp)
        for function in [op for op in op.body.block.ops if isinstance(op, func.FuncOp)]:
            if not function.is_declaration:
                ctx.count("streaming", stream_large_outputs(function, self.least_bytes))
