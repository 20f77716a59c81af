"""Allocations of private functions become arguments, so that the caller's arena provides them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, IntegerAttr, MemRefType, UnitAttr
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.lowering.buffers._layouts import is_identity
from lamina.lowering.buffers._lifetimes import deallocations_of
from lamina.lowering.buffers._numbering import parallel_scope

SCRATCH_ATTRIBUTE = "lamina.scratch"


def static_allocations(function: func.FuncOp) -> Iterator[memref.AllocOp]:
    """The allocations whose size is known and which exist once at a time."""
    for op in function.walk():
        if isinstance(op, memref.AllocOp) and is_static(op) and parallel_scope(op.parent) is None:
            yield op


def is_static(op: memref.AllocOp) -> bool:
    """Whether an allocation has a known size and identity layout."""
    kind = cast(MemRefType, op.memref.type)
    return kind.has_static_shape() and is_identity(kind)


def add_argument(
    function: func.FuncOp, kind: MemRefType, attributes: dict[str, Attribute], name: str | None
) -> BlockArgument:
    """Append an argument to a function with a body."""
    block = function.body.blocks.first
    assert block is not None
    argument = block.insert_arg(kind, len(block.args))
    argument.name_hint = name
    kinds = function.function_type
    held = list(function.arg_attrs.data) if function.arg_attrs is not None else []
    held = held or [DictionaryAttr({})] * len(kinds.inputs)
    function.arg_attrs = ArrayAttr([*held, DictionaryAttr(attributes)])
    function.function_type = FunctionType.from_lists([*kinds.inputs, kind], list(kinds.outputs))
    return argument


def replace_allocation(op: memref.AllocOp, buffer: SSAValue) -> None:
    """Use another buffer instead of an allocation; what freed it is removed."""
    for dealloc in deallocations_of(op.memref):
        dealloc.detach()
        dealloc.erase()
    op.memref.replace_all_uses_with(buffer)
    op.detach()
    op.erase()


def hoist_allocations(function: func.FuncOp, calls: Sequence[func.CallOp]) -> None:
    """Turn the static allocations of a function into arguments, which its callers allocate."""
    types: list[MemRefType] = []
    for op in list(static_allocations(function)):
        kind = cast(MemRefType, op.memref.type)
        argument = add_argument(function, kind, {SCRATCH_ATTRIBUTE: UnitAttr()}, op.memref.name_hint)
        replace_allocation(op, argument)
        types.append(kind)
    if types:
        for call in calls:
            _pass_buffers(call, types)


def _pass_buffers(call: func.CallOp, types: Sequence[MemRefType]) -> None:
    buffers: list[SSAValue] = []
    for kind in types:
        alloc: Operation = memref.AllocOp([], [], kind, IntegerAttr(64, 64))
        alloc.location = call.location
        Rewriter.insert_op(alloc, InsertPoint.before(call))
        buffers.append(alloc.results[0])
    with_operands(call, [*call.operands, *buffers])


def with_operands(call: func.CallOp, operands: Sequence[SSAValue]) -> None:
    """Replace a call by one with other operands."""
    new = func.CallOp(call.callee, list(operands), [result.type for result in call.results])
    new.attributes.update(call.attributes)
    new.location = call.location
    for old, result in zip(call.results, new.results, strict=True):
        result.name_hint = old.name_hint
    Rewriter.replace_op(call, new)
