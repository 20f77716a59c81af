"""The reductions of a root inside one of its tiles: loops around one vector step."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
from lamina.lowering.vector._emitter import Emitter, Index
from lamina.lowering.vector._schedule import Schedule
from lamina.lowering.vector._tile import Source, Tile, evaluate, read


@dataclass
class Frame:
    """The block of iterations that tiles are cut from."""

    schedule: Schedule
    sizes: list[int]
    """The iterations of each loop in the block."""
    starts: dict[int, Index]
    """Where the block starts."""

    @classmethod
    def of(cls, root: Structured, schedule: Schedule) -> Frame:
        """All iterations of a root."""
        return cls(schedule, list(root.sizes), dict.fromkeys(root.loops, 0))

    def step(self, loop: int) -> int:
        """The iterations of a loop that one step takes in."""
        return min(self.schedule.tile[loop], self.sizes[loop])

    def tile(self, offsets: Mapping[int, Index], sizes: Mapping[int, int]) -> Tile:
        """The tile at a place; the schedule's vector loop is its innermost dimension."""
        vector = self.schedule.vector
        dims = [(loop, size) for loop, size in sorted(sizes.items()) if size > 1 and loop != vector]
        if sizes.get(vector, 1) > 1 or (dims and vector in sizes):
            dims.append((vector, sizes[vector]))
        return Tile(offsets, tuple(dims))


def fill_of(value: SSAValue) -> FillOp | None:
    """The fill that makes a destination, if one does."""
    if isinstance(value, OpResult) and isinstance(value.op, FillOp):
        return value.op
    return None


def read_input(
    emitter: Emitter, of: Structured, sources: Sequence[Source], number: int, tile: Tile
) -> SSAValue | None:
    """An input at a tile; None where the body does not use it."""
    return read(emitter, sources[number], tile) if number in of.used_inputs() else None


class Reduction:
    """Emits the reductions of a root in a tile of its parallel loops."""

    def __init__(self, emitter: Emitter, root: Structured, sources: Sequence[Source], frame: Frame) -> None:
        self.emitter = emitter
        self.root = root
        self.sources = sources
        self._frame = frame
        self._order = [loop for loop in frame.schedule.order if loop in root.reductions]

    def emit(self, tile: Tile, initial: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """The reduction loops. A tiled one keeps partial results in wider vectors, reduced at the end."""
        root = self.root
        steps = {loop: self._frame.step(loop) for loop in self._order}
        wide = self._frame.tile(tile.offsets, {**dict(tile.dims), **steps})
        added = [i for i, (loop, _) in enumerate(wide.dims) if loop in root.reductions]
        if not added:
            return self._loops(0, tile, {}, initial)
        kinds = [kind for i in range(len(initial)) if (kind := combiner(root, i)) is not None]
        elements = [argument.type for argument in root.body.args[len(root.inputs) :]]
        start = [
            self.emitter.number(self._number_to_start_from(i, kind.neutral), element, wide.shape)
            for i, (kind, element) in enumerate(zip(kinds, elements, strict=True))
        ]
        partial = self._loops(0, wide, {}, start)
        return [
            self.emitter.value(MultiReductionOp(value, held, added, CombiningKindAttr(kind.kind)))
            for value, held, kind in zip(partial, initial, kinds, strict=True)
        ]

    def _loops(
        self, level: int, tile: Tile, fresh: Mapping[int, int], carried: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        """The loops from a level of the reduction order inwards; carries the accumulators.

        The last step of a tiled loop starts early where the tile does not divide its size; ``fresh`` says
        for such loops how many iterations at the end of the step are new, and only those are accumulated.
        """
        if level == len(self._order):
            return self._masked(fresh, tile, carried, self._step(tile, carried))
        loop = self._order[level]
        size, step = self._frame.sizes[loop], self._frame.step(loop)
        rest = size % step

        def inside(at: Index, state: Sequence[SSAValue], new: int = 0) -> Sequence[SSAValue]:
            place = Tile({**tile.offsets, loop: self.emitter.add(self._frame.starts[loop], at)}, tile.dims)
            return self._loops(level + 1, place, {**fresh, loop: new} if new else fresh, state)

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
        root = self.root
        loop = contracted_loop(root, tile)
        if loop is not None:
            return [contract(self.emitter, self.sources, accumulators[0], tile, loop)]
        inputs = [read_input(self.emitter, root, self.sources, i, tile) for i in range(len(root.inputs))]
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
        found = combiner(self.root, result)
        filled = fill_of(self.root.outputs[result])
        kinds = (CombiningKindFlag.MAXNUMF, CombiningKindFlag.MINNUMF)
        added = self._frame.schedule.sums_in_blocks(self.root.reductions)
        if found is None or found.kind not in kinds or filled is None or added:
            return None
        attribute = constant_attribute(filled.inputs[0])
        value = math.nan if attribute is None else float(as_array(attribute).item())
        return None if math.isnan(value) else value
