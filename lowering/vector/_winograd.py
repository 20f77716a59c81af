"""Winograd's transforms in the vectoriser: their loops and tiles, and one tile as additions of rows.

The transforms stand beside structured operations: each has loops (the dimensions of its result), an access
of its source per tile, and a schedule whose tile is the transformed square times a vector of channels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects import tensor, vector
from xdsl.dialects.builtin import AnyFloat, TensorType, VectorType
from xdsl.dialects.linalg.ops import FillOp, YieldOp
from xdsl.ir import Block, Operation, SSAValue, Use
from xdsl.ir.affine import AffineMap

from lamina.dialects.core.constants import constant_value
from lamina.dialects.core.slices import mixed
from lamina.dialects.linalg.structured import StructuredView
from lamina.dialects.linalg.winograd import INPUT, KERNEL, OUTPUT, Winograd, winograd_of
from lamina.lowering.vector._access import Access, Linear, Structured
from lamina.lowering.vector._emitter import Emitter, Index
from lamina.lowering.vector._lanes import Lane, Lanes
from lamina.lowering.vector._schedule import Schedule
from lamina.lowering.vector._tile import Source, Tile, read

_Matrix = Sequence[Sequence[float]]


@dataclass(frozen=True)
class Transform:
    """A transform, with the zeros that complete its last tiles left out."""

    of: Winograd
    is_input: bool
    source: SSAValue
    """The images without zeros behind them, or the products."""
    dest: SSAValue
    """What is made; of results only those inside the image."""

    def ragged_loops(self) -> set[int]:
        """The loops whose last step takes a part of a tile: tiles of images that are read, rows and columns
        of results that are written."""
        image = _shape(self.source if self.is_input else self.dest)
        if not self.is_input:
            return {loop for loop in (1, 2) if image[loop] % self.of.m}
        tiles = _shape(self.dest)
        return {loop for loop in (2, 3) if tiles[loop] * self.of.m + KERNEL - 1 > image[loop - 1]}


def transform_of(op: Operation) -> Transform | None:
    """The transform that an operation is, or that of which it copies the first rows and columns."""
    found = winograd_of(op)
    if found is not None:
        source, dest = op.operands
        is_input = op.name == INPUT
        return Transform(found, is_input, _unpadded(source) if is_input else source, dest)
    if op.name != "linalg.copy":
        return None
    sliced = op.operands[0].owner
    if not isinstance(sliced, tensor.ExtractSliceOp) or not _starts_at_the_first(sliced):
        return None
    made = sliced.source.owner
    if not isinstance(made, Operation) or made.name != OUTPUT or (found := winograd_of(made)) is None:
        return None
    return Transform(found, False, made.operands[0], op.operands[1])


def _unpadded(source: SSAValue) -> SSAValue:
    """The images that stand in front of rows and columns of zeros."""
    op = source.owner
    if not isinstance(op, tensor.InsertSliceOp) or not _starts_at_the_first(op):
        return source
    fill = op.dest.owner
    value = constant_value(fill.inputs[0]) if isinstance(fill, FillOp) else None
    behind = _shape(op.source)[::3] == _shape(source)[::3]
    return op.source if behind and value is not None and value.item() == 0 else source


def _starts_at_the_first(op: Operation) -> bool:
    return not any(mixed(op, "offsets")) and set(mixed(op, "strides")) == {1}


def _shape(value: SSAValue) -> tuple[int, ...]:
    assert isinstance(value.type, TensorType)
    return value.type.get_shape()


def structured_transform(op: Operation) -> Structured | None:
    """A transform over the loops of its result; its body stands for "made of elements of the source"."""
    found = transform_of(op)
    if found is None or not all(isinstance(v.type, TensorType) for v in op.operands):
        return None
    if winograd_of(op) is not None and any(transform_of(use.operation) for use in _uses_of_slices(op)):
        return None  # what copies a part of it stands for it
    kind = found.dest.type
    assert isinstance(kind, TensorType)
    sizes, element = kind.get_shape(), kind.element_type
    if min(sizes) <= 0 or not isinstance(element, AnyFloat):
        return None
    body = Block(arg_types=[element] * 2)
    body.add_op(YieldOp(body.args[0]))
    identity = AffineMap.identity(len(sizes))
    view = StructuredView(
        (identity, identity), ("parallel",) * len(sizes), body, (found.source,), (found.dest,)
    )
    plain: Access = tuple(Linear(0, ((loop, 1),)) for loop in range(len(sizes)))
    return Structured(op, view, sizes, frozenset(), ((), plain), tuple(range(len(sizes))))


def _uses_of_slices(op: Operation) -> Iterator[Use]:
    for use in op.results[0].uses:
        if isinstance(use.operation, tensor.ExtractSliceOp):
            yield from use.operation.result.uses


def transform_schedule(of: Structured, lanes: int) -> Schedule | None:
    """Whole squares of as many channels as a register holds, or of the power of two that there are."""
    found = transform_of(of.op)
    if found is None:
        return None
    lanes = 1 << (min(lanes, of.sizes[-1]).bit_length() - 1)
    m, alpha = found.of.m, found.of.alpha
    if found.is_input:
        return Schedule((alpha, alpha, 1, 1, 1, lanes), (2, 3, 4, 5, 0, 1), 5)
    return Schedule((1, m, m, lanes), (0, 1, 2, 3), 3)


def fits(of: Structured, schedule: Schedule) -> bool:
    """Whether a schedule has tiles that the transform can compute."""
    wanted = transform_schedule(of, schedule.tile[-1])
    return wanted is not None and wanted.tile == schedule.tile and schedule.vector == wanted.vector


def transformed(emitter: Emitter, of: Transform, tile: Tile) -> SSAValue:
    """The result of a transform at a tile of its loops."""
    if of.is_input:
        matrix, square, wanted = of.of.input, _input_square(emitter, of, tile), (of.of.alpha, of.of.alpha)
    else:
        sizes = dict(tile.dims)
        matrix, square = of.of.output, _output_square(emitter, of, tile)
        wanted = (sizes.get(1, 1), sizes.get(2, 1))
    return _sandwich(emitter, matrix, square, wanted, tile.shape)


def _input_square(emitter: Emitter, of: Transform, tile: Tile) -> SSAValue:
    """The inputs of a tile, as far as the image goes: loops are the row and column in a tile, the tile, the
    image and the channel. A last tile's place is known."""
    m, alpha = of.of.m, of.of.alpha
    access: Access = (
        Linear(0, ((4, 1),)),
        Linear(0, ((0, 1), (2, m))),
        Linear(0, ((1, 1), (3, m))),
        Linear(0, ((5, 1),)),
    )
    held = dict(tile.dims)
    for loop, number, size in zip((0, 1), (2, 3), _shape(of.source)[1:3], strict=True):
        at = tile.offsets[number]
        held[loop] = min(alpha, size - at * m) if isinstance(at, int) else alpha
    return read(emitter, Source(of.source, access), Tile(tile.offsets, tuple(held.items())))


