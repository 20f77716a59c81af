"""One tile: reading operands as vectors, the scalar body on vectors, and writing the result."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, math, tensor, vector
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    BoolAttr,
    IndexType,
    ShapedType,
    TensorType,
    VectorType,
)
from xdsl.dialects.linalg.ops import IndexOp, YieldOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from lamina.dialects.arith.on_vectors import BY_NAME
from lamina.dialects.core.constants import as_array, constant_attribute
from lamina.dialects.vector.shapes import ExtractStridedSliceOp, FromElementsOp, StepOp
from lamina.lowering.vector._access import Access, Structured
from lamina.lowering.vector._combiner import fused_products
from lamina.lowering.vector._emitter import Emitter, Index
from lamina.lowering.vector._strided import thinned_out

_LARGEST_SHUFFLED_STRIDE = 4
"""Up to this stride a strided row is read whole and thinned out by a shuffle."""


@dataclass(frozen=True)
class Tile:
    """Where the loops stand, and the loops that a vector runs through, outermost first."""

    offsets: Mapping[int, Index]
    dims: tuple[tuple[int, int], ...]
    """Pairs of loop and number of iterations."""

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(size for _, size in self.dims)

    def position(self, loop: int) -> int | None:
        """The vector dimension that runs through a loop."""
        return next((i for i, (d, _) in enumerate(self.dims) if d == loop), None)

    def counted_from(self, emitter: Emitter, origin: Mapping[int, Index | None]) -> Tile:
        """The same dimensions where some of the loops count from another position; None: from the tile's."""
        if not origin:
            return self
        moved = {
            loop: 0 if first is None else emitter.subtract(self.offsets[loop], first)
            for loop, first in origin.items()
        }
        return Tile({**self.offsets, **moved}, self.dims)

    def inside(self, emitter: Emitter, step: int) -> Tile:
        """The slice of the tile at one iteration of its outermost vector loop."""
        (loop, _), *rest = self.dims
        offsets = {**self.offsets, loop: emitter.add(self.offsets[loop], step)}
        return Tile(offsets, tuple(rest))


@dataclass(frozen=True)
class Source:
    """An operand as tiles read it."""

    value: SSAValue
    access: Access = ()
    origin: Mapping[int, Index | None] = field(default_factory=dict[int, Index | None])
    """Loops of which the operand holds a part only: where that starts, None for the tile's own place."""
    order: tuple[int, ...] = ()
    """The order in which the elements of a strided row are wanted; () for their own."""


def typed(element: Attribute, shape: Sequence[int]) -> Attribute:
    """The vector type of a shape, or the scalar type itself for the shape ()."""
    return VectorType(element, list(shape)) if shape else element


def broadcast(emitter: Emitter, value: SSAValue, shape: Sequence[int]) -> SSAValue:
    """A scalar or a vector of the trailing dimensions, repeated to a shape."""
    held = value.type.get_shape() if isinstance(value.type, VectorType) else ()
    if tuple(shape) == held:
        return value
    element = value.type.element_type if isinstance(value.type, VectorType) else value.type
    return emitter.value(vector.BroadcastOp(value, VectorType(element, list(shape))))


def cut(emitter: Emitter, value: SSAValue, shape: Sequence[int]) -> SSAValue:
    """The first elements of a vector along each dimension; the very first for the shape ()."""
    assert isinstance(value.type, VectorType)
    held = value.type.get_shape()
    if not shape:
        return emitter.value(vector.ExtractOp(value, [0] * len(held), value.type.element_type))
    return emitter.value(ExtractStridedSliceOp(value, [0] * len(held), list(shape)))


def _indices(emitter: Emitter, access: Access, tile: Tile) -> list[SSAValue]:
    return [emitter.index(emitter.evaluate(expression, tile.offsets)) for expression in access]


def _vector_loops(access: Access, tile: Tile) -> list[list[int]]:
    """For each dimension of an operand the vector loops that move along it."""
    return [[loop for loop, _ in tile.dims if expression.coefficient(loop)] for expression in access]


def _is_plain(access: Access, tile: Tile) -> bool:
    """Whether a transfer can read it: each vector loop moves by 1 along a dimension of its own."""
    moving = _vector_loops(access, tile)
    seen = [loop for loops in moving for loop in loops]
    return len(seen) == len(set(seen)) and all(
        len(loops) <= 1 and all(expression.coefficient(loop) == 1 for loop in loops)
        for loops, expression in zip(moving, access, strict=True)
    )


