"""``tensor`` and ``bufferization``: values that are never written, and the way between them and buffers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX

from lamina.dialects.core.dtypes import numpy_dtype
from lamina.lowering.interpreter.machine import Interpreter, Value, interprets


def mixed(static: Sequence[int], dynamic: Sequence[Value]) -> list[int]:
    """Static numbers with the dynamic ones, in order, in the places that are marked dynamic."""
    given = iter(dynamic)
    return [int(next(given)) if n == DYNAMIC_INDEX else int(n) for n in static]


def shape_of(type: Any, dynamic: Sequence[Value]) -> list[int]:
    """The extents of a shaped type, with its dynamic ones given."""
    given = iter(dynamic)
    return [int(next(given)) if n < 0 else n for n in type.get_shape()]


def region_of(op: Any, operands: Sequence[Value], first: int) -> tuple[tuple[slice, ...], list[int]]:
    """The slices (and sizes) of a strided region op; its dynamic operands start at ``first``."""
    counts = [len(op.offsets), len(op.sizes), len(op.strides)]
    parts: list[list[int]] = []
    static = (op.static_offsets, op.static_sizes, op.static_strides)
    for values, count in zip(static, counts, strict=True):
        parts.append(mixed(values.get_values(), operands[first : first + count]))
        first += count
    offsets, sizes, strides = parts
    slices = tuple(
        slice(o, o + n * s if s > 0 else None, s) for o, n, s in zip(offsets, sizes, strides, strict=True)
    )
    return tuple(
        slice(s.start, s.start, 1) if n == 0 else s for s, n in zip(slices, sizes, strict=True)
    ), sizes


@interprets("tensor.empty")
def _empty(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    kind = op.results[0].type
    return [np.zeros(shape_of(kind, operands), numpy_dtype(kind.get_element_type()))]


@interprets("tensor.dim", "memref.dim")
def _dim(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    return [np.int64(np.shape(operands[0])[int(operands[1])])]


@interprets(
    "tensor.cast",
    "memref.cast",
    "memref.memory_space_cast",
    "bufferization.to_tensor",
    "bufferization.to_buffer",
)
def _cast(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    source = operands[0]
    if op.name == "bufferization.to_tensor":
        source = np.array(source)
    return [source]


@interprets("tensor.extract", "memref.load")
def _extract(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    source, *indices = operands
    # Gathers clamp nothing: an index out of range is undefined in tensor, and an error here.
    return [source[tuple(np.asarray(i) for i in indices)]]


@interprets("tensor.insert")
def _insert(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    value, target, *indices = operands
    result = np.array(target)
    result[tuple(indices)] = value
    return [result]


@interprets("tensor.from_elements")
def _from_elements(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    kind = op.results[0].type
    return [np.array(operands, numpy_dtype(kind.get_element_type())).reshape(kind.get_shape())]


@interprets("tensor.splat")
def _splat(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    kind = op.results[0].type
    return [np.full(shape_of(kind, operands[1:]), operands[0], numpy_dtype(kind.get_element_type()))]


@interprets("tensor.extract_slice")
def _extract_slice(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    slices, _ = region_of(op, operands, 1)
    shape = op.results[0].type.get_shape()
    part = operands[0][slices]
    return [np.array(drop_units(part, len(shape)))]


@interprets("tensor.insert_slice", "tensor.parallel_insert_slice")
def _insert_slice(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    source, target = operands[:2]
    slices, sizes = region_of(op, operands, 2)
    result = np.array(target)
    result[slices] = np.reshape(source, sizes)
    return [result]


def drop_units(part: np.ndarray, rank: int) -> np.ndarray:
    """A view of ``rank`` dimensions: unit dimensions are dropped, the first ones first."""
    for axis in range(part.ndim - 1, -1, -1):
        if part.ndim == rank:
            break
        if part.shape[axis] == 1:
            part = part.squeeze(axis)
    return part


@interprets("tensor.collapse_shape", "memref.collapse_shape")
def _collapse(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    source = operands[0]
    groups = [[int(i.value.data) for i in group.data] for group in op.reassociation.data]
    return [
        source.reshape([int(np.prod([source.shape[i] for i in group], dtype=np.int64)) for group in groups])
    ]


@interprets("tensor.expand_shape", "memref.expand_shape")
def _expand(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    return [operands[0].reshape(mixed(op.static_output_shape.get_values(), operands[1:]))]


@interprets("tensor.reshape")
def _reshape(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    return [operands[0].reshape([int(n) for n in operands[1]])]


@interprets("tensor.concat")
def _concat(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    return [np.concatenate(operands, int(op.dim.value.data))]


@interprets("tensor.generate")
def _generate(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    kind = op.results[0].type
    result = np.zeros(shape_of(kind, operands), numpy_dtype(kind.get_element_type()))
    for index in np.ndindex(*result.shape):
        result[index] = machine.run_region(op.regions[0], [np.int64(i) for i in index])[0]
    return [result]


@interprets("tensor.pad")
def _pad(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    lows = mixed(op.static_low.get_values(), operands[1 : 1 + len(op.low)])
    highs = mixed(op.static_high.get_values(), operands[1 + len(op.low) :])
    source = operands[0]
    shape = [n + a + b for n, a, b in zip(source.shape, lows, highs, strict=True)]
    result = np.zeros(shape, source.dtype)
    for index in product(*(range(n) for n in shape)):
        result[index] = machine.run_region(op.regions[0], [np.int64(i) for i in index])[0]
    result[tuple(slice(a, a + n) for a, n in zip(lows, source.shape, strict=True))] = source
    return [result]


@interprets("bufferization.alloc_tensor")
def _alloc_tensor(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    if op.copy is not None:
        return [np.array(operands[len(op.dynamic_sizes)])]
    return _empty(machine, op, operands)


@interprets("bufferization.materialize_in_destination")
def _materialize(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    source, target = operands
    if op.results:
        return [np.array(source)]
    target[...] = source
    return []
