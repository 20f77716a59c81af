"""Rewriting of tensor operations to buffers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith, memref, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    MemRefType,
    ShapedType,
    TensorType,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.memref import CastOp
from xdsl.ir import Operation, SSAValue

from lamina.lowering.buffers._accesses import is_tensor
from lamina.lowering.buffers._layouts import (
    memref_of,
    slice_type,
)
from lamina.lowering.buffers._rewriting import Buffers, rewrite_rule
from lamina.lowering.buffers._slices import SliceOp, inserted_in_place


@rewrite_rule("arith.constant")
def _constant(buffers: Buffers, op: Operation) -> None:
    if not is_tensor(op.results[0]):
        return
    name = buffers.constants.name_of(op.properties["value"], op)
    got = buffers.emit(memref.GetGlobalOp(name, memref_of(op.results[0].type)), op)
    buffers.replace(op, got.results)


@rewrite_rule("arith.select")
def _select(buffers: Buffers, op: Operation) -> None:
    if not is_tensor(op.results[0]):
        return
    first, second = (buffers[value] for value in op.operands[1:])
    if first.type != second.type:
        first, second = (buffers.with_identity_layout(buffer, op) for buffer in (first, second))
    chosen = buffers.emit(arith.SelectOp(op.operands[0], first, second), op)
    buffers.replace(op, chosen.results)


@rewrite_rule("tensor.empty")
def _empty(buffers: Buffers, op: Operation) -> None:
    buffers.replace(op, [buffers.allocate(memref_of(op.results[0].type), op.operands, op)])


@rewrite_rule("tensor.dim")
def _dim(buffers: Buffers, op: Operation) -> None:
    new = buffers.emit(memref.DimOp(buffers[op.operands[0]], op.operands[1]), op)
    buffers.replace(op, new.results)


@rewrite_rule("tensor.cast")
def _cast(buffers: Buffers, op: Operation) -> None:
    buffer = buffers[op.operands[0]]
    source = cast(MemRefType, buffer.type)
    shape = cast(ShapedType, op.results[0].type).get_shape()
    wanted = MemRefType(source.element_type, shape, source.layout, source.memory_space)
    if wanted == source:
        buffers.replace(op, [buffer])
        return
    new = CastOp.build(operands=[buffer], result_types=[wanted])
    buffers.replace(op, buffers.emit(new, op).results)


@rewrite_rule("tensor.extract")
def _extract(buffers: Buffers, op: Operation) -> None:
    new = buffers.emit(memref.LoadOp.get(buffers[op.operands[0]], op.operands[1:]), op)
    buffers.replace(op, new.results)


@rewrite_rule("tensor.insert")
def _insert(buffers: Buffers, op: Operation) -> None:
    target = buffers.destination(op, 1, preserve=True)
    buffers.emit(memref.StoreOp.get(op.operands[0], target, op.operands[2:]), op)
    buffers.replace(op, [target])


def subview(
    buffers: Buffers, op: SliceOp, source: SSAValue, shape: Sequence[int], before: Operation | None = None
) -> SSAValue:
    """The part of a buffer that a slice operation means, as a view made before it (or another operation)."""
    offsets, sizes, strides = op.static_offsets, op.static_sizes, op.static_strides
    kind = slice_type(
        cast(MemRefType, source.type), offsets.get_values(), sizes.get_values(), strides.get_values(), shape
    )
    new = memref.SubviewOp(source, op.offsets, op.sizes, op.strides, offsets, sizes, strides, kind)
    return buffers.emit(new, before or op).results[0]


@rewrite_rule("tensor.extract_slice")
def _extract_slice(buffers: Buffers, op: Operation) -> None:
    assert isinstance(op, tensor.ExtractSliceOp)
    shape = cast(TensorType, op.result.type).get_shape()
    buffers.replace(op, [subview(buffers, op, buffers[op.source], shape)])


@rewrite_rule("tensor.insert_slice")
def _insert_slice(buffers: Buffers, op: Operation) -> None:
    assert isinstance(op, tensor.InsertSliceOp)
    in_place = (op, 1) in buffers.decisions.in_place
    target = buffers.destination(op, 1, preserve=True)
    if not (in_place and inserted_in_place(buffers.decisions.aliases, op)):
        shape = cast(TensorType, op.source.type).get_shape()
        buffers.copy(buffers[op.source], subview(buffers, op, target, shape), op)
    buffers.replace(op, [target])


@rewrite_rule("tensor.from_elements")
def _from_elements(buffers: Buffers, op: Operation) -> None:
    kind = memref_of(op.results[0].type)
    target = buffers.allocate(kind, [], op)
    shape = kind.get_shape()
    constants = [buffers.index(i, op) for i in range(max(shape, default=0))]
    for number, element in enumerate(op.operands):
        indices: list[SSAValue] = []
        for size in reversed(shape):
            number, index = divmod(number, size)
            indices.insert(0, constants[index])
        buffers.emit(memref.StoreOp.get(element, target, indices), op)
    buffers.replace(op, [target])


def fill(buffers: Buffers, value: SSAValue, target: SSAValue, before: Operation) -> None:
    """Set all elements of a buffer."""
    buffers.emit(linalg.FillOp([value], [target], []), before)


@rewrite_rule("tensor.splat")
def _splat(buffers: Buffers, op: Operation) -> None:
    target = buffers.allocate(memref_of(op.results[0].type), op.operands[1:], op)
    fill(buffers, op.operands[0], target, op)
    buffers.replace(op, [target])


@rewrite_rule("tensor.concat")
def _concat(buffers: Buffers, op: Operation) -> None:
    assert isinstance(op, tensor.ConcatOp)
    axis = op.dim.value.data
    parts = [buffers[value] for value in op.inputs]
    kind = memref_of(op.result.type)
    rank = len(kind.get_shape())
    sizes = [[buffers.dim(part, d, op) for d in range(rank)] for part in parts]
    ends: list[SSAValue] = []
    offset = buffers.index(0, op)
    for size in sizes:
        ends.append(offset)
        offset = buffers.emit(arith.AddiOp(offset, size[axis]), op).results[0]
    dynamic = [
        offset if d == axis else sizes[0][d]
        for d, size in enumerate(kind.get_shape())
        if size == DYNAMIC_INDEX
    ]
    target = buffers.allocate(kind, dynamic, op)
    position = 0
    for part, start in zip(parts, ends, strict=True):
        shape = cast(MemRefType, part.type).get_shape()
        _copy_into(buffers, op, part, target, axis, position, start)
        position = DYNAMIC_INDEX if DYNAMIC_INDEX in (position, shape[axis]) else position + shape[axis]
    buffers.replace(op, [target])


def _copy_into(
    buffers: Buffers,
    op: Operation,
    part: SSAValue,
    target: SSAValue,
    axis: int,
    position: int,
    start: SSAValue,
) -> None:
    """Copy a part to its place along a dimension; ``position`` is ``start`` where that is static."""
    shape = cast(MemRefType, part.type).get_shape()
    rank = len(shape)
    offsets = [position if d == axis else 0 for d in range(rank)]
    kind = slice_type(cast(MemRefType, target.type), offsets, shape, [1] * rank, shape)
    dynamic = [buffers.dim(part, d, op) for d, size in enumerate(shape) if size == DYNAMIC_INDEX]
    place = memref.SubviewOp(
        target, [start] if position == DYNAMIC_INDEX else [], dynamic, [], offsets, shape, [1] * rank, kind
    )
    buffers.copy(part, buffers.emit(place, op).results[0], op)