def _permutation_map(access: Access, tile: Tile) -> AffineMapAttr:
    """The transfer's map: for each vector loop the operand's dimension, or 0 where it repeats."""
    moving = _vector_loops(access, tile)
    results: list[AffineExpr] = []
    for loop, _ in tile.dims:
        dimension = next((i for i, loops in enumerate(moving) if loop in loops), None)
        results.append(AffineConstantExpr(0) if dimension is None else AffineDimExpr(dimension))
    return AffineMapAttr(AffineMap(len(access), 0, tuple(results)))


def _all_in_bounds(rank: int) -> ArrayAttr[BoolAttr]:
    return ArrayAttr([BoolAttr.from_bool(True)] * rank)


def read(emitter: Emitter, source: Source, tile: Tile) -> SSAValue:
    """The elements of an operand for each point of a tile, repeated along loops it does not depend on."""
    operand, access, tile = source.value, source.access, tile.counted_from(emitter, source.origin)
    if not isinstance(operand.type, ShapedType):
        return _repeat_scalar(emitter, operand, tile)
    moving = {loop for loops in _vector_loops(access, tile) for loop in loops}
    if not moving:
        element = emitter.value(tensor.ExtractOp(operand, _indices(emitter, access, tile), _element(operand)))
        return broadcast(emitter, element, tile.shape)
    if _is_plain(access, tile):
        return _transfer_read(emitter, operand, access, tile)
    (loop, size), *rest = tile.dims
    here = Source(operand, access, order=source.order)
    if loop not in moving:
        return broadcast(emitter, read(emitter, here, Tile(tile.offsets, tuple(rest))), tile.shape)
    if not rest:
        return _read_strided(emitter, here, tile)
    rows = [read(emitter, here, tile.inside(emitter, step)) for step in range(size)]
    return _stack(emitter, rows, tile.shape)


def _element(operand: SSAValue) -> Attribute:
    assert isinstance(operand.type, TensorType)
    return operand.type.element_type


def _repeat_scalar(emitter: Emitter, value: SSAValue, tile: Tile) -> SSAValue:
    attribute = constant_attribute(value)
    if attribute is not None:
        return emitter.number(as_array(attribute).item(), value.type, tile.shape)
    return broadcast(emitter, value, tile.shape)


def _transfer_read(emitter: Emitter, operand: SSAValue, access: Access, tile: Tile) -> SSAValue:
    element = _element(operand)
    return emitter.value(
        vector.TransferReadOp(
            operand,
            _indices(emitter, access, tile),
            emitter.number(0, element),
            VectorType(element, list(tile.shape)),
            _all_in_bounds(len(tile.dims)),
            permutation_map=_permutation_map(access, tile),
        )
    )


def _read_strided(emitter: Emitter, source: Source, tile: Tile) -> SSAValue:
    """A row whose elements stand apart: thinned out of contiguous ones, or gathered one by one."""
    operand, access = source.value, source.access
    ((loop, size),) = tile.dims
    stride = access[-1].coefficient(loop)
    alone = all(not expression.coefficient(loop) for expression in access[:-1])
    if alone and 1 < stride <= _LARGEST_SHUFFLED_STRIDE and size > 1:
        return _thinned_out(emitter, source, tile, stride)
    elements = [read(emitter, source, tile.inside(emitter, step)) for step in range(size)]
    return emitter.value(FromElementsOp(elements, VectorType(_element(operand), [size])))


def _thinned_out(emitter: Emitter, source: Source, tile: Tile, stride: int) -> SSAValue:
    """Every second (third, fourth) element of a row: what is read ends with the last one."""
    ((_, size),) = tile.dims
    wanted = [i * stride for i in source.order or range(size)]
    row = VectorType(_element(source.value), [size])
    *leading, first = _indices(emitter, source.access, tile)
    minor = AffineMapAttr(AffineMap(len(source.access), 0, (AffineDimExpr(len(leading)),)))
    padding, bounds = emitter.number(0, row.element_type), _all_in_bounds(1)
    parts: list[tuple[int, SSAValue]] = []
    for start in (min(i * size, max(wanted) + 1 - size) for i in range(stride)):
        at = [*leading, emitter.index(emitter.add(first, start))]
        op = vector.TransferReadOp(source.value, at, padding, row, bounds, permutation_map=minor)
        parts.append((start, emitter.value(op)))
    return thinned_out(emitter, parts, wanted)


