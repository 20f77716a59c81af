"""Casts and views of the same memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import LaminaError, error, location_of
from lamina.dialects.core.verifying.groups import static_values, values
from lamina.dialects.core.verifying.interfaces import check_offsets_sizes_strides
from lamina.dialects.core.verifying.layouts import (
    has_identity_layout,
    product,
    strided,
    strides_and_offset,
    total,
)
from lamina.dialects.core.verifying.registry import verifies
from lamina.dialects.core.verifying.shapes import compatible_shapes, rank_of, shape_of
from lamina.dialects.core.verifying.slices import dropped_dimensions, out_of_bounds
from lamina.dialects.memref.verify.allocation import check_dynamic_sizes, check_same_space


def _incompatible(op: Operation) -> LaminaError:
    source, result = op.operands[0].type, op.results[0].type
    return error(f"operand type '{source}' and result type '{result}' are cast incompatible", op)


@verifies("memref.cast", types_only=True)
def _cast(op: Operation) -> None:
    source: Any = op.operands[0].type
    result: Any = op.results[0].type
    ranked = isinstance(source, MemRefType), isinstance(result, MemRefType)
    same = source.element_type == result.element_type and source.memory_space == result.memory_space
    if not same or not any(ranked):
        raise _incompatible(op)
    if all(ranked) and not (
        compatible_shapes(shape_of(source), shape_of(result)) and _may_lie_alike(source, result)
    ):
        raise _incompatible(op)


def _may_lie_alike(source: Any, result: Any) -> bool:
    """Whether the strides and the offset of two memrefs may be the same at run time."""
    if source.layout == result.layout:
        return True
    one, other = strides_and_offset(source), strides_and_offset(result)
    if one is None or other is None:
        return False
    rows = [(a, b) for a, b, extent in zip(one[0], other[0], shape_of(source), strict=True) if extent != 1]
    return all(a == b or DYNAMIC_INDEX in (a, b) for a, b in (*rows, (one[1], other[1])))


@verifies("memref.memory_space_cast", types_only=True)
def _memory_space_cast(op: Operation) -> None:
    source: Any = op.operands[0].type
    result: Any = op.results[0].type
    same = isinstance(source, MemRefType) == isinstance(result, MemRefType)
    if same and isinstance(source, MemRefType):
        same = source.layout == result.layout and shape_of(source) == shape_of(result)
    if not same or source.element_type != result.element_type:
        raise _incompatible(op)


@verifies("memref.view", types_only=True)
def _view(op: Operation) -> None:
    source: Any = op.operands[0].type
    result: Any = op.results[0].type
    if not has_identity_layout(source):
        raise error(f"unsupported map for base memref type '{source}'", op)
    if not has_identity_layout(result):
        raise error(f"unsupported map for result memref type '{result}'", op)
    check_same_space(op, source, result, "base memref", "view memref")
    check_dynamic_sizes(op, result, len(values(op, "sizes")))


@verifies("memref.reinterpret_cast")
def _reinterpret(op: Operation) -> None:
    source: Any = op.operands[0].type
    result: Any = op.results[0].type
    rank = rank_of(result)
    check_offsets_sizes_strides(op, (1, rank, rank))
    check_same_space(op, source, result, "source", "result memref")
    if source.element_type != result.element_type:
        raise error(
            f"different element types specified for source type '{source}' and result memref type '{result}'",
            op,
        )
    _check_numbers(op, "size", shape_of(result), static_values(op, "static_sizes"))
    found = strides_and_offset(result)
    if found is None:
        raise error(f"expected result type to have strided layout but found '{result}'", op)
    strides, offset = found
    wanted = static_values(op, "static_offsets")[0]
    if offset not in (DYNAMIC_INDEX, wanted):
        raise error(
            f"expected result type with offset = {_number(wanted)} instead of {offset}", location_of(op)
        )
    _check_numbers(op, "stride", strides, static_values(op, "static_strides"))


def _number(value: int) -> str:
    return "dynamic" if value == DYNAMIC_INDEX else str(value)


def _check_numbers(op: Operation, what: str, found: Sequence[int], wanted: Sequence[int]) -> None:
    for dim, (number, expected) in enumerate(zip(found, wanted, strict=False)):
        if number not in (DYNAMIC_INDEX, expected):
            raise error(
                f"expected result type with {what} = {_number(expected)} instead of {number} in dim = {dim}",
                location_of(op),
            )


@verifies("memref.subview")
def _subview(op: Operation) -> None:
    source: Any = op.operands[0].type
    result: Any = op.results[0].type
    rank = rank_of(source)
    check_offsets_sizes_strides(op, (rank, rank, rank))
    check_same_space(op, source, result, "base memref", "subview memref")
    offsets, sizes, steps = (static_values(op, f"static_{what}") for what in ("offsets", "sizes", "strides"))
    found = strides_and_offset(source)
    if found is None:
        raise error(f"base type '{source}' is not strided", op)
    strides, offset = found
    for number, stride in zip(offsets, strides, strict=True):
        offset = total(offset, product(number, stride))
    layout = strided([product(a, b) for a, b in zip(strides, steps, strict=True)], offset)
    expected = MemRefType(source.element_type, sizes, layout, source.memory_space)
    _check_reduced(op, expected, result, sizes)
    problem = out_of_bounds(shape_of(source), offsets, sizes, steps)
    if problem is not None:
        raise error(problem, location_of(op))


def _check_reduced(op: Operation, expected: Any, result: Any, sizes: Sequence[int]) -> None:
    """The result is the whole slice, or the slice without dimensions of extent 1."""
    place = location_of(op)
    if expected == result:
        return
    if rank_of(result) > rank_of(expected):
        raise error(
            f"expected result rank to be smaller or equal to the source rank, but got '{result}'", place
        )
    wanted = f"expected result type to be '{expected}' or a rank-reduced version. "
    if dropped_dimensions(shape_of(expected), shape_of(result)) is None:
        raise error(f"{wanted}(mismatch of result sizes), but got '{result}'", place)
    if expected.element_type != result.element_type:
        raise error(
            f"expected result element type to be '{expected.element_type}', but got '{result}'", place
        )
    one, other = strides_and_offset(expected), strides_and_offset(result)
    alike = one is not None and other is not None and one[1] == other[1]
    if one is not None and other is not None and alike:
        dropped = _dropped(one[0], other[0], sizes)
        alike = dropped is not None and other[0] == [s for i, s in enumerate(one[0]) if i not in dropped]
    if not alike:
        raise error(f"{wanted}(mismatch of result layout), but got '{result}'", place)


def _dropped(original: list[int], reduced: list[int], sizes: Sequence[int]) -> set[int] | None:
    """The dimensions that a result of lower rank leaves out, by sizes and strides (None where it
    cannot be)."""
    if len(original) == len(reduced):
        return set()
    unused = {i for i, size in enumerate(sizes) if size == 1}
    if len(unused) + len(reduced) == len(original):
        return unused
    left, wanted = Counter(original), Counter(reduced)
    for dim in sorted(unused):
        stride = original[dim]
        if left[stride] > wanted[stride]:
            left[stride] -= 1
        elif left[stride] == wanted[stride]:
            unused.discard(dim)
        else:
            return None
    return unused if len(unused) + len(reduced) == len(original) else None
