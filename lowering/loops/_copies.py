"""Copies of buffers with gaps, as loops over loads and stores."""

from __future__ import annotations

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerAttr, MemRefType
from xdsl.ir import Block, Operation, Region, SSAValue


def copy_to_loops(op: memref.CopyOp) -> None:
    """Replace a copy by a nest of loops, one for each dimension that is not known to be 1."""
    block = op.parent
    type = op.source.type
    assert block is not None and isinstance(type, MemRefType)
    made: list[Operation] = []

    def add(new: Operation) -> SSAValue:
        new.location = op.location
        made.append(new)
        return new.results[0]

    def index(value: int) -> SSAValue:
        return add(arith.ConstantOp(IntegerAttr(value, IndexType())))

    zero, one = index(0), index(1)
    sizes = [
        None if n == 1 else add(memref.DimOp(op.source, index(i))) if n == DYNAMIC_INDEX else index(n)
        for i, n in enumerate(type.get_shape())
    ]
    block.insert_ops_before(made, op)
    target, before = block, op
    indices: list[SSAValue] = []
    for size in sizes:
        if size is None:
            indices.append(zero)
            continue
        body = Block(arg_types=[IndexType()])
        loop, end = scf.ForOp(zero, size, one, [], Region(body)), scf.YieldOp()
        body.add_op(end)
        target.insert_op_before(loop, before)
        loop.location = end.location = op.location
        indices.append(body.args[0])
        target, before = body, end
    load = memref.LoadOp.get(op.source, indices)
    store = memref.StoreOp.get(load, op.destination, indices)
    for new in (load, store):
        new.location = op.location
        target.insert_op_before(new, before)
    block.erase_op(op)
