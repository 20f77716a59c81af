"""``vector``: n-dimensional vectors are arrays."""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.ir.affine import AffineDimExpr

from lamina.dialects.core.dtypes import numpy_dtype
from lamina.lowering.interpreter.machine import Interpreter, Value, interprets
from lamina.lowering.interpreter.rules.tensor import mixed

_COMBINE: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "maximumf": np.maximum,
    "minimumf": np.minimum,
    "maxnumf": np.fmax,
    "minnumf": np.fmin,
    "maxsi": np.maximum,
    "minsi": np.minimum,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}


def _kind(op: Any) -> str:
    """The name of a combining kind, however the attribute holds it."""
    kind = op.properties["kind"]
    text = str(getattr(kind, "data", kind))
    return text.rsplit("<", 1)[-1].rstrip(">").rsplit(".", 1)[-1].strip().lower()


def _result_shape(op: Any) -> tuple[int, ...]:
    return tuple(op.results[0].type.get_shape())


@interprets("vector.broadcast")
def _broadcast(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    return [np.broadcast_to(operands[0], _result_shape(op))]


@interprets("vector.shape_cast")
def _shape_cast(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    return [operands[0].reshape(_result_shape(op))]


@interprets("vector.transpose")
def _transpose(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    return [operands[0].transpose(list(op.permutation.get_values()))]


@interprets("vector.extract")
def _extract(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    source, *dynamic = operands
    return [source[tuple(mixed(op.static_position.get_values(), dynamic))]]


@interprets("vector.insert")
def _insert(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    value, target, *dynamic = operands
    result = np.array(target)
    result[tuple(mixed(op.static_position.get_values(), dynamic))] = value
    return [result]


@interprets("vector.extract_strided_slice")
def _extract_strided_slice(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    offsets, sizes, strides = (
        [int(a.value.data) for a in op.properties[name].data] for name in ("offsets", "sizes", "strides")
    )
    slices = [slice(o, o + n * s, s) for o, n, s in zip(offsets, sizes, strides, strict=True)]
    return [operands[0][tuple(slices)]]


@interprets("vector.insert_strided_slice")
def _insert_strided_slice(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    value, target = operands
    offsets = [int(a.value.data) for a in op.properties["offsets"].data]
    result = np.array(target)
    lead = result.ndim - value.ndim
    slices = [*offsets[:lead], *(slice(o, o + n) for o, n in zip(offsets[lead:], value.shape, strict=True))]
    result[tuple(slices)] = value
    return [result]


@interprets("vector.shuffle")
def _shuffle(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    both = np.concatenate([np.atleast_1d(v) for v in operands])
    return [both[list(op.mask.get_values())]]


@interprets("vector.from_elements")
def _from_elements(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    kind = op.results[0].type
    return [np.array(operands, numpy_dtype(kind.get_element_type())).reshape(_result_shape(op))]


@interprets("vector.bitcast")
def _bitcast(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    return [np.ascontiguousarray(operands[0]).view(numpy_dtype(op.results[0].type.get_element_type()))]


@interprets("vector.fma")
def _fma(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    a, b, c = operands
    return [(a.astype(np.longdouble) * b + c).astype(a.dtype)]


@interprets("vector.reduction")
def _reduction(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    combine = _COMBINE[_kind(op)]
    values = list(operands[0]) if len(operands) == 1 else [operands[1], *operands[0]]
    total = values[0]
    for value in values[1:]:
        total = combine(total, value)
    return [total]


@interprets("vector.multi_reduction")
def _multi_reduction(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    source, total = operands
    axes = list(op.properties["reduction_dims"].get_values())
    combine = _COMBINE[_kind(op)]
    rows = np.moveaxis(source, axes, range(len(axes)))
    for index in np.ndindex(*rows.shape[: len(axes)]):
        total = combine(total, rows[index])
    return [total]


@interprets("vector.outerproduct")
def _outerproduct(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    a, b, *acc = operands
    product = np.multiply.outer(a, b) if np.ndim(b) else a * b
    return [_COMBINE[_kind(op)](acc[0], product) if acc else product]


@interprets("vector.contract")
def _contract(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    a, b, acc = operands[:3]
    letters = string.ascii_lowercase
    maps = [m.data for m in op.properties["indexing_maps"].data]
    terms = ["".join(letters[e.position] for e in m.results if isinstance(e, AffineDimExpr)) for m in maps]
    product = np.einsum(f"{terms[0]},{terms[1]}->{terms[2]}", a, b)
    return [np.asarray(_COMBINE[_kind(op)](acc, product)).astype(np.asarray(acc).dtype)[()]]


@interprets("vector.create_mask", "vector.constant_mask")
def _mask(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    shape = _result_shape(op)
    sizes = [int(n) for n in operands] or list(op.properties["mask_dim_sizes"].get_values())
    mask = np.zeros(shape, np.bool_)
    mask[tuple(slice(0, max(0, n)) for n in sizes)] = True
    return [mask]


@interprets("vector.load")
def _load(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    source, *indices = operands
    shape = _result_shape(op)
    return [np.array(source[_window(source, indices, shape)]).reshape(shape)]


@interprets("vector.store")
def _store(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    value, target, *indices = operands
    window = _window(target, indices, value.shape)
    target[window] = value.reshape(target[window].shape)
    return []


def _window(source: np.ndarray, indices: Sequence[Value], shape: Sequence[int]) -> tuple[slice, ...]:
    sizes = [1] * (source.ndim - len(shape)) + list(shape)
    return tuple(slice(int(i), int(i) + n) for i, n in zip(indices, sizes, strict=True))


@interprets("vector.maskedload")
def _maskedload(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    source, *indices, mask, other = operands
    result = np.array(other)
    for k in np.flatnonzero(mask):
        result[k] = source[(*indices[:-1], int(indices[-1]) + k)]
    return [result]


@interprets("vector.maskedstore")
def _maskedstore(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    target, *indices, mask, value = operands
    for k in np.flatnonzero(mask):
        target[(*indices[:-1], int(indices[-1]) + k)] = value[k]
    return []


def _transfer_indices(
    op: Any, source: np.ndarray, indices: Sequence[Value], shape: Sequence[int]
) -> tuple[list[np.ndarray], np.ndarray]:
    """For each element of the vector, its place in the source, and whether that lies inside."""
    grid = np.indices(shape) if shape else np.zeros((0,), np.int64)
    places = [np.full(shape, int(i)) for i in indices]
    for axis, expression in enumerate(op.permutation_map.data.results):
        if isinstance(expression, AffineDimExpr):
            places[expression.position] = places[expression.position] + grid[axis]
    inside = np.ones(shape, np.bool_)
    for place, extent in zip(places, source.shape, strict=True):
        inside &= (place >= 0) & (place < extent)
    return places, inside


@interprets("vector.transfer_read")
def _transfer_read(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    source = operands[0]
    rank = source.ndim
    indices, padding = operands[1 : 1 + rank], operands[1 + rank]
    places, inside = _transfer_indices(op, source, indices, _result_shape(op))
    if len(operands) > 2 + rank:
        inside = inside & operands[2 + rank]
    clipped = tuple(np.clip(p, 0, max(0, n - 1)) for p, n in zip(places, source.shape, strict=True))
    if source.size == 0:
        return [np.full(_result_shape(op), padding)]
    return [np.where(inside, source[clipped], padding).astype(source.dtype)]


@interprets("vector.transfer_write")
def _transfer_write(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    value, target = operands[:2]
    rank = target.ndim
    places, inside = _transfer_indices(op, target, operands[2 : 2 + rank], np.shape(value))
    if len(operands) > 2 + rank:
        inside = inside & operands[2 + rank]
    result = np.array(target) if op.results else target
    result[tuple(p[inside] for p in places)] = np.asarray(value)[inside]
    return [result] if op.results else []
