"""Lines of memory, and stores that fill them past the caches."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import cast

from xdsl.dialects import arith, memref, scf, vector
from xdsl.dialects.builtin import BoolAttr, IntegerAttr, MemRefType, VectorType, i64
from xdsl.ir import Operation, SSAValue

from lamina.dialects.core.dtypes import numpy_dtype
from lamina.lowering.buffers._work import known_index
from lamina.lowering.vector._emitter import Emitter, Index

LINE = 64
"""The bytes that a cache holds and memory gives at once."""


def memory_of(access: vector.LoadOp | vector.StoreOp) -> MemRefType:
    """The type of the buffer that is read or written."""
    return cast(MemRefType, access.base.type)


def element_bytes(access: vector.LoadOp | vector.StoreOp) -> int:
    """The size of an element that is read or written."""
    return numpy_dtype(memory_of(access).element_type).itemsize


def vector_bytes(store: vector.StoreOp) -> int:
    """The bytes that a store writes."""
    assert isinstance(store.vector.type, VectorType)
    return prod(store.vector.type.get_shape()) * element_bytes(store)


def stream(store: Operation) -> None:
    """Let a store pass by the caches. It begins at a line, or where one of the same width before it ended."""
    assert isinstance(store, vector.StoreOp)
    store.properties["nontemporal"] = BoolAttr.from_bool(True)
    store.properties["alignment"] = IntegerAttr(min(LINE, vector_bytes(store)), i64)


def position(value: SSAValue) -> Index:
    """An index, as a number where that is known."""
    known = known_index(value)
    return value if known is None else known


def end_of(emitter: Emitter, loop: scf.ForOp) -> Index:
    """Where the last iteration of a loop ends, which may be behind its upper bound."""
    start, stop, step = map(position, (loop.lb, loop.ub, loop.step))
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
        return start + -(-max(0, stop - start) // step) * step
    length = emitter.index(emitter.subtract(emitter.value(arith.MaxSIOp(loop.lb, loop.ub)), start))
    steps = emitter.value(arith.CeilDivUIOp(length, loop.step))
    return emitter.add(start, emitter.value(arith.MuliOp(steps, loop.step)))


def to_next_line(emitter: Emitter, store: vector.StoreOp, indices: Sequence[Index]) -> SSAValue:
    """How many elements of a buffer come before the next line begins, from one of its places on."""
    size = stride = element_bytes(store)
    address: Index = emitter.value(memref.ExtractAlignedPointerAsIndexOp.get(store.base))
    for index, extent in zip(reversed(indices), reversed(memory_of(store).get_shape()), strict=True):
        address = emitter.add(address, emitter.scale(index, stride))
        stride *= extent
    missing = emitter.index(emitter.subtract(0, address))
    within = emitter.value(arith.AndIOp(missing, emitter.index(LINE - 1)))
    return emitter.index(emitter.divide(within, size))
