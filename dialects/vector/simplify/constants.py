"""Ops on vectors whose elements are all known, poison, or all the same."""

from __future__ import annotations

import math
from typing import Any

from xdsl.dialects.builtin import IndexType, IntegerType, VectorType
from xdsl.ir import Attribute, Operation

from lamina.dialects.core.folding import (
    POISON,
    constant_like,
    constant_of,
    element_type,
    is_ieee,
    is_poison,
    scalar_of,
    splat_element,
)
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern
from lamina.dialects.vector.simplify.common import (
    array_of,
    constant_from,
    is_scalable,
    numbers,
    shape_of,
    splat_source,
    static_position,
)

_MOVES = (
    *("vector.broadcast", "vector.shape_cast", "vector.transpose", "vector.extract"),
    *("vector.extract_strided_slice",),
)


@fold(*_MOVES, "vector.bitcast")
def move_poison(op: Operation) -> Folded:
    """What is moved around of poison is poison."""
    return POISON if is_poison(op.operands[0]) else None


@fold(*_MOVES)
def move_splat(op: Operation) -> Folded:
    """Elements that are all the same stay so."""
    element = splat_element(constant_of(op.operands[0]))
    return None if element is None else constant_like([element], op.results[0].type)


@pattern("vector.shape_cast", "vector.transpose", "vector.extract_strided_slice")
def move_splat_value(op: Operation, rewriter: Rewriter) -> bool:
    """A vector made of one value is made in the final shape."""
    source = splat_source(op.operands[0])
    return source is not None and rewriter.replace_with(op, "vector.broadcast", [source])


@fold("vector.shape_cast", "vector.transpose", "vector.extract", "vector.extract_strided_slice")
def move_constant(op: Operation) -> Folded:
    """The elements of a constant, in another order or a part of them."""
    array = array_of(op.operands[0])
    if array is None or is_scalable(op.results[0].type):
        return None
    type = op.results[0].type
    if op.name == "vector.transpose":
        array = array.transpose(numbers(op, "permutation"))
    elif op.name == "vector.extract":
        place = static_position(op)
        if place is None or any(not 0 <= i < n for i, n in zip(place, array.shape, strict=False)):
            return None
        array = array[tuple(place)]
    elif op.name == "vector.extract_strided_slice":
        spans = zip(numbers(op, "offsets"), numbers(op, "sizes"), strict=True)
        array = array[tuple(slice(offset, offset + size) for offset, size in spans)]
    return constant_from(array, type)


@fold("vector.insert", "vector.insert_strided_slice")
def insert_constant(op: Operation) -> Folded:
    """A constant with another in its place; the same splat within itself."""
    source, dest = op.operands[:2]
    a, b = splat_element(constant_of(source)), splat_element(constant_of(dest))
    if a is not None and b is not None and str(a) == str(b):
        return dest
    base = array_of(dest)
    if base is None or (not dest.has_one_use() and base.size > 256):
        return None
    value: Any = array_of(source) if isinstance(source.type, VectorType) else scalar_of(source)
    if value is None:
        return None
    changed = base.copy()
    if op.name == "vector.insert":
        place = static_position(op)
        if place is None or any(not 0 <= i < n for i, n in zip(place, base.shape, strict=False)):
            return None
        if isinstance(value, int) and changed.dtype.kind in "iu":
            bits = changed.dtype.itemsize * 8
            value = value - (1 << bits) if changed.dtype.kind == "i" and value >> (bits - 1) else value
        changed[tuple(place)] = value
    else:
        offsets = numbers(op, "offsets")
        lead = len(base.shape) - len(value.shape)
        spans = [slice(o, o + 1) for o in offsets[:lead]]
        spans += [slice(o, o + n) for o, n in zip(offsets[lead:], value.shape, strict=True)]
        changed[tuple(spans)] = value
    return constant_from(changed, dest.type)


@fold("vector.insert")
def insert_poison(op: Operation) -> Folded:
    """Poison in place of anything is the vector as it was; at a poisonous place it is poison."""
    if is_poison(op.operands[0]):
        return op.operands[1]
    place = numbers(op, "static_position")
    return POISON if -1 in place or any(is_poison(v) for v in list(op.operands)[2:]) else None


@fold("vector.extract")
def extract_at_poison(op: Operation) -> Folded:
    """The element at a poisonous place."""
    place = numbers(op, "static_position")
    return POISON if -1 in place or any(is_poison(v) for v in list(op.operands)[1:]) else None


@fold("vector.from_elements")
def elements_that_are_constants(op: Operation) -> Folded:
    """A vector of constants."""
    values = [scalar_of(value) for value in op.operands]
    if not values or any(value is None for value in values):
        return None
    type = op.results[0].type
    assert isinstance(type, VectorType)
    if not isinstance(type.element_type, IntegerType | IndexType) and not all(
        isinstance(v, float) for v in values
    ):
        return None
    same = len({str(v) for v in values}) == 1
    return constant_like(values[:1] if same else values, type)


@fold("vector.step")
def step_constant(op: Operation) -> Folded:
    """0, 1, 2, …"""
    type = op.results[0].type
    if is_scalable(type):
        return None
    return constant_like(list(range(math.prod(shape_of(type)))), type)


@fold("vector.shuffle")
def fold_shuffle(op: Operation) -> Folded:
    """All of one of the vectors in its order; elements of constants; poison."""
    left, right = op.operands
    mask = numbers(op, "mask")
    type = op.results[0].type
    if is_poison(left) and is_poison(right):
        return POISON
    if all(i == -1 for i in mask):
        return POISON
    if not shape_of(left.type):
        return None
    size = shape_of(left.type)[0]
    if left.type == type and mask == list(range(size)):
        return left
    if right.type == type and mask == list(range(size, size + shape_of(right.type)[0])):
        return right
    a, b = splat_element(constant_of(left)), splat_element(constant_of(right))
    if a is not None and b is not None and str(a) == str(b):
        return constant_like([a], type)
    first, second = array_of(left), array_of(right)
    if first is None and is_poison(left) and second is not None:
        first = second[:1].repeat(size, axis=0)
    if second is None and is_poison(right) and first is not None:
        second = first
    if first is None or second is None:
        return None
    import numpy as np

    joined = np.concatenate([first, second])
    return constant_from(joined[[max(i, 0) for i in mask]], type)


@fold("vector.bitcast")
def cast_constant(op: Operation) -> Folded:
    """The bits of a constant as elements of another width."""
    array = array_of(op.operands[0])
    type = op.results[0].type
    if array is None or not isinstance(type, VectorType) or is_scalable(type):
        return None
    if not (_is_stored_as_it_is(op.operands[0].type) and _is_stored_as_it_is(type)) or not array.ndim:
        return None
    import numpy as np

    from lamina.dialects.core.dtypes import numpy_dtype

    return constant_from(np.ascontiguousarray(array).view(numpy_dtype(type.element_type)), type)


def _is_stored_as_it_is(type: Attribute) -> bool:
    """Whether NumPy holds elements of a type with their own number of bits."""
    element = element_type(type)
    return element.width.data in (8, 16, 32, 64) if isinstance(element, IntegerType) else is_ieee(element)
