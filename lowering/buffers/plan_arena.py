"""`plan-arena`: all buffers of a call live in one block of memory, planned at compile time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    UnitAttr,
    i8,
    i64,
)
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.core.dtypes import numpy_dtype
from lamina.lowering.buffers._functions import calls_by_callee, is_public, order_of_calls
from lamina.lowering.buffers._lifetimes import Lifetime, lifetime
from lamina.lowering.buffers._numbering import Numbering
from lamina.lowering.buffers._offsets import Plan, Request, lower_bound, plan_offsets
from lamina.lowering.buffers._scratch import (
    add_argument,
    hoist_allocations,
    replace_allocation,
    static_allocations,
    with_operands,
)
from lamina.passes.framework.conditions import BUFFERS_ONLY
from lamina.passes.framework.passes import Pass, PassContext, option

ARENA_ATTRIBUTE = "lamina.arena"
"""On the argument of an entry function that is its arena."""
LIFETIME_ATTRIBUTE = "lamina.lifetime"
"""On a view of the arena, where asked for: the first and last time of use."""


@dataclass(frozen=True)
class ArenaReport:
    """The outcome for one entry function, in bytes."""

    function: func.FuncOp
    peak: int
    """The size of the arena."""
    sum: int
    """The bytes of all buffers together."""
    bound: int
    """The most bytes in use at one time."""
    unplanned: int
    """Allocations that stay: of dynamic shape, in concurrent loops, or returned."""


def plan_arena(module: ModuleOp, *, annotate: bool = False) -> list[ArenaReport]:
    """Give each public function one arena argument, of which all its buffers are views.

    Allocations of private functions become scratch arguments first, so they are planned by the caller.
    With ``annotate``, each view says when it is in use.
    """
    reports: list[ArenaReport] = []
    calls = calls_by_callee(module)
    for function in order_of_calls(module, recursion=True):
        if not function.body.blocks:
            continue
        name = function.sym_name.data
        callers = calls.get(name, [])
        if is_public(function):
            reports.append(_plan_entry(function, annotate=annotate))
            for call in callers:
                _pass_arena(call, reports[-1].peak)
        elif callers:
            hoist_allocations(function, callers)
    return reports


def _plan_entry(function: func.FuncOp, *, annotate: bool) -> ArenaReport:
    times = Numbering(function)
    allocations: list[memref.AllocOp] = []
    lifetimes: list[Lifetime] = []
    for op in list(static_allocations(function)):
        found = lifetime(op.memref, times)
        if not found.escapes:
            allocations.append(op)
            lifetimes.append(found)
    requests = [
        Request(bytes_of(cast(MemRefType, op.memref.type)), life.first, life.last)
        for op, life in zip(allocations, lifetimes, strict=True)
    ]
    plan = plan_offsets(requests)
    arena = add_argument(function, MemRefType(i8, [plan.total]), {ARENA_ATTRIBUTE: UnitAttr()}, "arena")
    _replace_by_views(function, arena, allocations, lifetimes if annotate else None, plan)
    left = sum(isinstance(op, memref.AllocOp) for op in function.walk())
    return ArenaReport(function, plan.total, sum(r.room for r in requests), lower_bound(requests), left)


def bytes_of(kind: MemRefType) -> int:
    """The size of a static buffer of identity layout."""
    return math.prod(kind.get_shape()) * numpy_dtype(kind.element_type).itemsize


def _replace_by_views(
    function: func.FuncOp,
    arena: SSAValue,
    allocations: list[memref.AllocOp],
    lifetimes: list[Lifetime] | None,
    plan: Plan,
) -> None:
    offsets: dict[int, SSAValue] = {}
    for number, (op, offset) in enumerate(zip(allocations, plan.offsets, strict=True)):
        if offset not in offsets:
            offsets[offset] = _entry_constant(function, offset)
        view = memref.ViewOp(arena, offsets[offset], [], cast(MemRefType, op.memref.type))
        view.location = op.location
        view.result.name_hint = op.memref.name_hint
        if lifetimes is not None:
            life = lifetimes[number]
            view.attributes[LIFETIME_ATTRIBUTE] = DenseArrayBase.from_list(i64, [life.first, life.last])
        Rewriter.insert_op(view, InsertPoint.before(op))
        replace_allocation(op, view.result)


def _entry_constant(function: func.FuncOp, value: int) -> SSAValue:
    constant = arith.ConstantOp(IntegerAttr(value, IndexType()))
    constant.location = function.location
    constant.result.name_hint = f"c{value}"
    Rewriter.insert_op(constant, InsertPoint.at_start(function.body.block))
    return constant.result


def _pass_arena(call: func.CallOp, size: int) -> None:
    """A call of an entry function from inside the module: its arena is a buffer of the caller."""
    alloc = memref.AllocOp([], [], MemRefType(i8, [size]), IntegerAttr(64, 64))
    alloc.location = call.location
    Rewriter.insert_op(alloc, InsertPoint.before(call))
    with_operands(call, [*call.operands, alloc.memref])


@dataclass(frozen=True)
class PlanArena(Pass):
    """Put all buffers of a call into one arena that the caller gives.

    Buffers that are in use at the same time get separate places, all others may share. Offsets are
    multiples of 64 bytes. Allocations of private functions become arguments, which their callers provide.
    Buffers of dynamic shape stay allocations, with a warning.

    ```mlir
    func.func private @use(memref<16xf32>)
    func.func @main() {
      %a = memref.alloc() : memref<16xf32>
      call @use(%a) : (memref<16xf32>) -> ()
      %b = memref.alloc() : memref<16xf32>
      call @use(%b) : (memref<16xf32>) -> ()
      return
    }
    ```

    ```mlir
    func.func private @use(memref<16xf32>)
    func.func @main(%arena: memref<64xi8> {lamina.arena}) {
      %c0 = arith.constant 0 : index
      %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
      call @use(%a) : (memref<16xf32>) -> ()
      %b = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
      call @use(%b) : (memref<16xf32>) -> ()
      return
    }
    ```
    """

    name = "plan-arena"
    requires = (BUFFERS_ONLY,)
    statistics = {
        "peak-bytes": "bytes of the arenas",
        "sum-bytes": "bytes of all buffers together",
        "bound-bytes": "most bytes in use at one time",
        "unplanned": "allocations that stay",
    }
    annotate_plan: bool = option(False, "say on each view when it is in use (lamina.lifetime)")

    def run(self, op: Operation, ctx: PassContext) -> None:
        for report in plan_arena(cast(ModuleOp, op), annotate=self.annotate_plan):
            ctx.count("peak-bytes", report.peak)
            ctx.count("sum-bytes", report.sum)
            ctx.count("bound-bytes", report.bound)
            ctx.count("unplanned", report.unplanned)
            if report.unplanned:
                ctx.warn(
                    f"{report.unplanned} buffers of '@{report.function.sym_name.data}' are allocated "
                    "at run time: their size is not known, or they exist once per concurrent iteration",
                    report.function,
                    hint="specialise the shapes with nn-set-shapes",
                )
