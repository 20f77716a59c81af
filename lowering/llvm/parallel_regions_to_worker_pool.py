"""The pass ``parallel-regions-to-worker-pool``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, SymbolRefAttr, i32, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.core.diagnostics import error
from lamina.dialects.llvm.memory import LoadOp, StoreOp
from lamina.lowering.buffers._parallel_loops import PARALLEL
from lamina.lowering.llvm._addresses import field_address
from lamina.passes.framework.passes import Pass, PassContext, option

RUN_CHUNKS = "lamina_parallel"
"""The run-time function ``void (ptr task, ptr context, i64 chunks, i32 threads)``, which runs
``task(context, chunk)`` for each chunk and returns when all are done."""
_POINTER = llvm.LLVMPointerType()


def regions_to_worker_pool(module: ModuleOp, threads: int) -> int:
    """Let the functions marked as parallel regions hand their chunks to threads; returns their number."""
    functions = [op for op in module.body.block.ops if isinstance(op, llvm.FuncOp)]
    regions = [f for f in functions if PARALLEL in f.attributes and f.body.blocks]
    for function in regions:
        _convert(function, threads)
    if regions and all(f.sym_name.data != RUN_CHUNKS for f in functions):
        _declare(module)
    return len(regions)


def _convert(function: llvm.FuncOp, threads: int) -> None:
    call = _chunk_call(function)
    task = _task(function, call)
    Rewriter.insert_op(task, InsertPoint.after(function))
    arguments = list(function.body.blocks[0].args)
    chunks = cast(IntegerAttr, function.attributes[PARALLEL]).value.data
    body = Block(arg_types=[argument.type for argument in arguments])
    for old, new in zip(arguments, body.args, strict=True):
        new.name_hint = old.name_hint
    function.detach_region(function.body)
    function.add_region(Region(body))
    emit = _Appender(body, function)
    fields = emit.constant(max(1, len(arguments)), i64)
    context = emit.value(llvm.AllocaOp(fields, i64, alignment=64))
    for number, argument in enumerate(body.args):
        emit.op(StoreOp.create(operands=[argument, emit.field(context, number)]))
    address = emit.value(llvm.AddressOfOp(task.sym_name.data, _POINTER))
    operands = [address, context, emit.constant(chunks, i64), emit.constant(threads, i32)]
    emit.op(llvm.CallOp(RUN_CHUNKS, *operands))
    emit.op(llvm.ReturnOp.create())


def _chunk_call(function: llvm.FuncOp) -> llvm.CallOp:
    calls = [op for op in function.walk() if isinstance(op, llvm.CallOp)]
    arguments = list(function.body.blocks[0].args)
    if len(calls) != 1 or list(calls[0].args)[1:] != arguments or calls[0].callee is None:
        raise error(
            f"has '{PARALLEL}' but is no loop around one call with its arguments",
            function,
            hint="such functions are made by `parallelize-dispatches`",
        )
    return calls[0]


def _task(function: llvm.FuncOp, call: llvm.CallOp) -> llvm.FuncOp:
    """The function that threads call: one chunk, with the arguments from the context."""
    types = [argument.type for argument in call.args[1:]]
    body = Block(arg_types=[_POINTER, i64])
    body.args[0].name_hint, body.args[1].name_hint = "context", "chunk"
    emit = _Appender(body, function)
    values = [
        emit.value(LoadOp.create(operands=[emit.field(body.args[0], n)], result_types=[kind]))
        for n, kind in enumerate(types)
    ]
    callee = cast(SymbolRefAttr, call.callee)
    emit.op(llvm.CallOp(callee, body.args[1], *values))
    emit.op(llvm.ReturnOp.create())
    kind = llvm.LLVMFunctionType([_POINTER, i64], llvm.LLVMVoidType())
    name = f"{function.sym_name.data}_task"
    task = llvm.FuncOp(name, kind, llvm.LinkageAttr("external"), sym_visibility="private", body=Region(body))
    task.location = function.location
    return task


class _Appender:
    """Adds operations to a block under a location."""

    def __init__(self, block: Block, at: Operation) -> None:
        self._block, self._location = block, at.location

    def op(self, op: Operation) -> Operation:
        op.location = self._location
        self._block.add_op(op)
        return op

    def value(self, op: Operation) -> SSAValue:
        return self.op(op).results[0]

    def constant(self, value: int, kind: Attribute) -> SSAValue:
        attribute = IntegerAttr(value, kind)  # pyright: ignore[reportArgumentType, reportCallIssue]
        return self.value(llvm.ConstantOp(attribute, kind))

    def field(self, context: SSAValue, number: int) -> SSAValue:
        """The address of an argument in the context: eight bytes for each."""
        return self.value(field_address(context, number, i64))


def _declare(module: ModuleOp) -> None:
    kind = llvm.LLVMFunctionType([_POINTER, _POINTER, i64, i32], llvm.LLVMVoidType())
    function = llvm.FuncOp(
        RUN_CHUNKS, kind, llvm.LinkageAttr("external"), sym_visibility=StringAttr("private")
    )
    function.location = module.location
    first = module.body.block.first_op
    assert first is not None
    Rewriter.insert_op(function, InsertPoint.before(first))


@dataclass(frozen=True)
class ParallelRegionsToWorkerPool(Pass):
    """Hand the chunks of parallel regions to threads.

    The body of a function with `lamina.parallel`, a loop of calls, is replaced by one call of the run-time
    function `lamina_parallel`, which takes a function for one chunk and the region's arguments in memory. It
    uses at most so many threads, the caller's among them.

    ```mlir
    llvm.func @chunk(%i: i64, %x: !llvm.ptr) attributes {sym_visibility = "private"} {
      llvm.return
    }
    llvm.func @region(%x: !llvm.ptr) attributes {lamina.parallel = 2 : i64, sym_visibility = "private"} {
      %c0 = llvm.mlir.constant(0 : i64) : i64
      %c1 = llvm.mlir.constant(1 : i64) : i64
      %c2 = llvm.mlir.constant(2 : i64) : i64
      llvm.br ^head(%c0 : i64)
    ^head(%i: i64):
      %more = llvm.icmp "slt" %i, %c2 : i64
      llvm.cond_br %more, ^body, ^end
    ^body:
      llvm.call @chunk(%i, %x) : (i64, !llvm.ptr) -> ()
      %next = llvm.add %i, %c1 : i64
      llvm.br ^head(%next : i64)
    ^end:
      llvm.return
    }
    ```

    ```mlir
    llvm.func @lamina_parallel(!llvm.ptr, !llvm.ptr, i64, i32) attributes {sym_visibility = "private"}
    llvm.func @chunk(%i: i64, %x: !llvm.ptr) attributes {sym_visibility = "private"} {
      llvm.return
    }
    llvm.func @region(%x: !llvm.ptr) attributes {lamina.parallel = 2 : i64, sym_visibility = "private"} {
      %0 = llvm.mlir.constant(1 : i64) : i64
      %1 = llvm.alloca %0 x i64 {alignment = 64 : i64} : (i64) -> !llvm.ptr
      %2 = llvm.getelementptr inbounds %1[0] : (!llvm.ptr) -> !llvm.ptr, i64
      llvm.store %x, %2 : !llvm.ptr, !llvm.ptr
      %3 = llvm.mlir.addressof @region_task : !llvm.ptr
      %4 = llvm.mlir.constant(2 : i64) : i64
      %5 = llvm.mlir.constant(2 : i32) : i32
      llvm.call @lamina_parallel(%3, %1, %4, %5) : (!llvm.ptr, !llvm.ptr, i64, i32) -> ()
      llvm.return
    }
    llvm.func @region_task(%context: !llvm.ptr, %chunk: i64) attributes {sym_visibility = "private"} {
      %0 = llvm.getelementptr inbounds %context[0] : (!llvm.ptr) -> !llvm.ptr, i64
      %1 = llvm.load %0 : !llvm.ptr -> !llvm.ptr
      llvm.call @chunk(%chunk, %1) : (i64, !llvm.ptr) -> ()
      llvm.return
    }
    ```
    """

    name = "parallel-regions-to-worker-pool"
    statistics = {"regions": "functions that threads run"}
    threads: int = option(2, "threads of a region, with the caller's")

    def run(self, op: Operation, ctx: PassContext) -> None:
        assert isinstance(op, ModuleOp)
        ctx.count("regions", regions_to_worker_pool(op, self.threads))
