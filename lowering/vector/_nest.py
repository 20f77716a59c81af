"""The loop nest of a group: parallel tiles around reductions around one vector step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import SSAValue

from lamina.lowering.vector._access import Structured
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
from lamina.lowering.vector._reduction import Frame, Reduction, fill_of, read_input
from lamina.lowering.vector._schedule import Schedule, segments
from lamina.lowering.vector._strided import cheap_order, put_back
from lamina.lowering.vector._tile import Source, Tile, cut, evaluate, read, write
from lamina.lowering.vector._winograd import transform_of, transformed


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
        self._is_summed_in_blocks = schedule.sums_in_blocks(root.reductions)
        self._frame = Frame.of(root, schedule)
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
        whole, size = self._frame.sizes[loop], self.schedule.block_sizes[level]

        def inside(step: int) -> Body:
            def body(at: Index, state: Sequence[SSAValue]) -> Sequence[SSAValue]:
                self._frame.sizes[loop], self._frame.starts[loop] = step, at
                return self._blocks(level + 1, state)

            return body

        parallel = loop not in self.group.root.reductions
        for start, stop, step in segments(whole, size, halve=False):
            carried = self.emitter.loop(start, stop, step, carried, inside(step), parallel=parallel)
        self._frame.sizes[loop], self._frame.starts[loop] = whole, 0
        return carried

    def _block(self, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """The tiles of a block, on an operand that is packed for all of them."""
        packing = self._block_packing
        if packing is None:
            return self._tiles(0, {}, {}, carried)
        *destinations, scratch = carried
        sources = self._sources[self.group.root.op]
        whole = sources[packing.operand]
        self._packed = packing.emit(self.emitter, whole, self._frame.starts, self._frame.sizes, scratch)
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
                self.emitter, self._packed, offsets, self._frame.starts
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
            whole = {loop: self._frame.step(loop) if loop in self._padded else sizes[loop] for loop in sizes}
            return self._tile(self._frame.tile(offsets, sizes), self._frame.tile(offsets, whole), carried)
        loop = self._outer_order[level]
        size, tile = self._frame.sizes[loop], self._frame.step(loop)

        def inside(step: int) -> Body:
            def body(at: Index, state: Sequence[SSAValue]) -> Sequence[SSAValue]:
                place = self.emitter.add(self._frame.starts[loop], at)
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
            reduction = Reduction(self.emitter, member, self._sources[member.op], self._frame)
            results = reduction.emit(tile, [value for value in held if value is not None])
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
        return read_input(self.emitter, member, self._sources[member.op], number, tile)

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
