"""vector.extract and vector.insert: what stands at a position."""

from __future__ import annotations

from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, VectorType, i64
from xdsl.ir import Operation, SSAValue

from lamina.dialects.core.folding import defining_op, int_of
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern
from lamina.dialects.vector.simplify.common import (
    is_scalable,
    numbers,
    position,
    shape_of,
    splat_source,
    static_position,
)


def _positions(values: list[int | SSAValue]) -> tuple[list[SSAValue], DenseArrayBase]:
    dynamic = [value for value in values if not isinstance(value, int)]
    static = [value if isinstance(value, int) else DYNAMIC_INDEX for value in values]
    return dynamic, DenseArrayBase.from_list(i64, static)


def _same(a: list[int | SSAValue], b: list[int | SSAValue]) -> bool:
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
        after.append(value if number is None or not 0 <= number < size else number)
    if all(a is b for a, b in zip(before, after, strict=True)) or len(after) != len(before):
        return None
    dynamic, static = _positions(after)
    fixed = 1 if op.name == "vector.extract" else 2
    op.operands = [*list(op.operands)[:fixed], *dynamic]
    op.properties["static_position"] = static
    return True


@fold("vector.extract")
def extract_from_maker(op: Operation) -> Folded:
    """What was put at the position: by an insert, a broadcast, or element by element."""
    source = op.operands[0]
    type = op.results[0].type
    place = position(op)
    if source.type == type and not place:
        return source
    splat = splat_source(source)
    if splat is not None and splat.type == type:
        return splat
    maker = defining_op(source)
    if maker is None:
        return None
    if maker.name == "vector.insert" and _same(position(maker), place) and maker.operands[0].type == type:
        return maker.operands[0]
    if maker.name == "vector.broadcast" and maker.operands[0].type == type and not is_scalable(source.type):
        rank = len(shape_of(source.type)) - len(shape_of(type))
        return maker.operands[0] if len(place) == rank else None
    known = static_position(op)
    if maker.name == "vector.from_elements" and known is not None and not isinstance(type, VectorType):
        flat = 0
        for index, size in zip(known, shape_of(source.type), strict=True):
            if not 0 <= index < size:
                return None
            flat = flat * size + index
        return maker.operands[flat]
    return None


@pattern("vector.extract")
def extract_further_back(op: Operation, rewriter: Rewriter) -> bool:
    """An element of an extracted, transposed, inserted, shuffled or broadcast vector is one of its source."""
    place = position(op)
    maker = defining_op(op.operands[0])
    if maker is None or not place:
        return False
    if maker.name == "vector.extract":
        first = position(maker)
        if any(not isinstance(v, int) for v in (*first, *place)):
            return False
        return _extract(rewriter, op, maker.operands[0], [*first, *place])
    if maker.name == "vector.transpose":
        permutation = numbers(maker, "permutation")
        if sorted(permutation[: len(place)]) == list(range(len(place))):
            rest = permutation[len(place) :]
            if rest == sorted(rest):
                moved: list[int | SSAValue] = [0] * len(place)
                for index, value in zip(permutation, place, strict=False):
                    moved[index] = value
                return _extract(rewriter, op, maker.operands[0], moved)
        return False
    if maker.name == "vector.insert":
        return _past_insert(op, maker, rewriter, place)
    if maker.name == "vector.shuffle" and len(place) == 1 and isinstance(place[0], int):
        left = maker.operands[0]
        size = shape_of(left.type)[0] if shape_of(left.type) else 1
        index = numbers(maker, "mask")[place[0]]
        if index < 0 or len(shape_of(left.type)) != len(shape_of(maker.operands[1].type)):
            return False
        value = maker.operands[0 if index < size else 1]
        if not shape_of(value.type):
            return False
        return _extract(rewriter, op, value, [index if index < size else index - size])
    if maker.name == "vector.broadcast":
        return _from_broadcast(op, maker, rewriter, place)
    if maker.name == "vector.extract_strided_slice":
        return _from_slice(op, maker, rewriter, place)
    if maker.name == "vector.shape_cast":
        return _from_shape_cast(op, maker, rewriter, place)
    return False


