"""Ops on vectors whose elements are all known, poison, or all the same."""

from __future__ import annotations

import math
from typing import Any

from xdsl.dialects.builtin import IndexType, IntegerType, VectorType
from xdsl.ir import Operation, SSAValue

from lamina.dialects.core.folding import (
    POISON,
    constant_like,
    constant_of,
    int_of,
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
    if len(op.operands) > 1:
        return None
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


@fold("vector.create_mask")
def mask_of_constants(op: Operation) -> Folded:
    """A mask that is true everywhere or nowhere, as its sizes are constants."""
    type = op.results[0].type
    sizes = [int_of(value) for value in op.operands]
    if any(size is None for size in sizes) or not sizes or is_scalable(type):
        return None
    pairs = [(s, n) for s, n in zip(sizes, shape_of(type), strict=True) if s is not None]
    if any(size <= 0 for size, _ in pairs):
        return constant_like([0], type)
    return constant_like([1], type) if all(size >= n for size, n in pairs) else None


@fold("vector.constant_mask")
def constant_mask(op: Operation) -> Folded:
    """A mask that is true everywhere or nowhere."""
    type = op.results[0].type
    sizes = numbers(op, "mask_dim_sizes")
    if 0 in sizes and shape_of(type):
        return constant_like([0], type)
    if not shape_of(type):
        return constant_like([1 if sizes and sizes[0] else 0], type)
    return constant_like([1], type) if sizes == list(shape_of(type)) else None


@pattern("vector.create_mask")
def mask_of_known_sizes(op: Operation, rewriter: Rewriter) -> bool:
    """A mask whose sizes are constants."""
    from xdsl.dialects.builtin import DenseArrayBase, i64

    type = op.results[0].type
    sizes = [int_of(value) for value in op.operands]
    if any(size is None for size in sizes) or is_scalable(type) or not sizes:
        return False
    kept = [max(0, min(s or 0, n)) for s, n in zip(sizes, shape_of(type), strict=True)]
    if 0 in kept:
        kept = [0] * len(kept)
    attribute = DenseArrayBase.from_list(i64, kept)
    return rewriter.replace_with(op, "vector.constant_mask", [], {"mask_dim_sizes": attribute})


def mask_is(value: SSAValue) -> bool | None:
    """True for a mask that is true everywhere, False for one that is so nowhere, None where not known."""
    element = splat_element(constant_of(value))
    return None if element is None else bool(element)


@pattern(
    "vector.maskedload",
    "vector.maskedstore",
    "vector.gather",
    "vector.scatter",
    "vector.expandload",
    "vector.compressstore",
)
def access_with_known_mask(op: Operation, rewriter: Rewriter) -> bool:
    """An access of nothing, or of everything."""
    *_, mask, value = op.operands
    known = mask_is(mask)
    if known is None:
        return False
    if not known:
        unchanged = op.operands[0] if op.name == "vector.scatter" else value
        return rewriter.replace(op, unchanged) if op.results else rewriter.erase(op)
    if len(shape_of(value.type)) != 1 or op.name in ("vector.gather", "vector.scatter"):
        return False
    properties = {k: v for k, v in op.properties.items() if k == "alignment"}
    base_and_indices = list(op.operands)[:-2]
    if op.results:
        return rewriter.replace_with(op, "vector.load", base_and_indices, properties)
    rewriter.create("vector.store", [value, *base_and_indices], [], properties)
    return rewriter.erase(op)


@pattern("vector.mask")
def mask_of_everything(op: Operation, rewriter: Rewriter) -> bool:
    """A mask that is true everywhere, or one around nothing."""
    block = op.regions[0].blocks.first
    if block is None or block.last_op is None:
        return False
    end = block.last_op
    inner = block.first_op
    if inner is end and len(op.operands) == 1:
        return (
            rewriter.replace(op, list(end.operands))
            if all(v.owner is not block for v in end.operands)
            else False
        )
    if mask_is(op.operands[0]) is not True or inner is None:
        return False
    rewriter.move_before(inner, op)
    values = list(end.operands)
    return rewriter.replace(op, values)
