"""Positions in vectors: numbers and values, as one number, and back."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, i64
from xdsl.ir import Operation, SSAValue

from lamina.dialects.core.folding import int_of
from lamina.dialects.core.simplification import Folded, fold
from lamina.dialects.vector.simplify.common import (
    position,
    shape_of,
)


def position_operands(values: list[int | SSAValue]) -> tuple[list[SSAValue], DenseArrayBase]:
    """A position as an op holds it: the values, and the numbers with gaps for them."""
    dynamic = [value for value in values if not isinstance(value, int)]
    static = [value if isinstance(value, int) else DYNAMIC_INDEX for value in values]
    return dynamic, DenseArrayBase.from_list(i64, static)


def same_position(a: list[int | SSAValue], b: list[int | SSAValue]) -> bool:
    """Whether two positions are surely the same."""
    return len(a) == len(b) and all(
        x is y or (isinstance(x, int) and x == y) for x, y in zip(a, b, strict=True)
    )


@fold("vector.extract", "vector.insert")
def know_position(op: Operation) -> Folded:
    """Positions that are constants become part of the op."""
    before = position(op)
    shape = shape_of(op.operands[0 if op.name == "vector.extract" else 1].type)
    after: list[int | SSAValue] = []
    for value, size in zip(before, shape, strict=False):
        number = None if isinstance(value, int) else int_of(value)
        after.append(value if number is None or not -1 <= number < size else number)  # -1 is poison
    if all(a is b for a, b in zip(before, after, strict=True)) or len(after) != len(before):
        return None
    dynamic, static = position_operands(after)
    fixed = 1 if op.name == "vector.extract" else 2
    op.operands = [*list(op.operands)[:fixed], *dynamic]
    op.properties["static_position"] = static
    return True


def flat_position(place: Sequence[int], shape: Sequence[int]) -> int | None:
    """The number of an element (or part) in the order of memory; None for a place that does not exist."""
    flat = 0
    for index, size in zip(place, shape, strict=False):
        if not 0 <= index < size:
            return None
        flat = flat * size + index
    return flat


def place_of(flat: int, shape: Sequence[int]) -> list[int]:
    """The reverse of :func:`flat_position`."""
    place: list[int] = []
    for size in reversed(shape):
        flat, index = divmod(flat, size)
        place.append(index)
    return place[::-1]