def _extract(rewriter: Rewriter, op: Operation, source: SSAValue, place: list[int | SSAValue]) -> bool:
    if not place and source.type == op.results[0].type:
        return rewriter.replace(op, source)
    dynamic, static = _positions(place)
    return rewriter.replace_with(op, "vector.extract", [source, *dynamic], {"static_position": static})


def _past_insert(op: Operation, maker: Operation, rewriter: Rewriter, place: list[int | SSAValue]) -> bool:
    other = position(maker)
    if any(not isinstance(v, int) for v in (*other, *place)):
        return False
    shared = min(len(other), len(place))
    if other[:shared] != place[:shared]:
        return _extract(rewriter, op, maker.operands[1], place)
    if len(other) < len(place):
        return _extract(rewriter, op, maker.operands[0], place[len(other) :])
    return False


def _from_broadcast(op: Operation, maker: Operation, rewriter: Rewriter, place: list[int | SSAValue]) -> bool:
    source = maker.operands[0]
    type = op.results[0].type
    inner, outer = shape_of(source.type), shape_of(maker.results[0].type)
    lead = len(outer) - len(inner)
    if is_scalable(maker.results[0].type):
        return False
    if len(place) < lead:
        return rewriter.replace_with(op, "vector.broadcast", [source])
    if not inner:
        return (
            rewriter.replace_with(op, "vector.broadcast", [source]) if isinstance(type, VectorType) else False
        )
    kept: list[int | SSAValue] = [
        0 if inner[i] == 1 and outer[lead + i] != 1 else v for i, v in enumerate(place[lead:])
    ]
    rest = inner[len(kept) :]
    if rest == shape_of(type):
        return _extract(rewriter, op, source, kept)
    if not kept:
        return rewriter.replace_with(op, "vector.broadcast", [source])
    element = source.type
    assert isinstance(element, VectorType)
    dynamic, static = _positions(kept)
    part_type = VectorType(element.element_type, list(rest)) if rest else element.element_type
    part = rewriter.value("vector.extract", [source, *dynamic], part_type, {"static_position": static})
    return rewriter.replace_with(op, "vector.broadcast", [part])


def _from_slice(op: Operation, maker: Operation, rewriter: Rewriter, place: list[int | SSAValue]) -> bool:
    offsets = numbers(maker, "offsets")
    source = maker.operands[0]
    if any(not isinstance(v, int) for v in place):
        return False
    # Dimensions behind the position must be taken whole.
    whole = shape_of(source.type)[len(place) :] == shape_of(maker.results[0].type)[len(place) :]
    if not whole:
        return False
    offsets += [0] * (len(place) - len(offsets))
    moved: list[int | SSAValue] = [v + o for v, o in zip(place, offsets, strict=False) if isinstance(v, int)]
    return _extract(rewriter, op, source, moved)


def _from_shape_cast(
    op: Operation, maker: Operation, rewriter: Rewriter, place: list[int | SSAValue]
) -> bool:
    source = maker.operands[0]
    before, after = shape_of(source.type), shape_of(maker.results[0].type)
    rest = after[len(place) :]
    if is_scalable(source.type) or any(not isinstance(v, int) for v in place):
        return False
    size = 1
    for n in rest:
        size *= n
    flat = 0
    for index, n in zip(place, after, strict=False):
        assert isinstance(index, int)
        flat = flat * n + index
    # Leading dimensions of the source whose trailing ones hold as many elements as are extracted.
    count, length = 1, len(before)
    while length > 0 and count < size:
        length -= 1
        count *= before[length]
    if count != size:
        return False
    if rest != before[length:]:
        while length < len(before) and before[length:] != rest and before[length] == 1:
            length += 1
        while length > 0 and before[length:] != rest and before[length - 1] == 1:
            length -= 1
        if before[length:] != rest:
            return False
    moved: list[int | SSAValue] = []
    for n in reversed(before[:length]):
        moved.append(flat % n)
        flat //= n
    return _extract(rewriter, op, source, moved[::-1])


