"""memref.copy between buffers with gaps, as loops over loads and stores."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation

from lamina.lowering.llvm._copies import is_contiguous
from lamina.lowering.loops._loop_nest import copy_with_loops
from lamina.passes.framework.passes import Pass, PassContext
from lamina.passes.framework.walk import operations_named


def convert_memref_copy_to_loops(root: Operation) -> int:
    """Turn copies from or to memrefs with gaps into loops; returns how many there were."""
    found = operations_named(root, (memref.CopyOp.name,))
    copies = [op for op in found if isinstance(op, memref.CopyOp) and not _is_block_copy(op)]
    for op in copies:
        copy_with_loops(op, parallel=False)
    return len(copies)


def _is_block_copy(op: memref.CopyOp) -> bool:
    return all(isinstance(v.type, MemRefType) and is_contiguous(v.type) for v in (op.source, op.destination))


@dataclass(frozen=True)
class ConvertMemRefCopyToLoops(Pass):
    """Turn copies of memrefs that are not contiguous into loops.

    Copies between contiguous memrefs stay: they become one `memcpy`.

    ```mlir
    func.func @f(%a: memref<4xf32>, %b: memref<4xf32, strided<[2]>>) {
      memref.copy %a, %b : memref<4xf32> to memref<4xf32, strided<[2]>>
      return
    }
    ```

    ```mlir
    func.func @f(%a: memref<4xf32>, %b: memref<4xf32, strided<[2]>>) {
      %0 = arith.constant 4 : index
      %1 = arith.constant 0 : index
      %2 = arith.constant 1 : index
      scf.for %arg0 = %1 to %0 step %2 {
        %3 = memref.load %a[%arg0] : memref<4xf32>
        memref.store %3, %b[%arg0] : memref<4xf32, strided<[2]>>
      }
      return
    }
    ```
    """

    name = "convert-memref-copy-to-loops"
    anchor = "any"
    statistics = {"converted": "copies turned into loops"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("converted", convert_memref_copy_to_loops(op))