def _output_square(emitter: Emitter, of: Transform, tile: Tile) -> SSAValue:
    """The products of a tile of the image, row and column; the loops of the square are new ones."""
    batch, row, column, feature = (tile.offsets[loop] for loop in range(4))
    m, alpha = of.of.m, of.of.alpha
    places: list[Index] = [0, 0, emitter.divide(row, m), emitter.divide(column, m), batch, feature]
    access: Access = tuple(Linear(0, ((loop, 1),)) for loop in range(6))
    dims = ((0, alpha), (1, alpha), (5, tile.dims[-1][1]))
    return read(emitter, Source(of.source, access), Tile(dict(enumerate(places)), dims))


def _sandwich(
    emitter: Emitter, matrix: _Matrix, square: SSAValue, wanted: tuple[int, int], shape: Sequence[int]
) -> SSAValue:
    """``matrix @ square @ matrix^T`` for each channel, the innermost dimension: its first ``wanted`` rows
    and columns, as a vector of a shape. Rows and columns that the square lacks count as zeros."""
    assert isinstance(square.type, VectorType)
    height, width, channels = square.type.get_shape()
    row = VectorType(square.type.element_type, [channels])
    lanes = Lanes(emitter, row)
    down, across = ([line[:held] for line in matrix] for held in (height, width))
    columns = [
        [Lane(lanes, emitter.value(vector.ExtractOp(square, [i, j], row))) for i in range(height)]
        for j in range(width)
    ]
    halves = [applied(down, column) for column in columns]
    rows = [applied(across, [half[i] for half in halves])[: wanted[1]] for i in range(wanted[0])]
    made = [lane.value for lanes_of_row in rows for lane in lanes_of_row]
    if len(shape) == 1:
        return made[0]
    whole = emitter.number(0, row.element_type, shape)
    for at, value in zip(np.ndindex(*shape[:-1]), made, strict=True):
        whole = emitter.value(vector.InsertOp(value, whole, at))
    return whole


