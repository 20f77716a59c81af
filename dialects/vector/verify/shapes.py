"""Other shapes of the same elements, and masks as constants."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.verifying.groups import attribute, static_values
from lamina.dialects.core.verifying.registry import verifies
from lamina.dialects.core.verifying.shapes import elements_in, rank_of, scalable_dims_of, shape_of
from lamina.dialects.vector.bits import bits_of


@verifies("vector.bitcast", types_only=True)
def _bitcast(op: Operation) -> None:
    source: Any = op.operands[0].type
    result: Any = op.results[0].type
    before, after = shape_of(source), shape_of(result)
    for number, (one, other) in enumerate(zip(before[:-1], after[:-1], strict=False)):
        if one != other:
            raise error(f"dimension size mismatch at: {number}", op)
    bits = bits_of(source.element_type), bits_of(result.element_type)
    if not before:
        if bits[0] != bits[1]:
            raise error("source/result bitwidth of the 0-D vector element types must be equal", op)
    elif bits[0] * before[-1] != bits[1] * after[-1]:
        raise error("source/result bitwidth of the minor 1-D vectors must be equal", op)


@verifies("vector.broadcast", types_only=True)
def _broadcast(op: Operation) -> None:
    source: Any = op.operands[0].type
    result: Any = op.results[0].type
    if not isinstance(source, VectorType):
        if source != result.element_type:
            raise error("source type is not a vector", op)
        return
    lead = rank_of(result) - rank_of(source)
    if lead < 0:
        raise error("source rank higher than destination rank", op)
    pairs = zip(
        shape_of(source), scalable_dims_of(source), shape_of(result)[lead:], scalable_dims_of(result)[lead:],
        strict=True,
    )  # fmt: skip
    for one, one_scalable, other, other_scalable in pairs:
        mismatch = one not in (1, other)
        mismatch |= one == 1 and one_scalable and other != 1
        mismatch |= one_scalable != other_scalable and (one != 1 or one_scalable)
        if mismatch:
            shown = _extent(one, one_scalable), _extent(other, other_scalable)
            raise error(f"dimension mismatch ({shown[0]} vs. {shown[1]})", op)


def _extent(extent: int, scalable: bool) -> str:
    return f"[{extent}]" if scalable else str(extent)


@verifies("vector.shape_cast", types_only=True)
def _shape_cast(op: Operation) -> None:
    source: Any = op.operands[0].type
    result: Any = op.results[0].type
    if source.element_type != result.element_type:
        raise error("has different source and result element types", op)
    counts = elements_in(source), elements_in(result)
    if counts[0] != counts[1]:
        raise error(f"has different number of elements at source ({counts[0]}) and result ({counts[1]})", op)
    scalable = sum(scalable_dims_of(source)), sum(scalable_dims_of(result))
    if scalable[0] != scalable[1]:
        raise error(
            f"has different number of scalable dims at source ({scalable[0]}) and result ({scalable[1]})", op
        )


@verifies("vector.transpose")
def _transpose(op: Operation) -> None:
    source, result = op.operands[0].type, op.results[0].type
    rank, order = rank_of(result), static_values(op, "permutation")
    if rank_of(source) != rank:
        raise error(f"vector result rank mismatch: {rank}", op)
    if len(order) != rank:
        raise error(f"transposition length mismatch: {len(order)}", op)
    before, after = shape_of(source), shape_of(result)
    seen: set[int] = set()
    for place, position in enumerate(order):
        if not 0 <= position < rank:
            raise error(f"transposition index out of range: {position}", op)
        if position in seen:
            raise error(f"duplicate position index: {position}", op)
        seen.add(position)
        if after[place] != before[position]:
            raise error(f"dimension size mismatch at: {position}", op)


@verifies("vector.shuffle")
def _shuffle(op: Operation) -> None:
    first, second, result = op.operands[0].type, op.operands[1].type, op.results[0].type
    ranks = rank_of(first), rank_of(second), rank_of(result)
    if ranks != (0, 0, 1) and (ranks[0] != ranks[2] or ranks[1] != ranks[2]):
        raise error("rank mismatch", op)
    one, other, whole = shape_of(first), shape_of(second), shape_of(result)
    if ranks[0] and not one[1:] == other[1:] == whole[1:]:
        raise error("dimension mismatch", op)
    mask = static_values(op, "mask")
    if not mask:
        raise error("invalid mask length", op)
    if len(mask) != whole[0]:
        raise error("mask length mismatch", op)
    rows = (one or (1,))[0] + (other or (1,))[0]
    for number, row in enumerate(mask):
        if not -1 <= row < rows:
            raise error(f"mask index #{number + 1} out of range", op)


@verifies("vector.constant_mask")
def _constant_mask(op: Operation) -> None:
    result = op.results[0].type
    sizes, extents = static_values(op, "mask_dim_sizes"), shape_of(result)
    if not extents:
        if len(sizes) != 1:
            raise error("array attr must have length 1 for 0-D vectors", op)
        if sizes[0] not in (0, 1):
            raise error("mask dim size must be either 0 or 1 for 0-D vectors", op)
        return
    if len(sizes) != len(extents):
        raise error("must specify array attr of size equal vector result rank", op)
    for size, extent, scalable in zip(sizes, extents, scalable_dims_of(result), strict=True):
        if not 0 <= size <= extent:
            raise error("array attr of size out of bounds of vector result dimension size", op)
        if scalable and size not in (0, extent):
            raise error("only supports 'none set' or 'all set' scalable dimensions", op)
    if 0 in sizes and any(sizes):
        raise error(
            "expected all mask dim sizes to be zeros, as a result of conjunction with zero mask dim", op
        )


@verifies("vector.create_mask", types_only=True)
def _create_mask(op: Operation) -> None:
    rank = rank_of(op.results[0].type)
    if not rank and len(op.operands) != 1:
        raise error("must specify exactly one operand for 0-D create_mask", op)
    if rank and len(op.operands) != rank:
        raise error("must specify an operand for each result vector dimension", op)


def numbers_of(op: Operation, name: str) -> list[int]:
    """The numbers of an array of integer attributes."""
    return [entry.value.data for entry in attribute(op, name).data]
