"""Rules for memrefs that are made from others: views, casts, and descriptors put together anew."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, i8
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.core.diagnostics import error
from lamina.dialects.llvm.values import AddrSpaceCastOp
from lamina.lowering.llvm._addresses import INBOUNDS_NUW, Part, address
from lamina.lowering.llvm._conversion import Conversion, Replacement, Rule
from lamina.lowering.llvm._descriptors import (
    ALIGNED,
    ALLOCATED,
    OFFSET,
    Descriptor,
    Position,
    row_major_parts,
)
from lamina.lowering.llvm._types import pointer_type
from lamina.lowering.llvm._values import constant_integer, mixed


def _view(conversion: Conversion, op: Operation) -> Descriptor:
    """A buffer of bytes from a byte offset on, seen as a row-major memref."""
    assert isinstance(op, memref.ViewOp)
    type = op.result.type
    assert isinstance(type, MemRefType)
    source = conversion.descriptor(op.source)
    shift = _part(conversion, op.byte_shift)
    aligned = source.base_pointer(conversion)
    if shift != 0:
        aligned = address(conversion, aligned, [shift], i8, INBOUNDS_NUW)
    parts, _ = row_major_parts(conversion, type, op.sizes)
    return Descriptor(type, parts | {ALLOCATED: source.pointer(conversion, ALLOCATED), ALIGNED: aligned})


def _part(conversion: Conversion, value: SSAValue) -> Part:
    constant = constant_integer(value)
    return conversion.value(value) if constant is None else constant


def _mixed(conversion: Conversion, static: Attribute, dynamic: Sequence[SSAValue]) -> list[Part]:
    """The parts that a static list with placeholders and its operands say, converted."""
    return [item if isinstance(item, int) else _part(conversion, item) for item in mixed(static, dynamic)]


def _reinterpret_cast(conversion: Conversion, op: Operation) -> Descriptor:
    assert isinstance(op, memref.ReinterpretCastOp)
    type = op.result.type
    assert isinstance(type, MemRefType)
    parts: dict[Position, Part] = {}
    for i, size in enumerate(_mixed(conversion, op.static_sizes, op.sizes)):
        parts[3, i] = size
    for i, stride in enumerate(_mixed(conversion, op.static_strides, op.strides)):
        parts[4, i] = stride
    (parts[OFFSET],) = _mixed(conversion, op.static_offsets, op.offsets)
    return _of_same_buffer(conversion, op.source, type, parts)


def _of_same_buffer(
    conversion: Conversion, source: SSAValue, type: MemRefType, parts: dict[Position, Part]
) -> Descriptor:
    known = conversion.descriptor(source)
    pointers: dict[Position, Part] = {at: known.pointer(conversion, at) for at in (ALLOCATED, ALIGNED)}
    return Descriptor(type, parts | pointers)


def _cast(conversion: Conversion, op: Operation) -> Descriptor:
    """Another type for the same descriptor; what the new type fixes is taken from it."""
    type = op.results[0].type
    if not isinstance(type, MemRefType) or not isinstance(op.operands[0].type, MemRefType):
        raise error("casts to or from an unranked memref, which is not lowered", op)
    known = conversion.descriptor(op.operands[0])
    dimensions: list[Position] = [(field, i) for field in (3, 4) for i in range(known.rank)]
    parts = {at: known.part(conversion, at) for at in (OFFSET, *dimensions)}
    return _of_same_buffer(conversion, op.operands[0], type, parts)


def _memory_space_cast(conversion: Conversion, op: Operation) -> Descriptor:
    descriptor = _cast(conversion, op)
    pointer = pointer_type(descriptor.type.memory_space)
    moved: dict[Position, Part] = {
        at: conversion.emit(AddrSpaceCastOp, (descriptor.pointer(conversion, at),), pointer)
        for at in (ALLOCATED, ALIGNED)
    }
    dimensions: list[Position] = [(field, i) for field in (3, 4) for i in range(descriptor.rank)]
    parts = {at: descriptor.part(conversion, at) for at in (OFFSET, *dimensions)}
    return Descriptor(descriptor.type, parts | moved)


def _metadata(conversion: Conversion, op: Operation) -> list[Replacement]:
    """The base buffer as a memref of rank 0, offset, sizes and strides."""
    assert isinstance(op, memref.ExtractStridedMetaDataOp)
    base_type = op.base_buffer.type
    assert isinstance(base_type, MemRefType)
    known = conversion.descriptor(op.source)
    base = _of_same_buffer(conversion, op.source, base_type, {})
    positions: list[Position] = [OFFSET, *((field, i) for field in (3, 4) for i in range(known.rank))]
    return [base, *(known.part_value(conversion, position) for position in positions)]


def _needs_expansion(conversion: Conversion, op: Operation) -> None:
    raise error("is not lowered here", op, hint="run expand-strided-metadata first")


VIEW_RULES: dict[str, Rule] = {
    "memref.view": _view,
    "memref.reinterpret_cast": _reinterpret_cast,
    "memref.cast": _cast,
    "memref.memory_space_cast": _memory_space_cast,
    "memref.subview": _needs_expansion,
    "memref.expand_shape": _needs_expansion,
    "memref.collapse_shape": _needs_expansion,
    "memref.extract_strided_metadata": _metadata,
}
