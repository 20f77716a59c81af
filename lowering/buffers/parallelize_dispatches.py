"""The pass ``parallelize-dispatches``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import MemRefType, ModuleOp, UnitAttr
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.linalg.structured import as_generic, is_structured, static_loop_sizes
from lamina.lowering.buffers._layouts import is_contiguous, sizes_of
from lamina.lowering.buffers._parallel_loops import CHUNK, PARALLEL, parallel_loops, split_loop
from lamina.lowering.loops._loop_nest import copy_with_loops, lower_to_loops
from lamina.passes.framework.conditions import BUFFERS_ONLY
from lamina.passes.framework.passes import Pass, PassContext, option


def parallelize_dispatches(module: ModuleOp, least_cycles: float) -> int:
    """Split the loops of private functions that are worth several threads; returns their number."""
    count = 0
    for function in [op for op in module.body.block.ops if isinstance(op, func.FuncOp)]:
        visibility = function.sym_visibility
        if function.is_declaration or visibility is None or visibility.data != "private":
            continue
        if CHUNK in function.attributes:
            continue
        _lower_large_operations(function, least_cycles)
        for number, loop in enumerate(parallel_loops(function, least_cycles)):
            made = split_loop(loop, f"{function.sym_name.data}_parallel_{number}")
            if made is not None:
                Rewriter.insert_op(list(made), InsertPoint.after(function))
                count += 1
    return count


def _lower_large_operations(function: func.FuncOp, least_cycles: float) -> None:
    """What has no vector form and is large becomes loops here already, so that they can be split."""
    for block in function.body.blocks:
        for op in list(block.ops):
            found = _loops_of(op)
            if found is None or prod(size or 1 for size in found[0]) < least_cycles:
                continue
            sizes, kinds = found
            following = op.next_op
            if isinstance(op, memref.CopyOp):
                copy_with_loops(op, parallel=False)
            else:
                lower_to_loops(op, parallel=False)
            nest = block.last_op if following is None else following.prev_op
            _mark(nest, [kind for kind, size in zip(kinds, sizes, strict=True) if size != 1])


def _loops_of(op: Operation) -> tuple[Sequence[int], Sequence[str]] | None:
    """Extents and kinds of the loops that an operation stands for; None for others, or where they vary."""
    if is_structured(op):
        view = as_generic(op)
        sizes, kinds = static_loop_sizes(view), view.iterator_types
    elif isinstance(op, memref.CopyOp) and not all(is_contiguous(_type(v)) for v in op.operands):
        sizes = sizes_of(_type(op.source))
        kinds = ["parallel"] * len(sizes)
    else:
        return None
    known = [size for size in sizes if size is not None]
    return (known, kinds) if len(known) == len(sizes) else None


def _type(buffer: SSAValue) -> MemRefType:
    assert isinstance(buffer.type, MemRefType)
    return buffer.type


def _mark(nest: Operation | None, iterators: Sequence[str]) -> None:
    """Mark the loops of a nest down to the first one that reduces."""
    for iterator in iterators:
        if iterator != "parallel" or not isinstance(nest, scf.ForOp):
            return
        nest.attributes[PARALLEL] = UnitAttr()
        nest = next((op for op in nest.body.block.ops if isinstance(op, scf.ForOp)), None)


@dataclass(frozen=True)
class ParallelizeDispatches(Pass):
    """Split loops with independent iterations (`lamina.parallel`) into chunks that threads can share.

    A loop that is worth it by an estimate of its cycles becomes a call of a function that carries the number
    of chunks as `lamina.parallel` and runs them one after the other; `parallel-regions-to-worker-pool` later
    hands them to threads. The chunks do not depend on the number of threads, so results do not, either. A
    buffer that only the loop uses gets a copy for each chunk.

    ```mlir
    func.func private @fill(%x: memref<4x65536xf32>, %v: f32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c65536 = arith.constant 65536 : index
      scf.for %i = %c0 to %c4 step %c1 {
        scf.for %j = %c0 to %c65536 step %c1 {
          memref.store %v, %x[%i, %j] : memref<4x65536xf32>
        }
      } {lamina.parallel}
      return
    }
    ```

    ```mlir
    func.func private @fill(%x: memref<4x65536xf32>, %v: f32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c65536 = arith.constant 65536 : index
      func.call @fill_parallel_0(%v, %x) : (f32, memref<4x65536xf32>) -> ()
      func.return
    }
    func.func private @fill_parallel_0(%0: f32, %1: memref<4x65536xf32>) attributes {lamina.parallel = 4 : i64} {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %c1 = arith.constant 1 : index
      scf.for %2 = %c0 to %c4 step %c1 {
        func.call @fill_parallel_0_chunk(%2, %0, %1) : (index, f32, memref<4x65536xf32>) -> ()
      }
      func.return
    }
    func.func private @fill_parallel_0_chunk(%0: index, %v: f32, %x: memref<4x65536xf32>) attributes {lamina.chunk} {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %c1 = arith.constant 1 : index
      %c65536 = arith.constant 65536 : index
      %c1_1 = arith.constant 1 : index
      %1 = arith.muli %0, %c1_1 : index
      %2 = arith.addi %1, %c0 : index
      %3 = arith.addi %2, %c1_1 : index
      %4 = arith.minsi %3, %c4 : index
      scf.for %i = %2 to %4 step %c1 {
        scf.for %j = %c0 to %c65536 step %c1 {
          memref.store %v, %x[%i, %j] : memref<4x65536xf32>
        }
      }
      func.return
    }
    ```
    """  # noqa: E501

    name = "parallelize-dispatches"
    requires = (BUFFERS_ONLY,)
    statistics = {"regions": "loops split"}
    least_cycles: int = option(150_000, "the work from which on a loop is split: about 50 us")

    def run(self, op: Operation, ctx: PassContext) -> None:
        assert isinstance(op, ModuleOp)
        ctx.count("regions", parallelize_dispatches(op, self.least_cycles))
