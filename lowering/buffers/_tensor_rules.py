"""Rewriting of tensor operations to buffers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith, memref, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    MemRefType,
    ShapedType,
    TensorType,
    i64,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue

from lamina.dialects.memref.extension import CastOp
from lamina.lowering.buffers._accesses import is_tensor
from lamina.lowering.buffers._layouts import (
    collapsed_type,
    expanded_type,
    memref_of,
    slice_type,
    strides_and_offset,
)
from lamina.lowering.buffers._rewriting import Buffers, recreate, rewrite_destination_style, rewrite_rule
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


def _groups(op: Operation) -> list[list[int]]:
    reassociation = cast(tensor.CollapseShapeOp, op).reassociation
    return [[number.value.data for number in group] for group in reassociation]


@rewrite_rule("tensor.collapse_shape")
def _collapse(buffers: Buffers, op: Operation) -> None:
    buffer = buffers[op.operands[0]]
    kind = collapsed_type(cast(MemRefType, buffer.type), _groups(op))
    if kind is None:
        buffer = buffers.copy_of(buffer, op)
        kind = collapsed_type(cast(MemRefType, buffer.type), _groups(op))
        assert kind is not None
    new = memref.CollapseShapeOp.build(
        operands=[buffer],
        result_types=[kind],
        properties={"reassociation": op.properties["reassociation"]},
    )
    buffers.replace(op, buffers.emit(new, op).results)


@rewrite_rule("tensor.expand_shape")
def _expand(buffers: Buffers, op: Operation) -> None:
    assert isinstance(op, tensor.ExpandShapeOp)
    buffer = buffers[op.src]
    shape = op.result.type.get_shape()
    new = memref.ExpandShapeOp.build(
        operands=[buffer, list(op.dynamic_output_shape)],
        result_types=[expanded_type(cast(MemRefType, buffer.type), _groups(op), shape)],
        properties={
            "reassociation": op.properties["reassociation"],
            "static_output_shape": op.static_output_shape,
        },
    )
    buffers.replace(op, buffers.emit(new, op).results)


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


@rewrite_rule("vector.transfer_read")
def _transfer_read(buffers: Buffers, op: Operation) -> None:
    if is_tensor(op.operands[0]):
        new = recreate(buffers, op, [buffers[op.operands[0]], *op.operands[1:]])
        del new
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


@rewrite_rule("tensor.reshape")
def _reshape(buffers: Buffers, op: Operation) -> None:
    buffer = buffers.with_identity_layout(buffers[op.operands[0]], op)
    source, kind = cast(MemRefType, buffer.type), memref_of(op.results[0].type)
    if source.has_static_shape() and kind.has_static_shape():
        buffers.replace(op, [reshape(buffers, buffer, kind.get_shape(), op)])
        return
    extents = buffers[op.operands[1]]
    sizes = [_extent(buffers, extents, d, op) for d in range(len(kind.get_shape()))]
    strides: list[SSAValue] = []
    running: SSAValue = buffers.index(1, op)
    for size in reversed(sizes):
        strides.insert(0, running)
        running = buffers.emit(arith.MuliOp(running, size), op).results[0]
    new = memref.ReinterpretCastOp.from_dynamic(
        buffer,
        [0],
        [s if n == DYNAMIC_INDEX else n for s, n in zip(sizes, kind.get_shape(), strict=True)],
        _known_strides(kind, strides),
        kind,
    )
    buffers.replace(op, buffers.emit(new, op).results)


def _known_strides(kind: MemRefType, strides: Sequence[SSAValue]) -> list[SSAValue | int]:
    known, _ = strides_and_offset(kind)
    return [value if number is None else number for value, number in zip(strides, known, strict=True)]


def _extent(buffers: Buffers, extents: SSAValue, dimension: int, op: Operation) -> SSAValue:
    """One element of the shape operand, as an index."""
    loaded = buffers.emit(memref.LoadOp.get(extents, [buffers.index(dimension, op)]), op).results[0]
    if isinstance(loaded.type, IndexType):
        return loaded
    return buffers.emit(arith.IndexCastOp(loaded, IndexType()), op).results[0]


def reshape(buffers: Buffers, buffer: SSAValue, shape: Sequence[int], before: Operation) -> SSAValue:
    """Another static shape of a contiguous static buffer: collapsed to one dimension, then expanded."""
    kind = cast(MemRefType, buffer.type)
    count = math.prod(kind.get_shape())
    if len(kind.get_shape()) != 1:
        flat = memref.CollapseShapeOp.build(
            operands=[buffer],
            result_types=[MemRefType(kind.element_type, [count])],
            properties={"reassociation": _one_group(len(kind.get_shape()))},
        )
        if not kind.get_shape():
            flat = _expand_to(buffer, [1])
        buffer = buffers.emit(flat, before).results[0]
    if len(shape) == 1:
        return buffer
    if not shape:
        scalar = memref.CollapseShapeOp.build(
            operands=[buffer],
            result_types=[MemRefType(kind.element_type, [])],
            properties={"reassociation": ArrayAttr([])},
        )
        return buffers.emit(scalar, before).results[0]
    return buffers.emit(_expand_to(buffer, shape), before).results[0]


def _one_group(rank: int) -> ArrayAttr:
    return ArrayAttr([ArrayAttr([IntegerAttr(d, 64) for d in range(rank)])])


def _expand_to(buffer: SSAValue, shape: Sequence[int]) -> Operation:
    kind = cast(MemRefType, buffer.type)
    return memref.ExpandShapeOp.build(
        operands=[buffer, []],
        result_types=[MemRefType(kind.element_type, shape)],
        properties={
            "reassociation": _one_group(len(shape)) if kind.get_shape() else ArrayAttr([]),
            "static_output_shape": DenseArrayBase.from_list(i64, list(shape)),
        },
    )
