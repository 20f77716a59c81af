"""Winograd's transforms in the vectoriser: their loops and tiles, and one tile as additions of rows.

The transforms stand beside structured operations: each has loops (the dimensions of its result), an access
of its source per tile, and a schedule whose tile is the transformed square times a vector of channels.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import vector
from xdsl.dialects.builtin import AnyFloat, TensorType, VectorType
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from lamina.dialects.linalg.structured import StructuredView
from lamina.dialects.linalg.winograd import INPUT, Winograd, winograd_of
from lamina.lowering.vector._access import Access, Linear, Structured
from lamina.lowering.vector._emitter import Emitter, Index
from lamina.lowering.vector._lanes import Lane, Lanes
from lamina.lowering.vector._schedule import Schedule
from lamina.lowering.vector._tile import Source, Tile, read

_Matrix = Sequence[Sequence[float]]


def structured_transform(op: Operation) -> Structured | None:
    """A transform over the loops of its result; its body stands for "made of elements of the source"."""
    if winograd_of(op) is None or not all(isinstance(v.type, TensorType) for v in op.operands):
        return None
    source, dest = op.operands
    kind = dest.type
    assert isinstance(kind, TensorType)
    sizes = kind.get_shape()
    if min(sizes) <= 0 or not isinstance(kind.element_type, AnyFloat):
        return None
    body = Block(arg_types=[kind.element_type] * 2)
    body.add_op(YieldOp(body.args[0]))
    identity = AffineMap.identity(len(sizes))
    view = StructuredView((identity, identity), ("parallel",) * len(sizes), body, (source,), (dest,))
    plain: Access = tuple(Linear(0, ((loop, 1),)) for loop in range(len(sizes)))
    return Structured(op, view, sizes, frozenset(), ((), plain), tuple(range(len(sizes))))


def transform_schedule(of: Structured, lanes: int) -> Schedule | None:
    """Whole squares of as many channels as a register holds; None where there are fewer channels."""
    found = winograd_of(of.op)
    channels = of.sizes[-1]
    if found is None or channels < lanes:
        return None
    if of.op.name == INPUT:
        return Schedule((found.alpha, found.alpha, 1, 1, 1, lanes), (2, 3, 4, 5, 0, 1), 5)
    return Schedule((1, found.m, found.m, lanes), (0, 1, 2, 3), 3)


def fits(of: Structured, schedule: Schedule) -> bool:
    """Whether a schedule has tiles that the transform can compute."""
    wanted = transform_schedule(of, schedule.tile[-1])
    return wanted is not None and wanted.tile == schedule.tile and schedule.vector == wanted.vector


def transformed(emitter: Emitter, op: Operation, source: SSAValue, tile: Tile) -> SSAValue:
    """The result of a transform at a tile of its loops."""
    found = winograd_of(op)
    assert found is not None
    if op.name == INPUT:
        return _sandwich(emitter, found.input, _input_square(emitter, found, source, tile))
    return _sandwich(emitter, found.output, _output_square(emitter, found, source, tile))


def _input_square(emitter: Emitter, of: Winograd, source: SSAValue, tile: Tile) -> SSAValue:
    """The inputs of a tile: loops are the row and column in a tile, the tile, the image and the channel."""
    access: Access = (
        Linear(0, ((4, 1),)),
        Linear(0, ((0, 1), (2, of.m))),
        Linear(0, ((1, 1), (3, of.m))),
        Linear(0, ((5, 1),)),
    )
    return read(emitter, Source(source, access), tile)


def _output_square(emitter: Emitter, of: Winograd, source: SSAValue, tile: Tile) -> SSAValue:
    """The products of a tile of the image, row and column; the loops of the square are new ones."""
    batch, row, column, feature = (tile.offsets[loop] for loop in range(4))
    places: list[Index] = [0, 0, emitter.divide(row, of.m), emitter.divide(column, of.m), batch, feature]
    access: Access = tuple(Linear(0, ((loop, 1),)) for loop in range(6))
    dims = ((0, of.alpha), (1, of.alpha), (5, tile.dims[-1][1]))
    return read(emitter, Source(source, access), Tile(dict(enumerate(places)), dims))


def _sandwich(emitter: Emitter, matrix: _Matrix, square: SSAValue) -> SSAValue:
    """``matrix @ square @ matrix^T`` for each channel, the innermost dimension."""
    assert isinstance(square.type, VectorType)
    *_, size, width = square.type.get_shape()
    row = VectorType(square.type.element_type, [width])
    lanes = Lanes(emitter, row)
    columns = [
        [Lane(lanes, emitter.value(vector.ExtractOp(square, [i, j], row))) for i in range(size)]
        for j in range(size)
    ]
    halves = [applied(matrix, column) for column in columns]
    rows = [applied(matrix, [half[i] for half in halves]) for i in range(len(matrix))]
    whole = emitter.number(0, row.element_type, [len(matrix), len(matrix), width])
    for i, made in enumerate(rows):
        for j, lane in enumerate(made):
            whole = emitter.value(vector.InsertOp(lane.value, whole, [i, j]))
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
