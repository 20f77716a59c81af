"""`scf-forall-to-parallel`: concurrent loops on buffers become `scf.parallel`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.core.diagnostics import error
from lamina.dialects.scf.extension import ParallelOp
from lamina.dialects.scf.forall import ForallOp
from lamina.passes.framework.conditions import no_op
from lamina.passes.framework.passes import ANY_OP, Pass, PassContext


def forall_to_parallel(root: Operation) -> int:
    """Replace every `scf.forall` without shared outputs; returns their number."""
    loops = [op for op in root.walk() if isinstance(op, ForallOp)]
    for loop in loops:
        if loop.outputs:
            raise error("still has shared outputs", loop, hint="run one-shot-bufferize first")
        _convert(loop)
    return len(loops)


def _convert(loop: ForallOp) -> None:
    lower, upper, step = (_values(loop, numbers) for numbers in loop.bounds())
    block = loop.body.block
    last = block.last_op
    assert last is not None
    end = scf.ReduceOp()
    end.location = last.location
    Rewriter.replace_op(last, end)
    body = Region()
    loop.body.move_blocks(body)
    new = ParallelOp(lower, upper, step, body)
    new.location = loop.location
    new.attributes.update(loop.attributes)
    if loop.mapping is not None:
        new.attributes["mapping"] = loop.mapping
    Rewriter.replace_op(loop, new)


def _values(loop: ForallOp, numbers: Sequence[int | SSAValue]) -> list[SSAValue]:
    found: list[SSAValue] = []
    for number in numbers:
        if isinstance(number, int):
            constant = arith.ConstantOp(IntegerAttr(number, IndexType()))
            constant.location = loop.location
            Rewriter.insert_op(constant, InsertPoint.before(loop))
            number = constant.result
        found.append(number)
    return found


@dataclass(frozen=True)
class ScfForallToParallel(Pass):
    """Turn `scf.forall` on buffers into `scf.parallel`.

    ```mlir
    func.func @f(%x: memref<8xf32>, %v: f32) {
      scf.forall (%i) in (8) {
        memref.store %v, %x[%i] : memref<8xf32>
      }
      return
    }
    ```

    ```mlir
    func.func @f(%x: memref<8xf32>, %v: f32) {
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %c1 = arith.constant 1 : index
      scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
        memref.store %v, %x[%i] : memref<8xf32>
        scf.reduce
      }
      return
    }
    ```
    """

    name = "scf-forall-to-parallel"
    anchor = ANY_OP
    ensures = (no_op("scf.forall"),)
    statistics = {"converted": "loops converted"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("converted", forall_to_parallel(op))
