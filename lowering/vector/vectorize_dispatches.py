"""Follow schedules: roots with their epilogues become loop nests over vectors."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, TensorType
from xdsl.dialects.linalg.ops import FillOp, IndexOp, YieldOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from lamina.lowering.vector._access import Structured
from lamina.lowering.vector._combiner import combiner
from lamina.lowering.vector._emitter import Emitter
from lamina.lowering.vector._groups import Group, form_groups
from lamina.lowering.vector._nest import Nest
from lamina.lowering.vector._schedule import Schedule, schedule_of
from lamina.passes.framework.passes import Pass, PassContext


@dataclass(frozen=True)
class VectorizeDispatches(Pass):
    """Turn scheduled linalg operations on tensors, with their elementwise consumers, into loops over vectors.

    Operations without a ``lamina.schedule`` stay as they are, and so do those whose body or accesses have
    no vector form.
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
        _erase_dead([member.op for member in reversed(group.members)])
        vectorized += 1
    return vectorized, kept


def obstacle(group: Group, schedule: Schedule) -> str | None:
    """Why a group has no vector form under a schedule; None if it has one."""
    root = group.root
    if len(schedule.tile) != len(root.sizes):
        return "the schedule is for another number of loops"
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


def _body_obstacle(of: Structured) -> str | None:
    for op in of.body.ops:
        if isinstance(op, YieldOp | IndexOp):
            continue
        if op.regions or op.name.split(".")[0] not in ("arith", "math"):
            return f"its body has a '{op.name}'"
        if not all(isinstance(r.type, AnyFloat | IntegerType | IndexType) for r in op.results):
            return f"'{op.name}' makes no scalar"
    return None


def _erase_dead(ops: list[Operation]) -> None:
    """Erase operations whose results nobody uses, and the fills and empties that only they used."""
    for op in ops:
        if any(result.uses for result in op.results):
            continue
        sources: list[SSAValue] = list(op.operands)
        op.detach()
        op.erase()
        owners = dict.fromkeys(value.owner for value in sources)
        _erase_dead([owner for owner in owners if isinstance(owner, FillOp | tensor.EmptyOp)])
