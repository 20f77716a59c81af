"""Rewriting of `tensor.pad` and `tensor.generate`: a constant or computed value, then the source in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith, memref, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr, MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap

from lamina.lowering.buffers._layouts import memref_of, slice_type
from lamina.lowering.buffers._rewriting import Buffers, rewrite_rule
from lamina.lowering.buffers._tensor_rules import fill


@rewrite_rule("tensor.generate")
def _generate(buffers: Buffers, op: Operation) -> None:
    target = buffers.allocate(memref_of(op.results[0].type), op.operands, op)
    _fill_by_index(buffers, op, op.regions[0].block, target)
    buffers.replace(op, [target])


@rewrite_rule("tensor.pad")
def _pad(buffers: Buffers, op: Operation) -> None:
    assert isinstance(op, tensor.PadOp)
    source = buffers[op.source]
    kind = memref_of(op.result.type)
    low = _numbers(op.static_low.get_values(), op.low)
    high = _numbers(op.static_high.get_values(), op.high)
    sizes = [
        _padded(buffers, op, source, d, low[d], high[d])
        for d, size in enumerate(kind.get_shape())
        if size == DYNAMIC_INDEX
    ]
    target = buffers.allocate(kind, sizes, op)
    _fill_padding(buffers, op, target)
    shape = cast(MemRefType, source.type).get_shape()
    offsets = [n if isinstance(n, int) else DYNAMIC_INDEX for n in low]
    ones = [1] * len(shape)
    inner = memref.SubviewOp(
        target,
        [n for n in low if not isinstance(n, int)],
        [buffers.dim(source, d, op) for d, size in enumerate(shape) if size == DYNAMIC_INDEX],
        [],
        offsets,
        shape,
        ones,
        slice_type(kind, offsets, shape, ones, shape),
    )
    buffers.copy(source, buffers.emit(inner, op).results[0], op)
    buffers.replace(op, [target])


def _numbers(static: Sequence[int], dynamic: Sequence[SSAValue]) -> list[int | SSAValue]:
    values = iter(dynamic)
    return [next(values) if number == DYNAMIC_INDEX else number for number in static]


def _padded(
    buffers: Buffers,
    op: Operation,
    source: SSAValue,
    dimension: int,
    low: int | SSAValue,
    high: int | SSAValue,
) -> SSAValue:
    """The size of a padded dimension."""
    size = buffers.dim(source, dimension, op)
    for amount in (low, high):
        value = buffers.index(amount, op) if isinstance(amount, int) else amount
        size = buffers.emit(arith.AddiOp(size, value), op).results[0]
    return size


def _fill_padding(buffers: Buffers, op: tensor.PadOp, target: SSAValue) -> None:
    """Set all elements to the padding, which mostly is one constant."""
    block = op.region.block
    last = cast(Operation, block.last_op)
    value = last.operands[0]
    if isinstance(value.owner, arith.ConstantOp) and value.owner.parent is block:
        value = buffers.emit(value.owner.clone(), op).results[0]
    elif len(list(block.ops)) > 1 or value.owner is block:
        _fill_by_index(buffers, op, block, target)
        return
    fill(buffers, value, target, op)


def _fill_by_index(buffers: Buffers, op: Operation, block: Block, target: SSAValue) -> None:
    """Set each element to what a block computes from its index."""
    buffers.rewrite_block(block)
    kind = cast(MemRefType, target.type)
    rank = len(kind.get_shape())
    body = Block(arg_types=[kind.element_type])
    values: dict[SSAValue, SSAValue] = {}
    for dimension, argument in enumerate(block.args):
        index = linalg.IndexOp(dimension)
        body.add_op(index)
        values[argument] = index.results[0]
    for inner in block.ops:
        if inner is block.last_op:
            body.add_op(linalg.YieldOp(values.get(inner.operands[0], inner.operands[0])))
            break
        copy = inner.clone(values)
        body.add_op(copy)
        values.update(zip(inner.results, copy.results, strict=True))
    identity = AffineMapAttr(AffineMap.identity(rank))
    new = linalg.GenericOp([], [target], Region(body), [identity], [IteratorTypeAttr.parallel()] * rank)
    buffers.emit(new, op)
