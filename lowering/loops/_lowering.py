"""What the two conversions of linalg to loops share: which operations they take."""

from __future__ import annotations

from typing import cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, TensorType
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.memref import CopyOp
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.core.diagnostics import error
from lamina.dialects.linalg.structured import is_structured
from lamina.lowering.buffers._layouts import is_contiguous
from lamina.lowering.loops._loop_nest import copy_with_loops, lower_to_loops


def linalg_to_loops(root: Operation, *, parallel: bool) -> int:
    """Lower all structured operations and all strided copies below ``root``; returns their number.

    Copies between contiguous buffers stay: they become calls of memcpy. Operations on tensors are an error.
    """
    count = 0
    for op in list(root.walk()):
        if is_structured(op):
            _check_buffers(op)
            if isinstance(op, linalg.CopyOp) and _is_plain_copy(op):
                _to_memref_copy(op)
            else:
                lower_to_loops(op, parallel=parallel)
            count += 1
        elif isinstance(op, memref.CopyOp) and not _is_plain(op.source.type, op.destination.type):
            copy_with_loops(op, parallel=parallel)
            count += 1
    return count


def _check_buffers(op: Operation) -> None:
    if any(isinstance(value.type, TensorType) for value in (*op.operands, *op.results)):
        raise error("works on tensors", op, hint="run one-shot-bufferize first")


def _is_plain(source: object, destination: object) -> bool:
    return is_contiguous(cast(MemRefType, source)) and is_contiguous(cast(MemRefType, destination))


def _is_plain_copy(op: linalg.CopyOp) -> bool:
    source, destination = op.inputs[0].type, op.outputs[0].type
    if not (isinstance(source, MemRefType) and isinstance(destination, MemRefType)):
        return False
    return source.element_type == destination.element_type and _is_plain(source, destination)


def _to_memref_copy(op: linalg.CopyOp) -> None:
    new = CopyOp(op.inputs[0], op.outputs[0])
    new.location = op.location
    Rewriter.insert_op(new, InsertPoint.before(op))
    op.detach()
    op.erase()
