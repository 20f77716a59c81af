"""The pass ``instrument-dispatches``."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.llvm.memory import LoadOp, StoreOp
from lamina.lowering.dispatch._outline import DISPATCH
from lamina.lowering.llvm._addresses import field_address
from lamina.passes.framework.passes import Pass, PassContext

NOW = "lamina_now"
"""The run-time function that gives the time in nanoseconds."""
TIMES = "lamina_times"
"""The variable that the time of each call is added to; whoever loads the code provides it."""
_POINTER = llvm.LLVMPointerType()


def dispatch_calls(module: ModuleOp) -> list[tuple[llvm.CallOp, llvm.FuncOp]]:
    """The calls of dispatches, in order, and what they call."""
    functions = {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, llvm.FuncOp)}
    calls = [op for op in module.walk() if isinstance(op, llvm.CallOp) and op.callee is not None]
    named = [(call, functions.get(call.callee.string_value())) for call in calls if call.callee is not None]
    return [(call, f) for call, f in named if f is not None and DISPATCH in f.attributes]


def instrument_dispatches(module: ModuleOp) -> int:
    """Add the time of each call of a dispatch to a number of its own; returns how many calls there are."""
    calls = dispatch_calls(module)
    for number, (call, _) in enumerate(calls):
        _time(call, number)
    if calls:
        _declare(module, len(calls))
    return len(calls)


def _time(call: llvm.CallOp, number: int) -> None:
    before, after = _now(), _now()
    _insert(call, [before], InsertPoint.before(call))
    address = llvm.AddressOfOp(TIMES, _POINTER)
    place = field_address(address.result, number, i64)
    old = LoadOp.create(operands=[place.result], result_types=[i64])
    spent = llvm.SubOp(after.results[0], before.results[0])
    total = llvm.AddOp(old.results[0], spent.res)
    store = StoreOp.create(operands=[total.res, place.result])
    _insert(call, [after, address, place, old, spent, total, store], InsertPoint.after(call))


def _now() -> llvm.CallOp:
    return llvm.CallOp(NOW, return_type=i64)


def _insert(call: Operation, ops: list[Operation], point: InsertPoint) -> None:
    for op in ops:
        op.location = call.location
    Rewriter.insert_op(ops, point)


def _declare(module: ModuleOp, count: int) -> None:
    first = module.body.block.first_op
    assert first is not None
    array = llvm.LLVMArrayType(count, i64)
    times = llvm.GlobalOp(array, TIMES, llvm.LinkageAttr("external"), addr_space=0)
    now = llvm.FuncOp(
        NOW, llvm.LLVMFunctionType([], i64), llvm.LinkageAttr("external"), sym_visibility="private"
    )
    for op in (times, now):
        op.location = module.location
    Rewriter.insert_op([times, now], InsertPoint.before(first))


@dataclass(frozen=True)
class InstrumentDispatches(Pass):
    """Measure how long each call of a dispatch takes.

    The time, by `lamina_now`, is added to an element of the external variable `lamina_times`, one for each
    call in the order of the text.

    ```mlir
    llvm.func @kernel(%x: !llvm.ptr) attributes {lamina.dispatch, sym_visibility = "private"} {
      llvm.return
    }
    llvm.func @main(%x: !llvm.ptr) {
      llvm.call @kernel(%x) : (!llvm.ptr) -> ()
      llvm.return
    }
    ```

    ```mlir
    llvm.mlir.global external @lamina_times() : !llvm.array<1 x i64>
    llvm.func @lamina_now() -> i64 attributes {sym_visibility = "private"}
    llvm.func @kernel(%x: !llvm.ptr) attributes {lamina.dispatch, sym_visibility = "private"} {
      llvm.return
    }
    llvm.func @main(%x: !llvm.ptr) {
      %0 = llvm.call @lamina_now() : () -> i64
      llvm.call @kernel(%x) : (!llvm.ptr) -> ()
      %1 = llvm.call @lamina_now() : () -> i64
      %2 = llvm.mlir.addressof @lamina_times : !llvm.ptr
      %3 = llvm.getelementptr inbounds %2[0] : (!llvm.ptr) -> !llvm.ptr, i64
      %4 = llvm.load %3 : !llvm.ptr -> i64
      %5 = llvm.sub %1, %0 : i64
      %6 = llvm.add %4, %5 : i64
      llvm.store %6, %3 : i64, !llvm.ptr
      llvm.return
    }
    ```
    """

    name = "instrument-dispatches"
    statistics = {"calls": "calls that are measured"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        assert isinstance(op, ModuleOp)
        ctx.count("calls", instrument_dispatches(op))
