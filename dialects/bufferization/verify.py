"""What upstream verifies of bufferization in C++."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import DYNAMIC_INDEX, UnrankedTensorType
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error, location_of
from lamina.dialects.core.verifying.groups import attribute, values
from lamina.dialects.core.verifying.registry import verifies
from lamina.dialects.core.verifying.shapes import MEMREFS, RANKED, TENSORS, rank_of, shape_of
from lamina.dialects.tensor.verify import check_dynamic_sizes


@verifies("bufferization.alloc_tensor")
def verify_alloc_tensor(op: Operation) -> None:
    """There is a size for each dynamic extent, or a tensor to copy."""
    sizes, copied = values(op, "dynamic_sizes"), values(op, "copy")
    type: Any = op.results[0].type
    if copied:
        if sizes:
            raise error("dynamic sizes not needed when copying a tensor", location_of(op))
        if copied[0].type != type:
            raise error("expected that `copy` and return type match", location_of(op))
        return
    if isinstance(type, UnrankedTensorType):
        raise error("cannot allocate a tensor without rank", location_of(op))
    check_dynamic_sizes(op, type, len(sizes))


@verifies("bufferization.materialize_in_destination")
def verify_materialize_in_destination(op: Operation) -> None:
    """A tensor as destination gives a result, a memref none."""
    source, dest = op.operands[0].type, op.operands[1].type
    memref = isinstance(dest, MEMREFS)
    if not memref and not isinstance(dest, TENSORS):
        raise error("'dest' must be a tensor or a memref", op)
    if not memref and len(op.results) != 1:
        raise error("tensor 'dest' implies exactly one tensor result", op)
    if not memref and op.results[0].type != dest:
        raise error("result and 'dest' types must match", op)
    if memref and op.results:
        raise error("memref 'dest' implies zero results", op)
    if attribute(op, "restrict") is not None and not memref:
        raise error("'restrict' is valid only for memref destinations", op)
    if (attribute(op, "writable") is not None) != memref:
        message = "'writable' must be specified if and only if the destination is of memref type"
        raise error(message, op)
    _check_shapes(op, source, dest)


def _check_shapes(op: Operation, source: Any, dest: Any) -> None:
    if isinstance(source, RANKED) != isinstance(dest, RANKED):
        raise error("source/destination shapes are incompatible", op)
    if not isinstance(source, RANKED):
        return
    if rank_of(source) != rank_of(dest):
        raise error("rank mismatch between source and destination shape", op)
    for first, second in zip(shape_of(source), shape_of(dest), strict=True):
        if first != second and DYNAMIC_INDEX not in (first, second):
            raise error("source/destination shapes are incompatible", op)


@verifies("bufferization.dealloc", types_only=True)
def verify_dealloc(op: Operation) -> None:
    """There is a condition for each memref, and a result for each one that is retained."""
    if len(values(op, "memrefs")) != len(values(op, "conditions")):
        raise error("must have the same number of conditions as memrefs to deallocate", op)
    if len(values(op, "retained")) != len(op.results):
        message = "must have the same number of updated conditions (results) as retained operands"
        raise error(message, op)
