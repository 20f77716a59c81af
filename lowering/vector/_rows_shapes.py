"""Ops that move elements, on rows."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import vector
from xdsl.dialects.builtin import DYNAMIC_INDEX, I64, DenseArrayBase, VectorType, i64
from xdsl.ir import Operation, SSAValue

from lamina.dialects.vector.shapes import (
    ExtractStridedSliceOp,
    FromElementsOp,
    InsertStridedSliceOp,
    ShapeCastOp,
    ToElementsOp,
    TransposeOp,
)
from lamina.lowering.vector._rows import Rows, lowers, positions, row_type, shape_of


@lowers(vector.BroadcastOp)
def _broadcast(rows: Rows, op: Operation) -> bool:
    assert isinstance(op, vector.BroadcastOp)
    shape, held = shape_of(op.vector.type), shape_of(op.source.type)
    if len(shape) < 2:
        return False
    if not held:
        row = rows.value(vector.BroadcastOp(op.source, row_type(op.vector.type)))
        rows.define(op.vector, [row] * len(positions(shape[:-1])))
        return True
    source = dict(zip(positions(held[:-1]), rows.of(op.source), strict=True))
    missing = len(shape) - len(held)
    made: list[SSAValue] = []
    for at in positions(shape[:-1]):
        here = tuple(i if size > 1 else 0 for i, size in zip(at[missing:], held[:-1], strict=True))
        row = source[here]
        if held[-1] != shape[-1]:
            row = rows.value(vector.BroadcastOp(rows.element(row, 0), row_type(op.vector.type)))
        made.append(row)
    rows.define(op.vector, made)
    return True


@lowers(TransposeOp)
def _transpose(rows: Rows, op: Operation) -> bool:
    assert isinstance(op, TransposeOp)
    shape = shape_of(op.vector.type)
    rows.define(op.result, transposed(rows, rows.of(op.vector), shape, op.permutation.get_values()))
    return True


def is_of_squares(shape: Sequence[int]) -> bool:
    """Whether a 2-d shape can be transposed by interleaving rows: both sizes are powers of two above 1."""
    return all(size > 1 and size & (size - 1) == 0 for size in shape)


def transposed(
    rows: Rows, held: Sequence[SSAValue], shape: Sequence[int], permutation: Sequence[int]
) -> list[SSAValue]:
    """The rows of a transposed vector."""
    source = dict(zip(positions(shape[:-1]), held, strict=True))
    target = [shape[p] for p in permutation]
    if permutation[-1] == len(shape) - 1:
        order = [permutation.index(d) for d in range(len(shape) - 1)]
        return [source[tuple(at[i] for i in order)] for at in positions(target[:-1])]
    if len(shape) == 2 and is_of_squares(shape):
        return _squares(rows, held, shape)
    elements: list[SSAValue] = []
    for at in positions(target):
        here = [at[permutation.index(d)] for d in range(len(shape))]
        elements.append(rows.element(source[tuple(here[:-1])], here[-1]))
    return rows.rows_from(elements, target)


def _squares(rows: Rows, held: Sequence[SSAValue], shape: Sequence[int]) -> list[SSAValue]:
    """The transpose of a column of squares (joined to one of longer rows), or of a row of squares."""
    count, width = shape
    if count >= width:
        squares = [_interleaved(rows, held[i : i + width]) for i in range(0, count, width)]
        return [_joined(rows, [square[i] for square in squares]) for i in range(width)]
    parts = [[_part(rows, row, i, count) for row in held] for i in range(0, width, count)]
    return [row for part in parts for row in _interleaved(rows, part)]


def _joined(rows: Rows, parts: Sequence[SSAValue]) -> SSAValue:
    """Rows of equal length one behind the other; their number is a power of two."""
    while len(parts) > 1:
        assert isinstance(parts[0].type, VectorType)
        mask = DenseArrayBase.from_list(i64, list(range(2 * parts[0].type.get_shape()[0])))
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [rows.value(_shuffle(first, second, mask)) for first, second in pairs]
    return parts[0]


def _part(rows: Rows, row: SSAValue, start: int, size: int) -> SSAValue:
    mask = DenseArrayBase.from_list(i64, list(range(start, start + size)))
    return rows.value(_shuffle(row, row, mask))


def _interleaved(rows: Rows, held: Sequence[SSAValue]) -> list[SSAValue]:
    """The transpose of n rows of n elements: log2(n) rounds of interleaving row i with row i + n/2."""
    size = len(held)
    low = [j // 2 + (j % 2) * size for j in range(size)]
    masks = [DenseArrayBase.from_list(i64, [i + offset for i in low]) for offset in (0, size // 2)]
    current = list(held)
    for _ in range(size.bit_length() - 1):
        current = [
            rows.value(_shuffle(current[i], current[i + size // 2], mask))
            for i in range(size // 2)
            for mask in masks
        ]
    return current


def _shuffle(lhs: SSAValue, rhs: SSAValue, mask: DenseArrayBase[I64]) -> vector.ShuffleOp:
    assert isinstance(lhs.type, VectorType)
    result = VectorType(lhs.type.element_type, [len(mask)])
    return vector.ShuffleOp(lhs, rhs, mask, result_type=result)


@lowers(ShapeCastOp)
def _shape_cast(rows: Rows, op: Operation) -> bool:
    assert isinstance(op, ShapeCastOp)
    held, shape = shape_of(op.source.type), shape_of(op.result.type)
    if len(held) < 2 and len(shape) < 2:
        return False
    if held[-1:] == shape[-1:]:
        rows.define(op.result, rows.of(op.source))
    else:
        rows.define(op.result, rows.rows_from(rows.elements(op.source), shape))
    return True


@lowers(FromElementsOp)
def _from_elements(rows: Rows, op: Operation) -> bool:
    assert isinstance(op, FromElementsOp)
    shape = shape_of(op.dest.type)
    if len(shape) < 2:
        return False
    rows.define(op.dest, rows.rows_from(op.elements, shape))
    return True


@lowers(ToElementsOp)
def _to_elements(rows: Rows, op: Operation) -> bool:
    assert isinstance(op, ToElementsOp)
    if len(shape_of(op.source.type)) < 2:
        return False
    for result, element in zip(op.elements, rows.elements(op.source), strict=True):
        result.replace_all_uses_with(element)
    return True


def _static(op: vector.ExtractOp | vector.InsertOp) -> list[int] | None:
    held = [int(i) for i in op.static_position.get_values()]
    return None if DYNAMIC_INDEX in held else held


@lowers(vector.ExtractOp)
def _extract(rows: Rows, op: Operation) -> bool:
    assert isinstance(op, vector.ExtractOp)
    shape, at = shape_of(op.vector.type), _static(op)
    if len(shape) < 2 or at is None:
        return False
    held = dict(zip(positions(shape[:-1]), rows.of(op.vector), strict=True))
    if len(at) == len(shape):
        rows.define(op.result, [rows.element(held[tuple(at[:-1])], at[-1])])
    else:
        rows.define(op.result, [row for place, row in held.items() if list(place[: len(at)]) == at])
    return True


@lowers(vector.InsertOp)
def _insert(rows: Rows, op: Operation) -> bool:
    assert isinstance(op, vector.InsertOp)
    shape, at = shape_of(op.result.type), _static(op)
    if len(shape) < 2 or at is None:
        return False
    held = dict(zip(positions(shape[:-1]), rows.of(op.dest), strict=True))
    if len(at) == len(shape):
        row = held[tuple(at[:-1])]
        held[tuple(at[:-1])] = rows.value(vector.InsertOp(op.source, row, at[-1:]))
    else:
        targets = [place for place in held if list(place[: len(at)]) == at]
        held.update(zip(targets, rows.of(op.source), strict=True))
    rows.define(op.result, list(held.values()))
    return True


@lowers(ExtractStridedSliceOp)
def _extract_slice(rows: Rows, op: Operation) -> bool:
    assert isinstance(op, ExtractStridedSliceOp)
    shape, result = shape_of(op.source.type), shape_of(op.result.type)
    if len(shape) < 2:
        return False
    offsets = [o.value.data for o in op.offsets] + [0] * (len(shape) - len(op.offsets))
    held = dict(zip(positions(shape[:-1]), rows.of(op.source), strict=True))
    made = [
        held[tuple(i + o for i, o in zip(at, offsets[:-1], strict=True))] for at in positions(result[:-1])
    ]
    if result[-1] != shape[-1]:
        made = [rows.value(ExtractStridedSliceOp(row, offsets[-1:], result[-1:])) for row in made]
    rows.define(op.result, made)
    return True


@lowers(InsertStridedSliceOp)
def _insert_slice(rows: Rows, op: Operation) -> bool:
    assert isinstance(op, InsertStridedSliceOp)
    shape, part = shape_of(op.result.type), shape_of(op.source.type)
    if len(shape) < 2:
        return False
    offsets = [o.value.data for o in op.offsets]
    padded = (1,) * (len(shape) - len(part)) + part
    held = dict(zip(positions(shape[:-1]), rows.of(op.dest), strict=True))
    for at, row in zip(positions(padded[:-1]), rows.of(op.source), strict=True):
        target = tuple(i + o for i, o in zip(at, offsets[:-1], strict=True))
        if part[-1] != shape[-1]:
            row = rows.value(InsertStridedSliceOp(row, held[target], offsets[-1:]))
        held[target] = row
    rows.define(op.result, list(held.values()))
    return True