def _stack(emitter: Emitter, rows: Sequence[SSAValue], shape: Sequence[int]) -> SSAValue:
    assert isinstance(rows[0].type, VectorType)
    whole = emitter.number(0, rows[0].type.element_type, shape)
    for step, row in enumerate(rows):
        whole = emitter.value(vector.InsertOp(row, whole, [step]))
    return whole


def write(emitter: Emitter, value: SSAValue, destination: SSAValue, access: Access, tile: Tile) -> SSAValue:
    """The destination with a tile's values in place; its access is a permutation of loops."""
    indices = _indices(emitter, access, tile)
    if not tile.dims:
        return emitter.value(tensor.InsertOp(value, destination, indices))
    assert isinstance(destination.type, TensorType)
    return emitter.value(
        vector.TransferWriteOp(
            value,
            destination,
            indices,
            _all_in_bounds(len(tile.dims)),
            permutation_map=_permutation_map(access, tile),
            result_type=destination.type,
        )
    )


def evaluate(
    emitter: Emitter,
    of: Structured,
    arguments: Sequence[SSAValue | None],
    tile: Tile,
    numbers: Collection[SSAValue] = (),
) -> list[SSAValue]:
    """The values a body yields, for all points of a tile at once.

    ``arguments`` are vectors of the tile's shape, one for each block argument that is used; those of
    ``numbers`` are never NaN.
    """
    values: dict[SSAValue, SSAValue] = {
        old: new for old, new in zip(of.body.args, arguments, strict=True) if new is not None
    }

    def mapped(value: SSAValue) -> SSAValue:
        if value not in values:
            values[value] = _repeat_scalar(emitter, value, tile)
        return values[value]

    fused = fused_products(of)
    for op in of.body.ops:
        if isinstance(op, YieldOp):
            return [mapped(value) for value in op.operands]
        if isinstance(op, IndexOp):
            values[op.result] = _positions(emitter, of.names[op.dim.value.data], tile)
        elif isinstance(op, arith.ConstantOp) or op in fused.values():
            continue
        elif op in fused:
            product = fused[op]
            accumulator = op.operands[1 - op.operands.index(product.results[0])]
            lhs, rhs, acc = (mapped(value) for value in (*product.operands, accumulator))
            sum_ = vector.FMAOp(lhs, rhs, acc) if tile.shape else math.FmaOp(lhs, rhs, acc)
            values[op.results[0]] = emitter.value(sum_)
        elif isinstance(op, arith.MaxnumfOp | arith.MinnumfOp) and any(v in numbers for v in op.operands):
            held, term = op.operands if op.operands[0] in numbers else reversed(op.operands)
            values[op.results[0]] = _better(emitter, op, mapped(held), mapped(term))
        else:
            kind = BY_NAME.get(op.name, type(op))
            new = emitter.insert(
                kind.create(
                    operands=[mapped(value) for value in op.operands],
                    result_types=[typed(result.type, tile.shape) for result in op.results],
                    properties=dict(op.properties),
                    attributes=dict(op.attributes),
                )
            )
            values.update(zip(op.results, new.results, strict=True))
    raise AssertionError("a linalg body ends with linalg.yield")


def _better(emitter: Emitter, op: Operation, held: SSAValue, term: SSAValue) -> SSAValue:
    """The greater or lesser of a number and a term that may be NaN: one comparison, one instruction."""
    predicate = "ogt" if isinstance(op, arith.MaxnumfOp) else "olt"
    return emitter.select(emitter.compare(predicate, term, held), term, held)


def _positions(emitter: Emitter, loop: int, tile: Tile) -> SSAValue:
    """The iteration number of a loop at each point of a tile."""
    start = emitter.index(tile.offsets[loop])
    place = tile.position(loop)
    if place is None:
        return broadcast(emitter, start, tile.shape)
    size = tile.shape[place]
    steps = emitter.value(StepOp(size))
    row = emitter.value(arith.AddiOp(steps, broadcast(emitter, start, [size])))
    if place == len(tile.dims) - 1:
        return broadcast(emitter, row, tile.shape)
    elements = [emitter.value(vector.ExtractOp(row, [i], IndexType())) for i in range(size)]
    inner = tile.shape[place + 1 :]
    rows = [broadcast(emitter, element, inner) for element in elements]
    return broadcast(emitter, _stack(emitter, rows, tile.shape[place:]), tile.shape)
