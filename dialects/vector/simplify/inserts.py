"""vector.insert: elements that are overwritten, and inserts that fill a vector."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Operation, SSAValue

from lamina.dialects.core.folding import defining_op
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern
from lamina.dialects.vector.simplify.common import (
    is_scalable,
    position,
    shape_of,
    size_of,
    splat_source,
    static_position,
)
from lamina.dialects.vector.simplify.positions import flat_position, same_position


@fold("vector.insert")
def fold_insert(op: Operation) -> Folded:
    """The whole vector; an element that was taken from the same place."""
    source, dest = op.operands[:2]
    place = position(op)
    if source.type == op.results[0].type and not place:
        return source
    extract = defining_op(source, "vector.extract")
    if extract is not None and extract.operands[0] is dest and same_position(position(extract), place):
        return dest
    return None


@pattern("vector.insert")
def overwrite_insertion(op: Operation, rewriter: Rewriter) -> bool:
    """What another insert put at the same position is overwritten; one element into one is a broadcast."""
    source, dest = op.operands[:2]
    inner = defining_op(dest, "vector.insert")
    if inner is not None and same_position(position(inner), position(op)):
        return rewriter.set_operands(op, [source, inner.operands[1], *list(op.operands)[2:]])
    type = op.results[0].type
    if size_of(type) == size_of(source.type) and not is_scalable(type) and type != source.type:
        return rewriter.replace_with(op, "vector.broadcast", [source])
    splat, other = splat_source(source) or source, splat_source(dest)
    if other is not None and splat is other:
        return rewriter.replace(op, dest)
    return False


_MOST_ELEMENTS = 64


@pattern("vector.insert")
def insert_all_elements(op: Operation, rewriter: Rewriter) -> bool:
    """Inserts that fill a vector are a vector of elements, where that takes fewer ops."""
    result = op.results[0]
    type = result.type
    if not isinstance(type, VectorType) or is_scalable(type) or not shape_of(type):
        return False
    if result.has_one_use() and next(iter(result.uses)).operation.name == "vector.insert":
        return False
    size = size_of(type)
    if size > _MOST_ELEMENTS:
        return False
    found: dict[int, tuple[SSAValue, int]] = {}
    inserts = 0
    place: Operation | None = op
    while place is not None and len(found) < size:
        known = static_position(place)
        source = place.operands[0]
        flat = None if known is None else flat_position(known, shape_of(type))
        if flat is None or (place is not op and not place.results[0].has_one_use()):
            return False
        inserts += 1
        count = size_of(source.type)
        for i in range(count):
            found.setdefault(flat * count + i, (source, i))
        place = defining_op(place.operands[1], "vector.insert")
    vectors = list(dict.fromkeys(v for v, _ in found.values() if isinstance(v.type, VectorType)))
    if len(found) < size or (vectors and inserts <= len(vectors) + 1):
        return False
    elements = {vector: _elements(rewriter, vector) for vector in vectors}
    operands = [elements[v][i] if v in elements else v for v, i in (found[i] for i in range(size))]
    return rewriter.replace_with(op, "vector.from_elements", operands)


def _elements(rewriter: Rewriter, vector: SSAValue) -> Sequence[SSAValue]:
    assert isinstance(vector.type, VectorType)
    types = [vector.type.element_type] * size_of(vector.type)
    return rewriter.create("vector.to_elements", [vector], types).results
