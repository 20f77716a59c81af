"""Lowering of sorting: runs of growing length are merged, in loops over the places of the elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import IndexType, i64
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import SSAValue

from lamina.dialects.core.diagnostics import error
from lamina.dialects.nn.base import NnOp
from lamina.lowering.linalg._builder import LinalgBuilder, dims
from lamina.lowering.linalg._elementwise import open_element
from lamina.lowering.linalg._gather import read_at
from lamina.lowering.linalg._loops import loop, loop_nest, read, write
from lamina.lowering.linalg._scalars import Scalars, is_float
from lamina.lowering.linalg._types import element_of, is_bool, is_unsigned
from lamina.lowering.linalg.rules import linalg_rule


@linalg_rule("nn.argsort")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    return _order(op, operands[0], builder)


@linalg_rule("nn.sort")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    """The elements, read in their order."""
    [x] = operands
    sizes = builder.sizes(x)
    axis = op.attribute("axis") % len(sizes)
    places = _order(op, x, builder)

    def place_of(s: Scalars, loops: Sequence[SSAValue], place: SSAValue) -> list[SSAValue]:
        return [*loops[:axis], s.index(place), *loops[axis + 1 :]]

    return read_at(builder, x, sizes, place_of, [(places, dims(len(sizes)))])


def _order(op: NnOp, x: SSAValue, builder: LinalgBuilder) -> SSAValue:
    """The stable order of elements along an axis: bottom-up merge sort of their places."""
    sizes = builder.sizes(x)
    axis = op.attribute("axis") % len(sizes)
    count = sizes[axis]
    if not isinstance(count, int):
        raise error("sorts along a dimension of unknown extent", op, hint="run nn-set-shapes")
    comes_first = _comparison(op)

    def counted(s: Scalars) -> SSAValue:
        return s.index(s.emit(linalg.IndexOp(axis)))

    places = builder.map([], sizes, i64, counted)
    others = [n for d, n in enumerate(sizes) if d != axis]

    def merge_all(inner: LinalgBuilder, _: SSAValue, carried: list[SSAValue]) -> list[SSAValue]:
        before, width = carried
        s = inner.arithmetic()
        double = s.add(width, width)

        def merge_row(inner: LinalgBuilder, row: list[SSAValue], carried: list[SSAValue]) -> list[SSAValue]:
            def merge(inner: LinalgBuilder, low: SSAValue, carried: list[SSAValue]) -> list[SSAValue]:
                s = inner.arithmetic()
                middle = s.minimum(s.add(low, width), count)
                end = s.minimum(s.add(low, double), count)
                return _merged(inner, carried[0], (low, middle, end), step)

            step = _step(x, before, row, axis, count, comes_first)
            return loop(inner, 0, count, double, carried, merge)

        return [loop_nest(inner, others, [inner.empty(sizes, i64)], merge_row)[0], double]

    passes = (count - 1).bit_length() if count > 1 else 0
    return loop(builder, 0, passes, 1, [places, builder.index(1)], merge_all)[0] if passes else places


Step: TypeAlias = "Callable[[LinalgBuilder, SSAValue, list[SSAValue], SSAValue, SSAValue], list[SSAValue]]"
"""``step(builder, place, [into, left, right], middle, end)``: one element of a merge."""
Comparison: TypeAlias = "Callable[[Scalars, SSAValue, SSAValue], SSAValue]"
"""Whether one element comes before another, and is not equal to it."""


def _merged(
    builder: LinalgBuilder, into: SSAValue, run: tuple[SSAValue, SSAValue, SSAValue], step: Step
) -> list[SSAValue]:
    """Two neighbouring runs, from low to middle and from there to end, merged into another tensor."""
    low, middle, end = run

    def turn(inner: LinalgBuilder, place: SSAValue, carried: list[SSAValue]) -> list[SSAValue]:
        return step(inner, place, carried, middle, end)

    return loop(builder, low, end, 1, [into, low, middle], turn)[:1]


def _step(
    x: SSAValue, before: SSAValue, row: list[SSAValue], axis: int, count: int, comes_first: Comparison
) -> Step:
    """What takes the next element of one of two runs; equal ones are taken from the left."""

    def at(place: SSAValue) -> list[SSAValue]:
        return [*row[:axis], place, *row[axis:]]

    def step(
        builder: LinalgBuilder, place: SSAValue, carried: list[SSAValue], middle: SSAValue, end: SSAValue
    ) -> list[SSAValue]:
        into, left, right = carried
        s = builder.arithmetic()
        places = [read(s, before, at(s.minimum(next_, count - 1))) for next_ in (left, right)]
        first, second = (read(s, x, at(s.index(p))) for p in places)
        has_left, has_right = s.compare("lt", left, middle), s.compare("lt", right, end)
        right_wins = s.logical_and(has_right, comes_first(s, second, first))
        takes_left = s.logical_and(has_left, s.logical_xor(right_wins, True))
        into = write(s, s.select(takes_left, *places), into, at(place))
        one, zero = s.constant(1, IndexType()), s.constant(0, IndexType())
        moved = s.add(left, s.select(takes_left, one, zero)), s.add(right, s.select(takes_left, zero, one))
        return [into, *moved]

    return step


def _comparison(op: NnOp) -> Comparison:
    """The order of an op: NaN is the largest."""
    kind = element_of(op.operands[0].type)
    predicate = "gt" if op.attribute("descending") else "lt"

    def comes_first(s: Scalars, a: SSAValue, b: SSAValue) -> SSAValue:
        s.unsigned = is_unsigned(kind) or is_bool(kind)
        a, b = open_element(s, a, kind), open_element(s, b, kind)
        found = s.compare(predicate, a, b)
        if is_float(a):
            larger, smaller = (a, b) if predicate == "gt" else (b, a)
            found = s.logical_or(
                found, s.logical_and(s.is_nan(larger), s.logical_xor(s.is_nan(smaller), True))
            )
        s.unsigned = False
        return found

    return comes_first
