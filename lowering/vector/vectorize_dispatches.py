"""Follow schedules: roots with their epilogues become loop nests over vectors."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, TensorType
from xdsl.dialects.linalg.ops import IndexOp, YieldOp
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint

from lamina.lowering.vector._access import Structured
from lamina.lowering.vector._combiner import combiner
from lamina.lowering.vector._emitter import Emitter
from lamina.lowering.vector._groups import Group, erase_dead, form_groups
from lamina.lowering.vector._nest import Nest
from lamina.lowering.vector._packing import block_packing_of, is_packed, unpacking_of
from lamina.lowering.vector._schedule import Schedule, schedule_of
from lamina.lowering.vector._winograd import fits, transform_of
from lamina.passes.framework.passes import Pass, PassContext


@dataclass(frozen=True)
class VectorizeDispatches(Pass):
    """Turn scheduled linalg operations on tensors, with their elementwise consumers, into loops over vectors.

    A root and its epilogue become one nest over tiles whose values stay in registers. Sums are accumulated
    from what the destination is filled with; sums along vectors may be reassociated, and products fused with
    additions. The last tile of a loop starts early where the tile does not divide its size, so nothing is
    accessed out of bounds. Operations without a ``lamina.schedule`` stay as they are, and so do those whose
    body or accesses have no vector form.

    ```mlir
    func.func @matmul(%a: tensor<12x8xf32>, %b: tensor<8x32xf32>, %out: tensor<12x32xf32>)
        -> tensor<12x32xf32> {
      %zero = arith.constant 0.0 : f32
      %f = linalg.fill ins(%zero : f32) outs(%out : tensor<12x32xf32>) -> tensor<12x32xf32>
      %m = linalg.matmul {lamina.schedule = {tile = array<i64: 6, 16, 1>, order = array<i64: 1, 0, 2>,
        vector = 1 : i64}} ins(%a, %b : tensor<12x8xf32>, tensor<8x32xf32>)
        outs(%f : tensor<12x32xf32>) -> tensor<12x32xf32>
      return %m : tensor<12x32xf32>
    }
    ```

    ```mlir
    func.func @matmul(%a: tensor<12x8xf32>, %b: tensor<8x32xf32>, %out: tensor<12x32xf32>)
        -> tensor<12x32xf32> {
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %1 = arith.constant dense<0.000000e+00> : vector<6x16xf32>
      %c6 = arith.constant 6 : index
      %c12 = arith.constant 12 : index
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.000000e+00 : f32
      %m = scf.for %2 = %c0 to %c32 step %c16 iter_args(%3 = %out) -> (tensor<12x32xf32>) {
        %4 = scf.for %5 = %c0 to %c12 step %c6 iter_args(%6 = %3) -> (tensor<12x32xf32>) {
          %7 = scf.for %8 = %c0 to %c8 step %c1 iter_args(%9 = %1) -> (vector<6x16xf32>) {
            %10 = vector.transfer_read %a[%5, %8], %zero {in_bounds = [true, true]}
              : tensor<12x8xf32>, vector<6x1xf32>
            %11 = vector.transfer_read %b[%8, %2], %zero {in_bounds = [true, true]}
              : tensor<8x32xf32>, vector<1x16xf32>
            %12 = vector.contract {
              indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                affine_map<(m, n, k) -> (m, n)>],
              iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
              %10, %11, %9 : vector<6x1xf32>, vector<1x16xf32> into vector<6x16xf32>
            scf.yield %12 : vector<6x16xf32>
          }
          %13 = vector.transfer_write %7, %6[%5, %2] {in_bounds = [true, true]}
            : vector<6x16xf32>, tensor<12x32xf32>
          scf.yield %13 : tensor<12x32xf32>
        } {lamina.parallel}
        scf.yield %4 : tensor<12x32xf32>
      } {lamina.parallel}
      func.return %m : tensor<12x32xf32>
    }
    ```
    """

    name = "vectorize-dispatches"
    statistics = {"vectorized": "roots that became loop nests", "kept": "scheduled roots left as linalg"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        for function in op.walk():
            if isinstance(function, func.FuncOp) and not function.is_declaration:
                vectorized, kept = vectorize_function(function)
                ctx.count("vectorized", vectorized)
                ctx.count("kept", kept)


def vectorize_function(function: func.FuncOp) -> tuple[int, int]:
    """Vectorise the scheduled roots of a function; returns how many were, and how many could not be."""
    vectorized = kept = 0
    block = function.body.block
    # From the last to the first: a group's operands, made by earlier ones, are replaced after it was emitted.
    for group in reversed(form_groups(block)):
        schedule = schedule_of(group.root.op)
        if schedule is None:
            continue
        if obstacle(group, schedule) is not None:
            kept += 1
            continue
        last = group.members[-1].op
        emitter = Emitter(InsertPoint.before(last), block, group.root.op.location)
        nest = Nest(emitter, group, schedule)
        for (member, i), value in zip(nest.live, nest.emit(), strict=True):
            member.op.results[i].replace_all_uses_with(value)
        erase_dead([member.op for member in reversed(group.members)])
        vectorized += 1
    return vectorized, kept


def obstacle(group: Group, schedule: Schedule) -> str | None:
    """Why a group has no vector form under a schedule; None if it has one."""
    root = group.root
    if len(schedule.tile) != len(root.sizes):
        return "the schedule is for another number of loops"
    if schedule.blocks:
        reason = _block_obstacle(group, schedule)
        if reason is not None:
            return reason
    if transform_of(root.op) is not None and not fits(root, schedule):
        return "its tiles are no squares of the transform"
    for i, value in enumerate(root.inputs):
        if is_packed(value) and unpacking_of(root, i, schedule.tile, schedule.order) is None:
            return "an operand is packed for another schedule"
    for member in group.members:
        reason = _body_obstacle(member)
        if reason is not None:
            return reason
    if not all(isinstance(output.type, TensorType) for output in root.outputs):
        return "it works on buffers"
    for access in root.output_accesses:
        if sorted(-1 if (loop := e.is_loop()) is None else loop for e in access) != root.parallels:
            return "an output is no permutation of the parallel loops"
    if any(schedule.tile[loop] > 1 for loop in root.reductions):
        if any(combiner(root, i) is None for i in range(len(root.outputs))):
            return "the accumulator is not combined by a known operation"
    elif any(not root.reads_output(i) for i in range(len(root.outputs)) if root.reductions):
        return "a reduction does not read its accumulator"
    return None


def _block_obstacle(group: Group, schedule: Schedule) -> str | None:
    """Why loops cannot run in blocks."""
    root = group.root
    sums = [loop for loop in schedule.blocks if loop in root.reductions]
    if schedule.vector in sums or any(schedule.tile[loop] > 1 for loop in sums):
        return "only reductions without vectors, in steps of one, can run in blocks"
    if sums and group.epilogue:
        return "the epilogue needs sums that are complete"
    if schedule.pack is not None and block_packing_of(root, schedule) is None:
        return "the operand cannot be packed for a block"
    if any(is_packed(value) for value in root.inputs):
        return "blocks and operands that are given packed do not go together"
    return None


def _body_obstacle(of: Structured) -> str | None:
    for op in of.body.ops:
        if isinstance(op, YieldOp | IndexOp):
            continue
        if op.regions or op.name.split(".")[0] not in ("arith", "math"):
            return f"its body has a '{op.name}'"
        if not all(isinstance(r.type, AnyFloat | IntegerType | IndexType) for r in op.results):
            return f"'{op.name}' makes no scalar"
    return None