def applied(matrix: _Matrix, values: Sequence[Lane]) -> list[Lane]:
    """A constant matrix times a vector of lanes, in few operations.

    Two columns that are equal up to sign are replaced by the sum and the difference of their values; of two
    rows whose even and odd parts are alike, each part is computed once.
    """
    table = [list(row) for row in matrix]
    terms = list(values)
    for j in range(len(terms) - 1):
        if _are_mirrored(table, j):
            a, b = terms[j], terms[j + 1]
            terms[j], terms[j + 1] = a + b, a - b
            for row in table:
                row[j], row[j + 1] = (row[j] + row[j + 1]) / 2, (row[j] - row[j + 1]) / 2
    made: list[Lane] = []
    while len(made) < len(table):
        row, *rest = table[len(made) :]
        even = [(a + b) / 2 for a, b in zip(row, rest[0], strict=True)] if rest else row
        odd = [(a - b) / 2 for a, b in zip(row, rest[0], strict=True)] if rest else row
        if rest and any(even) and any(odd) and not any(a and b for a, b in zip(even, odd, strict=True)):
            made += _sum_and_difference(even, odd, terms)
        else:
            made.append(_combination(row, terms))
    return made


def _are_mirrored(table: _Matrix, j: int) -> bool:
    """Whether a column and the next are equal up to sign in each row, with both signs somewhere."""
    pairs = [(row[j], row[j + 1]) for row in table if row[j] or row[j + 1]]
    return all(abs(a) == abs(b) for a, b in pairs) and len({a == b for a, b in pairs}) == 2


def _sum_and_difference(even: Sequence[float], odd: Sequence[float], terms: Sequence[Lane]) -> list[Lane]:
    """``even + odd`` and ``even - odd``, with the factor that all odd coefficients share applied last."""
    factor = min(abs(c) for c in odd if c)
    e = _combination(even, terms)
    o = _combination([c / factor for c in odd], terms)
    return [e + o, e - o] if factor == 1 else [o.fma(factor, e), o.fma(-factor, e)]


def _combination(coefficients: Sequence[float], terms: Sequence[Lane]) -> Lane:
    """A linear combination: terms with the factor 1 first, then those that are added or subtracted."""
    present = [(c, term) for c, term in zip(coefficients, terms, strict=True) if c]
    pairs = sorted(present, key=lambda pair: (abs(pair[0]) != 1, pair[0] != 1))
    (first, total), *rest = pairs
    total = total if first == 1 else total * first
    for c, term in rest:
        if abs(c) == 1:
            total = total + term if c == 1 else total - term
        else:
            total = term.fma(c, total)
    return total
