"""Rewriting of reshapes: views where the layout allows it, else views of a copy without gaps."""

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
    i64,
)
from xdsl.ir import Operation, SSAValue

from lamina.lowering.buffers._layouts import collapsed_type, expanded_type, memref_of, strides_and_offset
from lamina.lowering.buffers._rewriting import Buffers, rewrite_rule


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
    if (whole := _collapsed_from(buffer, op)) is not None:
        buffers.replace(op, [whole])
        return
    new = memref.ExpandShapeOp.build(
        operands=[buffer, list(op.dynamic_output_shape)],
        result_types=[expanded_type(cast(MemRefType, buffer.type), _groups(op), shape)],
        properties={
            "reassociation": op.properties["reassociation"],
            "static_output_shape": op.static_output_shape,
        },
    )
    buffers.replace(op, buffers.emit(new, op).results)


def _collapsed_from(buffer: SSAValue, op: tensor.ExpandShapeOp) -> SSAValue | None:
    """The buffer that was collapsed to ``buffer`` in the way in which it is expanded."""
    made = buffer.owner
    if not isinstance(made, memref.CollapseShapeOp) or made.reassociation != op.reassociation:
        return None
    source = made.src
    assert isinstance(source.type, MemRefType)
    return source if source.type.get_shape() == op.result.type.get_shape() else None


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
