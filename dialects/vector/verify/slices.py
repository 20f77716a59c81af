"""Elements and slices of vectors, taken out and put in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import DYNAMIC_INDEX, VectorType
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.verifying.groups import static_values, values
from lamina.dialects.core.verifying.registry import verifies
from lamina.dialects.core.verifying.shapes import rank_of, scalable_dims_of, shape_of
from lamina.dialects.vector.transfers import scalable_flags
from lamina.dialects.vector.verify.shapes import numbers_of


def _positions(op: Operation) -> list[int]:
    found = static_values(op, "static_position")
    if found.count(DYNAMIC_INDEX) != len(values(op, "dynamic_position")):
        raise error(
            "mismatch between dynamic and static positions (kDynamic marker but no corresponding dynamic "
            "position) -- this can only happen due to an incorrect fold/rewrite",
            op,
        )
    return found


def _check_positions(op: Operation, positions: Sequence[int], type: Any, what: str) -> None:
    for number, (position, extent) in enumerate(zip(positions, shape_of(type), strict=False)):
        if position != DYNAMIC_INDEX and not -1 <= position < extent:
            raise error(
                f"expected position attribute #{number + 1} to be a non-negative integer smaller than the "
                f"corresponding {what}dimension or poison (-1)",
                op,
            )


@verifies("vector.extract")
def _extract(op: Operation) -> None:
    source: Any = values(op, "source")[0].type
    result: Any = op.results[0].type
    positions = static_values(op, "static_position")
    if len(positions) <= rank_of(source):
        _check_extracted(op, source, len(positions), result)
    if isinstance(result, VectorType) and not shape_of(result):
        raise error("expected a scalar instead of a 0-d vector as the result type", op)
    _positions(op)
    if len(positions) > rank_of(source):
        raise error("expected position attribute of rank no greater than vector rank", op)
    _check_positions(op, positions, source, "vector ")


def _check_extracted(op: Operation, source: Any, depth: int, result: Any) -> None:
    """What is taken out has the type of what is there; a vector of one element may stand for the element."""
    if depth == rank_of(source):
        wanted = source.element_type
    else:
        flags = scalable_flags(list(scalable_dims_of(source)[depth:]))
        wanted = VectorType(source.element_type, shape_of(source)[depth:], flags)
    one = [t for t in (wanted, result) if isinstance(t, VectorType) and shape_of(t) == (1,)]
    if wanted == result or (one and one[0].element_type in (wanted, result)):
        return
    if isinstance(result, VectorType) and not shape_of(result):
        return
    raise error(
        f"inferred type(s) '{wanted}' are incompatible with return type(s) of operation '{result}'", op
    )


@verifies("vector.insert")
def _insert(op: Operation) -> None:
    source: Any = values(op, "valueToStore")[0].type
    target: Any = values(op, "dest")[0].type
    vector = isinstance(source, VectorType)
    if vector and not shape_of(source):
        raise error("expected a scalar instead of a 0-d vector as the source operand", op)
    positions = _positions(op)
    if len(positions) > rank_of(target):
        raise error("expected position attribute of rank no greater than dest vector rank", op)
    if vector and rank_of(source) + len(positions) != rank_of(target):
        raise error("expected position attribute rank + source rank to match dest vector rank", op)
    if not vector and len(positions) != rank_of(target):
        raise error("expected position attribute rank to match the dest vector rank", op)
    _check_positions(op, positions, target, "dest vector ")


def _confine(op: Operation, name: str, numbers: Sequence[int], least: int, limits: Sequence[int]) -> None:
    for number, (value, limit) in enumerate(zip(numbers, limits, strict=False)):
        if not least <= value < limit:
            raise error(f"expected {name} dimension {number} to be confined to [{least}, {limit})", op)


def _confine_sums(
    op: Operation, names: str, first: Sequence[int], second: Sequence[int], extents: Sequence[int]
) -> None:
    for number, (a, b, extent) in enumerate(zip(first, second, extents, strict=False)):
        if not 0 <= a + b < extent + 1:
            raise error(f"expected sum({names}) dimension {number} to be confined to [1, {extent + 1})", op)


def _confine_strides(op: Operation, strides: Sequence[int]) -> None:
    if any(stride != 1 for stride in strides):
        raise error("expected strides to be confined to [1, 2)", op)


@verifies("vector.extract_strided_slice")
def _extract_slice(op: Operation) -> None:
    source: Any = op.operands[0].type
    offsets, sizes, strides = (numbers_of(op, name) for name in ("offsets", "sizes", "strides"))
    if not len(offsets) == len(sizes) == len(strides):
        raise error("expected offsets, sizes and strides attributes of same size", op)
    extents = shape_of(source)
    if len(offsets) > len(extents):
        raise error("expected offsets attribute of rank no greater than vector rank", op)
    _confine(op, "offsets", offsets, 0, extents)
    _confine(op, "sizes", sizes, 1, [extent + 1 for extent in extents])
    _confine_strides(op, strides)
    _confine_sums(op, "offsets, sizes", offsets, sizes, extents)
    flags = scalable_dims_of(source)
    wanted = VectorType(source.element_type, [*sizes, *extents[len(sizes) :]], scalable_flags(list(flags)))
    if op.results[0].type != wanted:
        raise error(f"expected result type to be '{wanted}'", op)
    for number, (size, extent, scalable) in enumerate(zip(sizes, extents, flags, strict=False)):
        if scalable and size != extent:
            raise _other_size(op, number, size, extent)


def _other_size(op: Operation, number: int, size: int, extent: int) -> Exception:
    return error(
        f"expected size at idx={number} to match the corresponding base size from the input vector "
        f"({size} vs {extent})",
        op,
    )


@verifies("vector.insert_strided_slice")
def _insert_slice(op: Operation) -> None:
    source, target = values(op, "valueToStore")[0].type, values(op, "dest")[0].type
    offsets, strides = numbers_of(op, "offsets"), numbers_of(op, "strides")
    inner, outer = shape_of(source), shape_of(target)
    if len(offsets) != len(outer):
        raise error("expected offsets of same size as destination vector rank", op)
    if len(strides) != len(inner):
        raise error("expected strides of same size as source vector rank", op)
    lead = len(outer) - len(inner)
    if lead < 0:
        raise error("expected source rank to be no greater than destination rank", op)
    _confine(op, "offsets", offsets, 0, outer)
    _confine_strides(op, strides)
    _confine_sums(op, "offsets, source vector shape", offsets, [*[0] * lead, *inner], outer)
    flags, target_flags = scalable_dims_of(source), scalable_dims_of(target)
    for number, scalable in enumerate(flags):
        if scalable != target_flags[number + lead]:
            raise error(f"mismatching scalable flags (at source vector idx={number})", op)
        if scalable and inner[number] != outer[number + lead]:
            raise _other_size(op, number, inner[number], outer[number + lead])
