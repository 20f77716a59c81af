"""vector.from_elements and vector.to_elements: elements of vectors, and vectors of elements."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, VectorType, i64
from xdsl.ir import Operation, SSAValue

from lamina.dialects.core.folding import defining_op
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern
from lamina.dialects.vector.simplify.common import (
    is_scalable,
    shape_of,
    size_of,
    splat_source,
    static_position,
)
from lamina.dialects.vector.simplify.positions import flat_position, place_of


@pattern("vector.from_elements")
def same_elements(op: Operation, rewriter: Rewriter) -> bool:
    """One value everywhere is a broadcast; all the elements of a vector are that."""
    values = list(op.operands)
    if len(values) > 0 and all(value is values[0] for value in values):
        return rewriter.replace_with(op, "vector.broadcast", [values[0]])
    maker = values[0].owner if values else None
    if isinstance(maker, Operation) and maker.name == "vector.to_elements":
        if values == list(maker.results) and maker.operands[0].type == op.results[0].type:
            return rewriter.replace(op, maker.operands[0])
        return False
    return _side_by_side(op, rewriter, values)


def _side_by_side(op: Operation, rewriter: Rewriter, values: Sequence[SSAValue]) -> bool:
    """Elements that stand side by side in a vector, and make up a part of it, are extracted at once."""
    first = defining_op(values[0], "vector.extract") if len(values) > 1 else None
    type = op.results[0].type
    if first is None or is_scalable(first.operands[0].type) or not isinstance(type, VectorType):
        return False
    source = first.operands[0]
    shape = shape_of(source.type)
    start: int | None = None
    for i, value in enumerate(values):
        extract = defining_op(value, "vector.extract")
        known = static_position(extract) if extract is not None else None
        if extract is None or known is None or extract.operands[0] is not source or len(known) != len(shape):
            return False
        flat = flat_position(known, shape)
        start = flat if start is None else start
        if flat is None or start is None or flat != start + i:
            return False
    length = len(shape)
    while length and math.prod(shape[length:]) < len(values):
        length -= 1
    if math.prod(shape[length:]) != len(values) or start is None or start % len(values):
        return False
    return _part(op, rewriter, source, place_of(start // len(values), shape[:length]), shape[length:])


def _part(
    op: Operation, rewriter: Rewriter, source: SSAValue, place: Sequence[int], shape: Sequence[int]
) -> bool:
    """Replace an op by a part of a vector, cast to its type."""
    type = op.results[0].type
    assert isinstance(type, VectorType)
    if place:
        static = {"static_position": DenseArrayBase.from_list(i64, list(place))}
        source = rewriter.value(
            "vector.extract", [source], VectorType(type.element_type, list(shape)), static
        )
    if source.type == type:
        return rewriter.replace(op, source)
    return rewriter.replace_with(op, "vector.shape_cast", [source])


@fold("vector.to_elements")
def elements_back(op: Operation) -> Folded:
    """The elements that a vector was made of."""
    made = defining_op(op.operands[0], "vector.from_elements")
    if made is not None:
        return list(made.operands)
    splat = splat_source(op.operands[0])
    return [splat] * len(op.results) if splat is not None else None


@pattern("vector.to_elements")
def elements_of_broadcast(op: Operation, rewriter: Rewriter) -> bool:
    """The elements of a broadcast are those of its source, several times."""
    broadcast = defining_op(op.operands[0], "vector.broadcast")
    if broadcast is None or is_scalable(op.operands[0].type):
        return False
    source = broadcast.operands[0]
    if not isinstance(source.type, VectorType):
        return False
    inner, outer = shape_of(source.type), shape_of(op.operands[0].type)
    types = [source.type.element_type] * size_of(source.type)
    elements = rewriter.create("vector.to_elements", [source], types).results
    chosen: list[SSAValue] = []
    for i in range(len(op.results)):
        place = place_of(i, outer)[len(outer) - len(inner) :]
        flat = flat_position([0 if n == 1 else p for p, n in zip(place, inner, strict=True)], inner)
        assert flat is not None
        chosen.append(elements[flat])
    return rewriter.replace(op, chosen)
