"""The loop nest of a group: parallel tiles around reductions around one vector step."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import VectorType, i1
from xdsl.dialects.linalg.ops import FillOp
from xdsl.dialects.vector import CombiningKindAttr, CombiningKindFlag
from xdsl.ir import OpResult, SSAValue

from lamina.dialects.core.constants import as_array, constant_attr, constant_attribute
from lamina.dialects.vector.contraction import MultiReductionOp
from lamina.lowering.vector._access import Structured
from lamina.lowering.vector._combiner import combiner
from lamina.lowering.vector._contraction import contract, contracted_loop
from lamina.lowering.vector._cost import FUNCTION_WEIGHT, arithmetic_of
from lamina.lowering.vector._emitter import Body, Emitter, Index
from lamina.lowering.vector._groups import Group
from lamina.lowering.vector._packing import (
    Packing,
    Unpacking,
    block_packing_of,
    packing_of,
    unpacking_of,
)
from lamina.lowering.vector._schedule import Schedule, segments
from lamina.lowering.vector._strided import cheap_order, put_back
from lamina.lowering.vector._tile import Source, Tile, cut, evaluate, read, write
from lamina.lowering.vector._winograd import transform_of, transformed


def fill_of(value: SSAValue) -> FillOp | None:
    """The fill that makes a destination, if one does."""
    if isinstance(value, OpResult) and isinstance(value.op, FillOp):
        return value.op
    return None


def destination(of: Structured, result: int) -> SSAValue:
    """The tensor a result is written into, looking through a fill."""
    outs = of.outputs[result]
    filled = fill_of(outs)
    return outs if filled is None else filled.outputs[0]


class Nest:
    """Emits the tiles of a group under a schedule."""

    def __init__(self, emitter: Emitter, group: Group, schedule: Schedule) -> None:
        self.emitter = emitter
        self.group = group
        self.schedule = schedule
        self.live = group.live_results()
        root = group.root
        self._outer_order = [loop for loop in schedule.order if loop not in root.reductions]
        self._reduction_order = [loop for loop in schedule.order if loop in root.reductions]
        self._is_summed_in_blocks = any(loop in root.reductions for loop in schedule.blocks)
        self._sizes = list(root.sizes)
        """The iterations of each loop in the block that is emitted."""
        self._start: dict[int, Index] = dict.fromkeys(root.loops, 0)
        """Where the block starts."""
        self._may_overlap = not any(self._reads_destination(member) for member in group.members)
        """Whether a tile may be computed twice: the last one then starts early instead of being smaller."""
        self._packing: Packing | None = None
        self._block_packing = block_packing_of(root, schedule)
        if schedule.pack is not None and not schedule.blocks:
            self._packing = packing_of(root, schedule.pack, schedule.tile, schedule.order)
        found = [
            unpacking_of(group.root, i, schedule.tile, schedule.order) for i in range(len(group.root.inputs))
        ]
        self._unpackings: list[Unpacking] = [unpacking for unpacking in found if unpacking is not None]
        as_they_lie = (
            self._may_overlap and schedule.pack is None and not self._unpackings and not schedule.blocks
        )
        self._order = cheap_order(root, schedule) if as_they_lie else ()
        """The order of the lanes in which the root is reduced."""
        self._sources = {member.op: self._sources_of(member) for member in group.members}
        self._padded = {u.loop for u in self._unpackings if group.root.sizes[u.loop] % u.tile}
        """Loops whose last tile is read whole, and only written in part."""
        self._transform = transform_of(root.op)
        self._apart = self._padded if self._transform is None else self._transform.ragged_loops()
        """Loops whose last tile is another than those before, with code of its own."""

    def _sources_of(self, of: Structured) -> list[Source]:
        order = self._order if of is self.group.root else ()
        return [
            Source(value, access, order=order)
            for value, access in zip(of.inputs, of.input_accesses, strict=True)
        ]

    def emit(self) -> Sequence[SSAValue]:
        """The new values of the group's live results."""
        added = self._is_summed_in_blocks
        carried = [member.outputs[i] if added else destination(member, i) for member, i in self.live]
        packing = self._packing or self._block_packing
        if packing is not None:
            carried.append(packing.scratch(self.emitter, self.group.root))
        return self._blocks(0, carried)[: len(self.live)]

    def _blocks(self, level: int, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """The loops over blocks from a level inwards, and the tiles in them."""
        if level == len(self.schedule.blocks):
            return self._block(carried)
        loop = self.schedule.blocks[level]
        whole, size = self._sizes[loop], self.schedule.block_sizes[level]

        def inside(step: int) -> Body:
            def body(at: Index, state: Sequence[SSAValue]) -> Sequence[SSAValue]:
                self._sizes[loop], self._start[loop] = step, at
                return self._blocks(level + 1, state)

            return body

        parallel = loop not in self.group.root.reductions
        for start, stop, step in segments(whole, size, halve=False):
            carried = self.emitter.loop(start, stop, step, carried, inside(step), parallel=parallel)
        self._sizes[loop], self._start[loop] = whole, 0
        return carried

    def _block(self, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """The tiles of a block, on an operand that is packed for all of them."""
        packing = self._block_packing
        if packing is None:
            return self._tiles(0, {}, {}, carried)
        *destinations, scratch = carried
        sources = self._sources[self.group.root.op]
        whole = sources[packing.operand]
        self._packed = packing.emit(self.emitter, whole, self._start, self._sizes, scratch)
        results = self._tiles(0, {}, {}, destinations)
        sources[packing.operand] = whole
        return [*results, self._packed]

    def _reads_destination(self, of: Structured) -> bool:
        """Whether what is written adds to what the destination holds, and so must be computed once."""
        added = (i for i in range(len(of.outputs)) if of.reads_output(i))
        return any(self._is_summed_in_blocks or fill_of(of.outputs[i]) is None for i in added)

    def _tiles(
        self, level: int, offsets: Mapping[int, Index], sizes: Mapping[int, int], carried: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        """The loops from a level of the outer order inwards.

        They carry the destinations and, down to where it is filled, the tensor an operand is packed into.
        """
        root = self.group.root
        for unpacking in self._unpackings:
            if unpacking.level == level:
                self._sources[root.op][unpacking.operand] = unpacking.emit(self.emitter, root, offsets)
        panels = self._block_packing
        if panels is not None and panels.level == level:
            self._sources[root.op][panels.operand] = panels.panel(
                self.emitter, self._packed, offsets, self._start
            )
        packing = self._packing
        if packing is None or level != packing.level:
            return self._loop(level, offsets, sizes, carried)
        *destinations, scratch = carried
        sources = self._sources[self.group.root.op]
        unpacked = sources[packing.operand]
        sources[packing.operand] = packing.emit(self.emitter, unpacked, offsets, scratch)
        results = self._loop(level, offsets, sizes, destinations)
        packed, sources[packing.operand] = sources[packing.operand].value, unpacked
        return [*results, packed]

    def _loop(
        self, level: int, offsets: Mapping[int, Index], sizes: Mapping[int, int], carried: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        if level == len(self._outer_order):
            whole = {loop: self._tile_of(loop) if loop in self._padded else sizes[loop] for loop in sizes}
            return self._tile(self._vectors(offsets, sizes), self._vectors(offsets, whole), carried)
        loop = self._outer_order[level]
        size, tile = self._sizes[loop], self._tile_of(loop)

        def inside(step: int) -> Body:
            def body(at: Index, state: Sequence[SSAValue]) -> Sequence[SSAValue]:
                place = self.emitter.add(self._start[loop], at)
                return self._tiles(level + 1, {**offsets, loop: place}, {**sizes, loop: step}, state)

            return body

        if loop in self._apart:
            last = (size - 1) // tile * tile
            if last:
                carried = self.emitter.loop(0, last, tile, carried, inside(tile), parallel=True)
            return inside(size - last)(last, carried)
        if not self._may_overlap:
            for start, stop, step in segments(size, tile, halve=loop == self.schedule.vector):
                carried = self.emitter.loop(start, stop, step, carried, inside(step), parallel=True)
            return carried
        if size % tile == 0:
            return self.emitter.loop(0, size, tile, carried, inside(tile), parallel=True)

        def shifted(at: Index, state: Sequence[SSAValue]) -> Sequence[SSAValue]:
            return inside(tile)(self.emitter.at_most(at, size - tile), state)

        return self.emitter.loop(0, size, tile, carried, shifted, parallel=True)

    def _tile_of(self, loop: int) -> int:
        return min(self.schedule.tile[loop], self._sizes[loop])

    def _vectors(self, offsets: Mapping[int, Index], sizes: Mapping[int, int]) -> Tile:
        """The tile at a place; the schedule's vector loop is its innermost dimension."""
        vector = self.schedule.vector
        dims = [(loop, size) for loop, size in sorted(sizes.items()) if size > 1 and loop != vector]
        if sizes.get(vector, 1) > 1 or (dims and vector in sizes):
            dims.append((vector, sizes[vector]))
        return Tile(offsets, tuple(dims))

    def _tile(self, tile: Tile, whole: Tile, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """All members of the group at one tile; the root is computed on a ``whole`` one and cut."""
        root, *epilogue = self.group.members
        values = self._member(root, whole, {}, carried)
        if whole.shape != tile.shape:
            values = {result: cut(self.emitter, value, tile.shape) for result, value in values.items()}
        if len(tile.dims) > 1 and self._is_row_by_row():
            return self._epilogue_by_rows(values[root.op.results[0]], tile, carried)
        return self._finish(epilogue, tile, values, carried)

    def _finish(
        self,
        epilogue: Sequence[Structured],
        tile: Tile,
        values: dict[SSAValue, SSAValue],
        carried: Sequence[SSAValue],
    ) -> Sequence[SSAValue]:
        """The epilogue on the values of the root, and the destinations with the live results in place."""
        for member in epilogue:
            values = values | self._member(member, tile, values, carried)
        return [
            write(self.emitter, values[member.op.results[i]], state, member.output_accesses[i], tile)
            for (member, i), state in zip(self.live, carried, strict=True)
        ]

    def _member(
        self,
        member: Structured,
        tile: Tile,
        values: Mapping[SSAValue, SSAValue],
        carried: Sequence[SSAValue],
    ) -> dict[SSAValue, SSAValue]:
        """The results of one member at a tile."""
        held = [self._initial(member, i, tile, carried) for i in range(len(member.outputs))]
        if self._transform is not None and member is self.group.root:
            results = [transformed(self.emitter, self._transform, tile)]
        elif member.reductions:
            results = self._reduce(tile, [value for value in held if value is not None])
            if self._order:
                results = [put_back(self.emitter, value, self._order) for value in results]
        else:
            inputs = [self._input(member, i, tile, values) for i in range(len(member.inputs))]
            results = evaluate(self.emitter, member, [*inputs, *held], tile)
        return dict(zip(member.op.results, results, strict=True))

    def _is_row_by_row(self) -> bool:
        """Whether the epilogue is long, and the destination can hold the root's values until it runs."""
        root, *epilogue = self.group.members
        if len(self.live) != 1 or not self._may_overlap:
            return False
        last, i = self.live[0]
        alike = last.outputs[i].type == root.outputs[0].type
        same_place = last.output_accesses[i] == root.output_accesses[0]
        return alike and same_place and any(arithmetic_of(member) >= FUNCTION_WEIGHT for member in epilogue)

    def _epilogue_by_rows(
        self, value: SSAValue, tile: Tile, carried: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        """Writes the root's values and runs the epilogue over them in a loop: short code, few registers."""
        root, *epilogue = self.group.members
        access = root.output_accesses[0]
        written = write(self.emitter, value, carried[0], access, tile)
        (loop, size), *rest = tile.dims

        def row(at: Index, state: Sequence[SSAValue]) -> Sequence[SSAValue]:
            place = Tile({**tile.offsets, loop: self.emitter.add(tile.offsets[loop], at)}, tuple(rest))
            values: dict[SSAValue, SSAValue] = {
                root.op.results[0]: read(self.emitter, Source(state[0], access), place)
            }
            return self._finish(epilogue, place, values, state)

        return self.emitter.loop(0, size, 1, [written], row)

    def _input(
        self, member: Structured, number: int, tile: Tile, values: Mapping[SSAValue, SSAValue]
    ) -> SSAValue | None:
        operand = member.inputs[number]
        if operand in values:
            return values[operand]
        if number not in member.used_inputs():
            return None
        return read(self.emitter, self._sources[member.op][number], tile)

    def _initial(
        self, member: Structured, result: int, tile: Tile, carried: Sequence[SSAValue]
    ) -> SSAValue | None:
        """What the destination holds before, where the body reads it."""
        if not member.reads_output(result):
            return None
        source = member.outputs[result]
        access = member.output_accesses[result]
        filled = fill_of(source)
        if filled is not None and not self._is_summed_in_blocks:
            return read(self.emitter, Source(filled.inputs[0]), tile)
        for (other, i), state in zip(self.live, carried, strict=True):
            if other is member and i == result:
                source = state
        return read(self.emitter, Source(source, access), tile)

    def _reduce(self, tile: Tile, initial: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """The reduction loops. A tiled one keeps partial results in wider vectors, reduced at the end."""
        root = self.group.root
        steps = {loop: self._tile_of(loop) for loop in self._reduction_order}
        wide = self._vectors(tile.offsets, {**dict(tile.dims), **steps})
        added = [i for i, (loop, _) in enumerate(wide.dims) if loop in root.reductions]
        if not added:
            return self._reduction_loops(0, tile, {}, initial)
        kinds = [kind for i in range(len(initial)) if (kind := combiner(root, i)) is not None]
        elements = [argument.type for argument in root.body.args[len(root.inputs) :]]
        start = [
            self.emitter.number(self._number_to_start_from(i, kind.neutral), element, wide.shape)
            for i, (kind, element) in enumerate(zip(kinds, elements, strict=True))
        ]
        partial = self._reduction_loops(0, wide, {}, start)
        return [
            self.emitter.value(MultiReductionOp(value, held, added, CombiningKindAttr(kind.kind)))
            for value, held, kind in zip(partial, initial, kinds, strict=True)
        ]

    def _reduction_loops(
        self, level: int, tile: Tile, fresh: Mapping[int, int], carried: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        """The loops from a level of the reduction order inwards; carries the accumulators.

        The last step of a tiled loop starts early where the tile does not divide its size; ``fresh`` says
        for such loops how many iterations at the end of the step are new, and only those are accumulated.
        """
        if level == len(self._reduction_order):
            return self._masked(fresh, tile, carried, self._step(tile, carried))
        loop = self._reduction_order[level]
        size, step = self._sizes[loop], self._tile_of(loop)
        rest = size % step

        def inside(at: Index, state: Sequence[SSAValue], new: int = 0) -> Sequence[SSAValue]:
            place = Tile({**tile.offsets, loop: self.emitter.add(self._start[loop], at)}, tile.dims)
            return self._reduction_loops(level + 1, place, {**fresh, loop: new} if new else fresh, state)

        carried = self.emitter.loop(0, size - rest, step, carried, inside)
        return inside(size - step, carried, rest) if rest else carried

    def _masked(
        self, fresh: Mapping[int, int], tile: Tile, before: Sequence[SSAValue], after: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        """The accumulators after a step, where its iterations are new; as before elsewhere."""
        if not fresh:
            return after
        chosen = np.ones(tile.shape, np.bool_)
        for place, (loop, size) in enumerate(tile.dims):
            if loop in fresh:
                is_new = np.arange(size) >= size - fresh[loop]
                chosen &= is_new.reshape([-1 if i == place else 1 for i in range(len(tile.dims))])
        mask = self.emitter.constant(constant_attr(chosen, VectorType(i1, list(tile.shape))))
        return [self.emitter.select(mask, new, old) for new, old in zip(after, before, strict=True)]

    def _step(self, tile: Tile, accumulators: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """The body of the root once, on accumulators of the tile's shape."""
        root = self.group.root
        loop = contracted_loop(root, tile)
        if loop is not None:
            return [contract(self.emitter, self._sources[root.op], accumulators[0], tile, loop)]
        inputs = [self._input(root, i, tile, {}) for i in range(len(root.inputs))]
        held = root.body.args[len(root.inputs) :]
        numbers = [argument for i, argument in enumerate(held) if self._extreme_of_numbers(i) is not None]
        return evaluate(self.emitter, root, [*inputs, *accumulators], tile, numbers)

    def _number_to_start_from(self, result: int, neutral: float | int) -> float | int:
        """What partial results start from: an extreme, from a number where there is one."""
        number = self._extreme_of_numbers(result)
        return neutral if number is None else number

    def _extreme_of_numbers(self, result: int) -> float | None:
        """The number from which a result that leaves NaN out starts; None for other results. What it starts
        from may be taken in any number of times, and no NaN is ever held."""
        found = combiner(self.group.root, result)
        filled = fill_of(self.group.root.outputs[result])
        kinds = (CombiningKindFlag.MAXNUMF, CombiningKindFlag.MINNUMF)
        if found is None or found.kind not in kinds or filled is None or self._is_summed_in_blocks:
            return None
        attribute = constant_attribute(filled.inputs[0])
        value = math.nan if attribute is None else float(as_array(attribute).item())
        return None if math.isnan(value) else value
