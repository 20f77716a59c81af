"""Masks: those that are true everywhere or nowhere, parts of masks, and what stands under a mask."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, IndexType, MemRefType, VectorType, i64
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.core.folding import (
    constant_like,
    constant_of,
    defining_op,
    int_of,
    integer,
    splat_element,
)
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern
from lamina.dialects.vector.simplify.common import array_of, is_scalable, numbers, position, shape_of


def mask_is(value: SSAValue) -> bool | None:
    """True for a mask that is true everywhere, False for one that is so nowhere, None where not known."""
    mask = defining_op(value, "vector.constant_mask")
    if mask is not None:
        sizes = numbers(mask, "mask_dim_sizes")
        return True if tuple(sizes) == shape_of(value.type) else False if 0 in sizes else None
    element = splat_element(constant_of(value))
    return None if element is None else bool(element)


def scales(type: Attribute) -> list[bool]:
    """For each dimension of a vector, whether its size is a multiple of an unknown number."""
    return [bool(flag.value.data) for flag in type.scalable_dims] if isinstance(type, VectorType) else []


def _multiple_of_vscale(value: SSAValue) -> int | None:
    """The factor of a value that is a number times the unknown one of scalable vectors."""
    if defining_op(value, "vector.vscale") is not None:
        return 1
    product = defining_op(value, "arith.muli")
    if product is None:
        return None
    for factor, other in (tuple(product.operands), tuple(product.operands)[::-1]):
        if defining_op(factor, "vector.vscale") is not None:
            return int_of(other)
    return None


def _known_sizes(op: Operation) -> list[int] | None:
    """The sizes of the part that a created mask marks, where all are known.

    Along a scalable dimension that is none or all of it.
    """
    type = op.results[0].type
    constants = [int_of(value) for value in op.operands]
    if any(number is not None and number <= 0 for number in constants):
        return [0] * len(constants)
    found: list[int] = []
    for value, number, size, scalable in zip(
        op.operands, constants, shape_of(type), scales(type), strict=True
    ):
        told = _multiple_of_vscale(value) if scalable else number
        if told is None or (scalable and told < size):
            return None
        found.append(min(told, size))
    return found


@fold("vector.create_mask", "vector.constant_mask")
def mask_of_constants(op: Operation) -> Folded:
    """A mask that is true everywhere or nowhere."""
    type = op.results[0].type
    sizes = _known_sizes(op) if op.name == "vector.create_mask" else numbers(op, "mask_dim_sizes")
    if not sizes:
        return None
    if 0 in sizes:
        return constant_like([0], type)
    return constant_like([1], type) if tuple(sizes) == (shape_of(type) or (1,)) else None


@pattern("vector.create_mask")
def mask_of_known_sizes(op: Operation, rewriter: Rewriter) -> bool:
    """A mask whose sizes are constants."""
    sizes = _known_sizes(op)
    return sizes is not None and rewriter.replace_with(op, "vector.constant_mask", [], constant_mask(sizes))


def constant_mask(sizes: Sequence[int]) -> dict[str, Attribute]:
    """The sizes as a constant mask holds them."""
    return {"mask_dim_sizes": DenseArrayBase.from_list(i64, list(sizes))}


@pattern("vector.extract")
def extract_from_mask(op: Operation, rewriter: Rewriter) -> bool:
    """A part of a mask is false everywhere, or the mask of the other dimensions."""
    mask = defining_op(op.operands[0], "vector.create_mask", "vector.constant_mask")
    if mask is None:
        return False
    created = mask.name == "vector.create_mask"
    type = op.results[0].type
    sizes = [int_of(v) for v in mask.operands] if created else numbers(mask, "mask_dim_sizes")
    shape, scalable = shape_of(mask.results[0].type), scales(mask.results[0].type)
    place = position(op)
    for index, size, full, scaled in zip(place, sizes, shape, scalable, strict=False):
        if size is not None and (size <= 0 or (isinstance(index, int) and index >= size)):
            return _constant(rewriter, op, 0)
        whole = size is not None and size >= full and not scaled
        if size is None or not (isinstance(index, int) or whole):
            return False
    if len(place) == len(sizes):
        return _constant(rewriter, op, 1)
    if created:
        return rewriter.replace_with(op, "vector.create_mask", list(mask.operands)[len(place) :])
    rest = [size for size in sizes[len(place) :] if size is not None]
    return isinstance(type, VectorType) and rewriter.replace_with(
        op, "vector.constant_mask", [], constant_mask(rest)
    )


def _constant(rewriter: Rewriter, op: Operation, value: int) -> bool:
    attribute = constant_like([value], op.results[0].type)
    return attribute is not None and rewriter.replace_with(op, "arith.constant", [], {"value": attribute})


@pattern("vector.shape_cast")
def cast_mask(op: Operation, rewriter: Rewriter) -> bool:
    """A mask that loses or gains dimensions of size 1, along which it is true, is created so."""
    mask = defining_op(op.operands[0], "vector.create_mask")
    if mask is None:
        return False
    types = (op.operands[0].type, op.results[0].type)
    before, after = (list(zip(shape_of(type), scales(type), strict=True)) for type in types)
    unit = (1, False)
    ones = [value for value, size in zip(mask.operands, before, strict=True) if size == unit]
    kept = [value for value, size in zip(mask.operands, before, strict=True) if size != unit]
    if any((int_of(value) or 0) < 1 for value in ones):
        return False
    if [size for size in before if size != unit] != [size for size in after if size != unit]:
        return False
    one = ones[0] if ones else None
    if one is None:
        one = rewriter.value("arith.constant", [], IndexType(), {"value": integer(1, IndexType())})
    rest = iter(kept)
    return rewriter.replace_with(
        op, "vector.create_mask", [one if size == unit else next(rest) for size in after]
    )


_ACCESSES = (
    *("vector.maskedload", "vector.maskedstore", "vector.gather"),
    *("vector.scatter", "vector.expandload", "vector.compressstore"),
)


@pattern(*_ACCESSES)
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


@pattern("vector.gather", "vector.scatter")
def access_side_by_side(op: Operation, rewriter: Rewriter) -> bool:
    """Elements of memory one behind the other are accessed at once."""
    base, *offsets, indices, mask, value = op.operands
    if not isinstance(base.type, MemRefType) or len(shape_of(indices.type)) != 1:
        return False
    if defining_op(indices, "vector.step") is None:
        array = array_of(indices)
        if array is None or is_scalable(indices.type) or array.tolist() != list(range(array.size)):
            return False
    properties = {k: v for k, v in op.properties.items() if k == "alignment"}
    operands = [base, *offsets, mask, value]
    if op.results:
        return rewriter.replace_with(op, "vector.maskedload", operands, properties)
    rewriter.create("vector.maskedstore", operands, [], properties)
    return rewriter.erase(op)


@pattern("vector.mask")
def mask_of_everything(op: Operation, rewriter: Rewriter) -> bool:
    """A mask that is true everywhere, or one around nothing or around the reduction of one element."""
    block = op.regions[0].blocks.first
    if block is None or block.last_op is None:
        return False
    end = block.last_op
    inner = block.first_op
    mask, *otherwise = op.operands
    if inner is end:
        if not otherwise:
            return rewriter.replace(op, list(end.operands))
        return rewriter.replace_with(op, "arith.select", [mask, end.operands[0], otherwise[0]])
    if inner is not None and not otherwise and _is_reduction_of_one(inner):
        zero = DenseArrayBase.from_list(i64, [0])
        return rewriter.replace_with(op, "vector.extract", [inner.operands[0]], {"static_position": zero})
    if mask_is(mask) is not True or inner is None:
        return False
    rewriter.move_before(inner, op)
    return rewriter.replace(op, list(end.operands))


def _is_reduction_of_one(op: Operation) -> bool:
    if op.name != "vector.reduction" or len(op.operands) != 1:
        return False
    return shape_of(op.operands[0].type) == (1,) and not is_scalable(op.operands[0].type)
