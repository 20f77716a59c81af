"""Rewriting of vector transfers, and of the operations between tensors and buffers."""

from __future__ import annotations

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.dialects.memref import CastOp
from xdsl.ir import Operation

from lamina.lowering.buffers._accesses import is_tensor
from lamina.lowering.buffers._layouts import memref_of
from lamina.lowering.buffers._rewriting import Buffers, recreate, rewrite_destination_style, rewrite_rule


@rewrite_rule("vector.transfer_read")
def _transfer_read(buffers: Buffers, op: Operation) -> None:
    if is_tensor(op.operands[0]):
        recreate(buffers, op, [buffers[op.operands[0]], *op.operands[1:]])
        buffers.replace(op)


@rewrite_rule("vector.transfer_write")
def _transfer_write(buffers: Buffers, op: Operation) -> None:
    if is_tensor(op.operands[1]):
        rewrite_destination_style(buffers, op)


@rewrite_rule("bufferization.alloc_tensor")
def _alloc_tensor(buffers: Buffers, op: Operation) -> None:
    copied = [value for value in op.operands if is_tensor(value)]
    if copied:
        buffers.replace(op, [buffers.copy_of(buffers[copied[0]], op)])
    else:
        sizes = list(op.operands)[: memref_of(op.results[0].type).get_shape().count(DYNAMIC_INDEX)]
        buffers.replace(op, [buffers.allocate(memref_of(op.results[0].type), sizes, op)])


@rewrite_rule("bufferization.to_tensor")
def _to_tensor(buffers: Buffers, op: Operation) -> None:
    buffers.replace(op, [op.operands[0]])


@rewrite_rule("bufferization.to_buffer")
def _to_buffer(buffers: Buffers, op: Operation) -> None:
    buffer = buffers[op.operands[0]]
    if buffer.type != op.results[0].type:
        new = CastOp.build(operands=[buffer], result_types=[op.results[0].type])
        buffer = buffers.emit(new, op).results[0]
    buffers.replace(op, [buffer])


@rewrite_rule("bufferization.materialize_in_destination")
def _materialize(buffers: Buffers, op: Operation) -> None:
    source = buffers[op.operands[0]]
    if is_tensor(op.operands[1]):
        target = buffers.destination(op, 1, preserve=False)
        if not buffers.decisions.aliases.same(op.operands[0], op.operands[1]):
            buffers.copy(source, target, op)
        buffers.replace(op, [target])
    else:
        buffers.copy(source, op.operands[1], op)
        buffers.replace(op)
