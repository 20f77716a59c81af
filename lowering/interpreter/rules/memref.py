"""``memref``: buffers are NumPy arrays; a view of a buffer is a view of the array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lamina.dialects.core.constants import as_array
from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.dtypes import numpy_dtype
from lamina.lowering.interpreter.machine import Interpreter, Value, interprets
from lamina.lowering.interpreter.rules.tensor import drop_units, mixed, region_of, shape_of


@interprets("memref.alloc", "memref.alloca")
def _alloc(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    kind = op.results[0].type
    return [np.zeros(shape_of(kind, operands), numpy_dtype(kind.get_element_type()))]


@interprets("memref.dealloc", "memref.assume_alignment", "memref.prefetch")
def _nothing(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    return operands[: len(op.results)]


@interprets("memref.store")
def _store(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    value, target, *indices = operands
    target[tuple(indices)] = value
    return []


@interprets("memref.copy")
def _copy(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    operands[1][...] = operands[0]
    return []


@interprets("memref.get_global")
def _get_global(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    name = op.properties["name"].root_reference.data
    if name not in machine.globals:
        machine.globals[name] = _global(machine, op, name)
    return [machine.globals[name]]


def _global(machine: Interpreter, op: Any, name: str) -> np.ndarray:
    for other in machine.module.walk():
        if other.name == "memref.global" and other.properties["sym_name"].data == name:  # pyright: ignore[reportAttributeAccessIssue]
            value = other.properties["initial_value"]
            array = as_array(value).reshape(op.results[0].type.get_shape())
            return array if "constant" in other.properties else np.array(array)
    raise error(f"refers to '@{name}', which is not defined", op)


@interprets("memref.view")
def _view(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    source, offset, *sizes = operands
    kind = op.results[0].type
    dtype = numpy_dtype(kind.get_element_type())
    shape = shape_of(kind, sizes)
    length = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    return [source[int(offset) : int(offset) + length].view(dtype).reshape(shape)]


@interprets("memref.subview")
def _subview(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    slices, _ = region_of(op, operands, 1)
    return [drop_units(operands[0][slices], len(op.results[0].type.get_shape()))]


@interprets("memref.reinterpret_cast")
def _reinterpret_cast(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    counts = (len(op.offsets), len(op.sizes), len(op.strides))
    first = 1
    parts: list[list[int]] = []
    for static, count in zip((op.static_offsets, op.static_sizes, op.static_strides), counts, strict=True):
        parts.append(mixed(static.get_values(), operands[first : first + count]))
        first += count
    (offset,), sizes, strides = parts
    base = operands[0].reshape(-1)[offset:]
    steps = [s * base.itemsize for s in strides]
    return [np.lib.stride_tricks.as_strided(base, sizes, steps)]


@interprets("memref.transpose")
def _transpose(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    return [operands[0].transpose([e.position for e in op.permutation.data.results])]