@fold("vector.insert")
def fold_insert(op: Operation) -> Folded:
    """The whole vector; an element that was taken from the same place."""
    source, dest = op.operands[:2]
    place = position(op)
    if source.type == op.results[0].type and not place:
        return source
    extract = defining_op(source, "vector.extract")
    if extract is not None and extract.operands[0] is dest and _same(position(extract), place):
        return dest
    return None


@pattern("vector.insert")
def overwrite_insertion(op: Operation, rewriter: Rewriter) -> bool:
    """What another insert put at the same position is overwritten; one element into one is a broadcast."""
    source, dest = op.operands[:2]
    inner = defining_op(dest, "vector.insert")
    if inner is not None and _same(position(inner), position(op)):
        return rewriter.set_operands(op, [source, inner.operands[1], *list(op.operands)[2:]])
    type = op.results[0].type
    size = 1
    for n in shape_of(type):
        size *= n
    count = 1
    for n in shape_of(source.type):
        count *= n
    if size == count and not is_scalable(type) and type != source.type:
        return rewriter.replace_with(op, "vector.broadcast", [source])
    splat, other = splat_source(source) or source, splat_source(dest)
    if other is not None and splat is other:
        return rewriter.replace(op, dest)
    return False


@pattern("vector.insert")
def insert_all_elements(op: Operation, rewriter: Rewriter) -> bool:
    """Inserts that fill a vector are a vector of elements."""
    result = op.results[0]
    type = result.type
    if not isinstance(type, VectorType) or is_scalable(type) or not len(shape_of(type)) > 0:
        return False
    if result.has_one_use() and next(iter(result.uses)).operation.name == "vector.insert":
        return False
    size = 1
    for n in shape_of(type):
        size *= n
    if size > 64:
        return False
    found: dict[int, SSAValue] = {}
    place: Operation | None = op
    while place is not None and len(found) < size:
        known = static_position(place)
        source = place.operands[0]
        if known is None or isinstance(source.type, VectorType) or len(known) != len(shape_of(type)):
            return False
        flat = 0
        for index, n in zip(known, shape_of(type), strict=True):
            if not 0 <= index < n:
                return False
            flat = flat * n + index
        found.setdefault(flat, source)
        following = defining_op(place.operands[1], "vector.insert")
        if place is not op and not place.results[0].has_one_use():
            return False
        place = following
    if len(found) < size:
        return False
    return rewriter.replace_with(op, "vector.from_elements", [found[i] for i in range(size)])


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
    if isinstance(maker, Operation) and maker.name == "vector.extract":
        source = maker.operands[0]
        shape = shape_of(source.type)
        size = 1
        for n in shape:
            size *= n
        start: int | None = None
        for i, value in enumerate(values):
            extract = defining_op(value, "vector.extract")
            known = static_position(extract) if extract is not None else None
            if (
                extract is None
                or known is None
                or extract.operands[0] is not source
                or len(known) != len(shape)
            ):
                return False
            flat = 0
            for index, n in zip(known, shape, strict=True):
                flat = flat * n + index
            start = flat if start is None else start
            if flat != start + i:
                return False
        if start == 0 and size == len(values) and not is_scalable(source.type):
            return rewriter.replace_with(op, "vector.shape_cast", [source])
    return False


@fold("vector.to_elements")
def elements_back(op: Operation) -> Folded:
    """The elements that a vector was made of."""
    made = defining_op(op.operands[0], "vector.from_elements")
    if made is not None:
        return list(made.operands)
    splat = splat_source(op.operands[0])
    return [splat] * len(op.results) if splat is not None else None
