"""Operands in tiles: copied into contiguous memory once for many tiles, or given so (`linalg.unpack`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, TensorType, i64
from xdsl.ir import Operation, SSAValue

from lamina.dialects.linalg.packing import UnPackOp
from lamina.lowering.vector._access import Access, Linear, Structured
from lamina.lowering.vector._emitter import Emitter, Index
from lamina.lowering.vector._schedule import Schedule
from lamina.lowering.vector._tile import Source, Tile, read, write


@dataclass(frozen=True)
class Packing:
    """One operand of a root, packed inside the loops that it depends on and outside of the others."""

    operand: int
    level: int
    """The number of parallel loops, from the outermost, inside of which the packing stands."""
    rows: tuple[tuple[int, int], ...]
    """Reduction loops with their sizes: the leading dimensions of the packed tensor."""
    tile: tuple[tuple[int, int], ...]
    """Tiled parallel loops with the sizes of a tile: the trailing dimensions."""

    def scratch(self, emitter: Emitter, of: Structured) -> SSAValue:
        """The tensor that packed parts are written into."""
        kind = of.inputs[self.operand].type
        assert isinstance(kind, TensorType)
        shape = [size for _, size in (*self.rows, *self.tile)]
        return emitter.value(tensor.EmptyOp([], TensorType(kind.element_type, shape)))

    def emit(
        self, emitter: Emitter, source: Source, offsets: Mapping[int, Index], scratch: SSAValue
    ) -> Source:
        """Copy the part at the given position of the parallel loops; returns what to read instead."""
        access: Access = tuple(Linear(0, ((loop, 1),)) for loop, _ in (*self.rows, *self.tile))
        origin: dict[int, Index | None] = {loop: None for loop, _ in self.tile}

        def copy(level: int, at: Mapping[int, Index], state: Sequence[SSAValue]) -> Sequence[SSAValue]:
            if level == len(self.rows):
                place = Tile(at, self.tile)
                value = read(emitter, source, place)
                return [write(emitter, value, state[0], access, place.counted_from(emitter, origin))]
            loop, size = self.rows[level]
            return emitter.loop(
                0, size, 1, state, lambda here, inner: copy(level + 1, {**at, loop: here}, inner)
            )

        (packed,) = copy(0, offsets, [scratch])
        return Source(packed, access, origin)


@dataclass(frozen=True)
class BlockPacking:
    """One operand of a root whose part for a block is packed, all tiles of a loop one behind the other."""

    operand: int
    level: int
    """The number of parallel loops, from the outermost, inside of which one tile is read."""
    rows: tuple[tuple[int, int], ...]
    """Reduction loops with the sizes of a block."""
    loop: int
    tile: int
    count: int
    """Tiles of a whole block."""

    def scratch(self, emitter: Emitter, of: Structured) -> SSAValue:
        """The tensor that packed parts are written into."""
        kind = of.inputs[self.operand].type
        assert isinstance(kind, TensorType)
        shape = [self.count, *(size for _, size in self.rows), self.tile]
        return emitter.value(tensor.EmptyOp([], TensorType(kind.element_type, shape)))

    def emit(
        self,
        emitter: Emitter,
        source: Source,
        start: Mapping[int, Index],
        sizes: Sequence[int],
        scratch: SSAValue,
    ) -> SSAValue:
        """Copy the block that starts at the given position of the loops, row by row."""
        number = -1
        access: Access = tuple(Linear(0, ((d, 1),)) for d in (number, *(d for d, _ in self.rows), self.loop))

        def copy(level: int, at: Mapping[int, Index], state: Sequence[SSAValue]) -> Sequence[SSAValue]:
            if level == len(self.rows):
                return emitter.loop(
                    0, sizes[self.loop] // self.tile, 1, state, lambda here, inner: one(here, at, inner)
                )
            loop, _ = self.rows[level]
            return emitter.loop(
                0, sizes[loop], 1, state, lambda here, inner: copy(level + 1, {**at, loop: here}, inner)
            )

        def one(panel: Index, at: Mapping[int, Index], state: Sequence[SSAValue]) -> Sequence[SSAValue]:
            column = emitter.add(start[self.loop], emitter.scale(panel, self.tile))
            there = {d: emitter.add(start[d], place) for d, place in at.items()}
            dims = ((self.loop, self.tile),)
            value = read(emitter, source, Tile({**there, self.loop: column}, dims))
            here = Tile({**at, self.loop: 0, number: panel}, dims)
            return [write(emitter, value, state[0], access, here)]

        return copy(0, {}, [scratch])[0]

    def panel(
        self, emitter: Emitter, packed: SSAValue, offsets: Mapping[int, Index], start: Mapping[int, Index]
    ) -> Source:
        """The tile of the packed block where the loop stands."""
        number = emitter.divide(emitter.subtract(offsets[self.loop], start[self.loop]), self.tile)
        access: Access = tuple(Linear(0, ((d, 1),)) for d in (*(d for d, _ in self.rows), self.loop))
        origin: dict[int, Index | None] = {d: start[d] for d, _ in self.rows}
        return Source(slice_of(emitter, packed, 0, number), access, {**origin, self.loop: None})


@dataclass(frozen=True)
class Unpacking:
    """An operand that is given packed: inside a parallel loop its tile is a slice."""

    operand: int
    level: int
    """The number of parallel loops, from the outermost, inside of which the tile is fixed."""
    loop: int
    tile: int

    def emit(self, emitter: Emitter, of: Structured, offsets: Mapping[int, Index]) -> Source:
        """The slice for the given position of the loop."""
        unpack = of.inputs[self.operand].owner
        assert isinstance(unpack, UnPackOp)
        (position,), _, order = unpack.layout()
        number = emitter.divide(offsets[self.loop], self.tile)
        held = slice_of(emitter, unpack.source, order.index(position), number)
        accesses = of.input_accesses[self.operand]
        access: Access = (*(accesses[d] for d in order if d != position), Linear(0, ((self.loop, 1),)))
        return Source(held, access, {self.loop: None})


def slice_of(emitter: Emitter, value: SSAValue, dimension: int, number: Index) -> SSAValue:
    """A tensor at one position of a dimension, without that dimension."""
    kind = value.type
    assert isinstance(kind, TensorType)
    sizes = list(kind.get_shape())
    kept = [size for place, size in enumerate(sizes) if place != dimension]
    sizes[dimension] = 1
    static = [0] * len(sizes)
    static[dimension] = number if isinstance(number, int) else DYNAMIC_INDEX
    numbers = {"static_offsets": static, "static_sizes": sizes, "static_strides": [1] * len(sizes)}
    return emitter.value(
        tensor.ExtractSliceOp.build(
            operands=[value, [] if isinstance(number, int) else [number], [], []],
            result_types=[TensorType(kind.element_type, kept)],
            properties={name: DenseArrayBase.from_list(i64, list(n)) for name, n in numbers.items()},
        )
    )


def unpacking_of(of: Structured, operand: int, tile: Sequence[int], order: Sequence[int]) -> Unpacking | None:
    """How to read an operand that a `linalg.unpack` makes; None where its tiles are others."""
    unpack = of.inputs[operand].owner
    if not isinstance(unpack, UnPackOp):
        return None
    positions, tiles, _ = unpack.layout()
    if len(positions) != 1:
        return None
    loop = of.input_accesses[operand][positions[0]].is_loop()
    if loop is None or loop in of.reductions or tile[loop] != tiles[0]:
        return None
    parallel = [d for d in order if d not in of.reductions]
    return Unpacking(operand, parallel.index(loop) + 1, loop, tiles[0])


def is_packed(value: SSAValue) -> bool:
    """Whether an operand is given packed."""
    return isinstance(value.owner, Operation) and isinstance(value.owner, UnPackOp)


def packing_of(of: Structured, operand: int, tile: Sequence[int], order: Sequence[int]) -> Packing | None:
    """How to pack an operand; None where its dimensions are no loops, or no loop inside reads it again."""
    varying = [expression for expression in of.input_accesses[operand] if expression.coefficients]
    known = [loop for expression in varying if (loop := expression.is_loop()) is not None]
    parallel = [loop for loop in order if loop not in of.reductions]
    fixed = [i for i, loop in enumerate(parallel) if loop in known]
    level = max(fixed, default=-1) + 1
    again = [loop for loop in parallel[level:] if of.sizes[loop] > tile[loop]]
    if len(known) != len(varying) or not again:
        return None
    rows = tuple((loop, of.sizes[loop]) for loop in order if loop in known and loop in of.reductions)
    sizes = {loop: min(tile[loop], of.sizes[loop]) for loop in known if loop not in of.reductions}
    dims = tuple((loop, sizes[loop]) for loop in known if sizes.get(loop, 1) > 1)
    return Packing(operand, level, rows, dims) if rows and dims else None


def block_packing_of(of: Structured, schedule: Schedule) -> BlockPacking | None:
    """How to pack an operand for a block: one vector loop in whole tiles, and reductions."""
    if schedule.pack is None or not schedule.blocks:
        return None
    access, vector = of.input_accesses[schedule.pack], schedule.vector
    known = [loop for expression in access if (loop := expression.is_loop()) is not None]
    block = dict(zip(schedule.blocks, schedule.block_sizes, strict=True))
    sizes = {loop: min(block.get(loop, of.sizes[loop]), of.sizes[loop]) for loop in known}
    tile = schedule.tile[vector]
    is_whole = vector in sizes and sizes[vector] % tile == 0 and of.sizes[vector] % tile == 0
    if len(known) != len(access) or vector in of.reductions or not is_whole:
        return None
    rows = tuple((loop, sizes[loop]) for loop in schedule.order if loop in known and loop in of.reductions)
    if not rows or len(rows) + 1 != len(known):
        return None
    parallel = [loop for loop in schedule.order if loop not in of.reductions]
    return BlockPacking(schedule.pack, parallel.index(vector) + 1, rows, vector, tile, sizes[vector] // tile)
