"""Schedules for a CPU with vector registers and caches, from shapes alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, prod

from xdsl.dialects import func
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation

from lamina.lowering.codegen.target import Target
from lamina.lowering.dispatch._outline import UPDATE
from lamina.lowering.vector._access import Structured
from lamina.lowering.vector._blocking import (
    FAR,
    MOST_ROWS_OF_PACKED,
    STREAMED_ROWS,
    blocks_of,
    columns_of_block,
    streamed_matrix,
)
from lamina.lowering.vector._cost import CostModel, bits_of
from lamina.lowering.vector._groups import form_groups, sums_in_blocks
from lamina.lowering.vector._packing import packing_of
from lamina.lowering.vector._schedule import ATTRIBUTE, Schedule
from lamina.lowering.vector._winograd import transform_of, transform_schedule
from lamina.lowering.vector.pack_constant_operands import is_given_as_constant
from lamina.lowering.vector.vectorize_dispatches import obstacle
from lamina.passes.framework.passes import Pass, PassContext, option

_ROWS = (1, 2, 3, 4, 5, 6, 7, 8, 12, 14)
"""Iterations of a second loop that one step may take in."""
_REGISTERS_OF_ROW = 4
"""For each of so many registers, the sums of one row are held at once where a matrix streams by."""
_PACKED = 0.9
"""What reading again costs where a part is packed, beside reading it along rows that lie apart."""
_REUSE = 4
"""How often a packed part has to be read."""
_LINES = 8
"""The distance of rows, in cache lines, from which on reading them one after the other is slow."""
_PAGES = 64
"""Rows, each on a page of its own, that can be written side by side."""
_BLOCK = (2, 3, 4)
"""Iterations of two further loops, where vectors run along a reduction."""


@dataclass(frozen=True)
class CpuDefaultSchedule(Pass):
    """Put a ``lamina.schedule`` on each root that has a good vector form.

    The schedule says which loop becomes the vector dimension, how many iterations of which loops one step
    computes in registers, and in what order the loops run. It is chosen by an estimate of cycles for the
    given vector width, registers and caches; it can be edited before ``vectorize-dispatches`` follows it.

    ```mlir
    func.func @matmul(%a: tensor<12x8xf32>, %b: tensor<8x32xf32>, %out: tensor<12x32xf32>)
        -> tensor<12x32xf32> {
      %zero = arith.constant 0.0 : f32
      %f = linalg.fill ins(%zero : f32) outs(%out : tensor<12x32xf32>) -> tensor<12x32xf32>
      %m = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x32xf32>)
        outs(%f : tensor<12x32xf32>) -> tensor<12x32xf32>
      return %m : tensor<12x32xf32>
    }
    ```

    ```mlir
    func.func @matmul(%a: tensor<12x8xf32>, %b: tensor<8x32xf32>, %out: tensor<12x32xf32>)
        -> tensor<12x32xf32> {
      %zero = arith.constant 0.000000e+00 : f32
      %f = linalg.fill ins(%zero : f32) outs(%out : tensor<12x32xf32>) -> tensor<12x32xf32>
      %m = linalg.matmul {lamina.schedule = {tile = array<i64: 6, 16, 1>, order = array<i64: 0, 1, 2>,
        vector = 1 : i64}} ins(%a, %b : tensor<12x8xf32>, tensor<8x32xf32>)
        outs(%f : tensor<12x32xf32>) -> tensor<12x32xf32>
      func.return %m : tensor<12x32xf32>
    }
    ```
    """

    name = "cpu-default-schedule"
    anchor = "func.func"
    statistics = {"scheduled": "roots that got a schedule", "unscheduled": "roots without a vector form"}

    vector_bits: int = option(256, "width of a vector register")
    vector_registers: int = option(16, "number of vector registers")
    l1_bytes: int = option(32 << 10, "size of the first-level data cache")
    l2_bytes: int = option(512 << 10, "size of the second-level cache")

    def run(self, op: Operation, ctx: PassContext) -> None:
        assert isinstance(op, func.FuncOp)
        if op.is_declaration:
            return
        target = Target(
            vector_bits=self.vector_bits,
            vector_registers=self.vector_registers,
            l1_bytes=self.l1_bytes,
            l2_bytes=self.l2_bytes,
        )
        scheduled, unscheduled = schedule_function(op, target)
        ctx.count("scheduled", scheduled)
        ctx.count("unscheduled", unscheduled)


def schedule_function(function: func.FuncOp, target: Target) -> tuple[int, int]:
    """Schedule the roots of a function; returns how many got a schedule and how many did not."""
    scheduled = unscheduled = 0
    if UPDATE in function.attributes:  # the last tile may overlap the one before: plain loops do not
        return scheduled, unscheduled
    for block in function.body.blocks:
        groups = form_groups(block)
        number = 0
        while number < len(groups):
            group = groups[number]
            number += 1
            if ATTRIBUTE in group.root.op.attributes:
                continue
            by_rows = len(groups) > 1
            schedule = default_schedule(group.root, target, by_rows=by_rows, alone=not group.epilogue)
            if schedule is None:
                unscheduled += 1
                continue
            group.root.op.attributes[ATTRIBUTE] = schedule.attribute()
            if group.epilogue and sums_in_blocks(group.root):
                # It is left to a group of its own, which comes next.
                groups = form_groups(block)
                group = groups[number - 1]
            if obstacle(group, schedule) is None:
                scheduled += 1
            else:
                del group.root.op.attributes[ATTRIBUTE]
                unscheduled += 1
    return scheduled, unscheduled


def default_schedule(
    root: Structured, target: Target, *, by_rows: bool = False, alone: bool = False
) -> Schedule | None:
    """The cheapest schedule of a root by the cost model; None if no loop can be a vector dimension.

    With ``by_rows``, reductions along vectors take one row at a time: loops over the same rows can then be
    fused (`fuse-parallel-loops`). A root that is ``alone``, without an epilogue, may sum up in blocks.
    """
    if not all(isinstance(value.type, TensorType) for value in root.outputs):
        return None
    model = CostModel(root, target)
    if transform_of(root.op) is not None:
        return transform_schedule(root, model.lanes)
    blocked = _streamed(model) or (_blocked(model) if alone else None)
    if blocked is not None:
        return blocked
    candidates = (
        (tile, vector)
        for vector, tile in _candidates(model)
        if not (by_rows and vector in root.reductions and len(tile) > 1)
    )
    best = min(candidates, key=lambda found: model.total(*found), default=None)
    if best is None:
        return _transposition(root, model.lanes, target)
    tile, vector = best
    sizes = tuple(tile.get(loop, 1) for loop in root.loops)
    if vector in root.reductions:
        return Schedule(sizes, tuple(root.loops), vector, None)
    natural, first = tuple(root.loops), (vector, *(loop for loop in root.loops if loop != vector))
    packed = {order: _packed_input(root, sizes, order, vector, target) for order in (natural, first)}
    order = min(packed, key=lambda o: _traffic(root, tile, o, target) * (1 if packed[o] is None else _PACKED))
    return Schedule(sizes, order, vector, packed[order])


def _candidates(model: CostModel) -> Iterator[tuple[int, dict[int, int]]]:
    """Vector loops, with the tilings of each."""
    for vector in model.root.loops:
        if model.root.sizes[vector] > 1 and model.is_vector_loop(vector):
            yield from ((vector, tile) for tile in _tiles(model, vector))


def _streamed(model: CostModel) -> Schedule | None:
    """A schedule that reads a large matrix as it lies in memory, a few rows side by side."""
    root = model.root
    for vector in root.parallels:
        found = streamed_matrix(root, vector, model.target) if model.is_vector_loop(vector) else None
        if found is None:
            continue
        rows = found.rows
        if rows > MOST_ROWS_OF_PACKED and is_given_as_constant(root.inputs[found.operand]):
            return None
        row = max(root.parallels, key=lambda loop: (loop != vector, root.sizes[loop]))
        # All rows at once, or in two halves or more: their sums stay in registers. More lines of the sums and
        # of the matrix, which may fall on the same places of the cache, would oust each other.
        registers = model.target.vector_registers
        parts = max(2, ceil(2 * rows / max(1, registers - 4)))
        at_once = rows if rows <= registers // _REGISTERS_OF_ROW else ceil(rows / parts)
        width = model.lanes * (2 if at_once > 2 else 4)
        tile = [1] * len(root.sizes)
        tile[vector] = width
        if row != vector:
            tile[row] = at_once
        order = (*dict.fromkeys((row, vector, *root.loops)),)
        blocks = (columns_of_block(root.sizes[vector], width), STREAMED_ROWS)
        return Schedule(tuple(tile), order, vector, None, (vector, found.summed), blocks)
    return None


def _blocked(model: CostModel) -> Schedule | None:
    """A schedule that sums up in blocks; None where that gains nothing.

    Its tiles divide the loops: what is added to a destination must not be computed twice. The vector loop
    is the outermost, so that threads share no part of what they write.
    """
    root = model.root
    blocks = blocks_of(root, model.target)
    candidates = (
        (tile, vector)
        for vector, tile in _candidates(model)
        if root.reductions.isdisjoint(tile) and all(root.sizes[d] % n == 0 for d, n in tile.items())
    )
    best = min(candidates, key=lambda found: model.total(*found), default=None) if blocks else None
    if best is None:
        return None
    tile, vector = best
    parallel = [loop for loop in root.parallels if loop != vector]
    inside = [loop for loop in root.loops if loop in root.reductions and loop not in blocks]
    sizes = tuple(tile.get(loop, 1) for loop in root.loops)
    order = (vector, *parallel, *blocks, *inside)
    return Schedule(sizes, order, vector, None, (vector, *blocks), (sizes[vector], *[1] * len(blocks)))


def _transposition(root: Structured, lanes: int, target: Target) -> Schedule | None:
    """Tiles for an elementwise operation that reads along one loop and writes along another: registers of
    what is read, whole lines of what is written where that is large."""
    if root.reductions or not root.output_accesses or not root.output_accesses[0]:
        return None
    written = root.output_accesses[0][-1].is_loop()
    reading = {root.input_accesses[i][-1].is_loop() for i in root.used_inputs() if root.input_accesses[i]}
    if written is None or len(reading) != 1 or None in reading:
        return None
    read = next(loop for loop in reading if loop is not None)
    if read == written or min(root.sizes[read], root.sizes[written]) < lanes:
        return None
    kind = root.outputs[0].type
    assert isinstance(kind, TensorType)
    bits = bits_of(kind.element_type)
    line = max(lanes, target.line_bytes * 8 // bits)
    size = prod(root.sizes) * bits / 8
    width = line if size > FAR * target.l2_bytes and root.sizes[written] % line == 0 else lanes
    sizes = {read: lanes, written: width}
    # Inside, the loop along the rows that lie further apart: a tile then stays on their pages. But few short
    # rows of something that the cache does not hold are read in one go.
    apart = max(_stride(root, i, written) for i in root.used_inputs())
    at_one_go = size > target.l2_bytes and root.sizes[read] <= _PAGES
    goes_along_written = apart < _stride(root, len(root.inputs), read) and not at_one_go
    last = (read, written) if goes_along_written else (written, read)
    order = (*(loop for loop in root.loops if loop not in sizes), *last)
    return Schedule(tuple(sizes.get(loop, 1) for loop in root.loops), order, written)


def _stride(root: Structured, operand: int, loop: int) -> int:
    """The elements between two iterations of a loop in an operand, inputs first."""
    kind = (*root.inputs, *root.outputs)[operand].type
    shape = kind.get_shape() if isinstance(kind, TensorType) else ()
    steps = [prod(shape[d + 1 :]) for d in range(len(shape))]
    return sum(e.coefficient(loop) * s for e, s in zip(root.accesses[operand], steps, strict=True))


def _tiles(model: CostModel, vector: int) -> Iterator[dict[int, int]]:
    """Tilings that stay in registers: the vector loop, and one other loop or two."""
    root, lanes = model.root, model.lanes
    size = root.sizes[vector]
    widths = [lanes * n for n in (1, 2, 4, 8) if lanes * n <= size] or [1 << (size.bit_length() - 1)]
    for width in widths:
        for tile in _around(model, {vector: width}, vector):
            if model.fits(tile, vector):
                yield tile


def _around(model: CostModel, tile: dict[int, int], vector: int) -> Iterator[dict[int, int]]:
    root = model.root
    others = [loop for loop in root.loops if loop != vector and root.sizes[loop] > 1]
    yield tile
    if not root.reductions:
        return
    # Loops that come later move less memory: they are asked first, and win where costs are equal.
    for loop in reversed(others):
        yield from ({**tile, loop: n} for n in _ROWS if 1 < n <= root.sizes[loop])
    if vector in root.reductions:
        parallel = [loop for loop in others if loop not in root.reductions]
        for i, first in enumerate(parallel):
            for second in parallel[i + 1 :]:
                for n in _BLOCK:
                    for m in _BLOCK:
                        if n <= root.sizes[first] and m <= root.sizes[second]:
                            yield {**tile, first: n, second: m}


def _packed_input(
    root: Structured, tile: tuple[int, ...], order: tuple[int, ...], vector: int, target: Target
) -> int | None:
    """An input worth packing: it is read along its rows in steps of many lines, and many times."""
    for i in root.used_inputs():
        packing = packing_of(root, i, tile, order) if root.reductions else None
        if packing is None or vector not in dict(packing.tile):
            continue
        kind = root.inputs[i].type
        assert isinstance(kind, TensorType)
        row = kind.get_shape()[-1] * bits_of(kind.element_type) / 8
        parallel = [loop for loop in order if loop not in root.reductions]
        reuse = prod(ceil(root.sizes[loop] / tile[loop]) for loop in parallel[packing.level :])
        part = prod(size for _, size in (*packing.rows, *packing.tile)) * bits_of(kind.element_type) / 8
        if reuse >= _REUSE and row >= _LINES * target.line_bytes and part >= target.l1_bytes / 8:
            return i
    return None


def _traffic(root: Structured, tile: dict[int, int], order: Sequence[int], target: Target) -> float:
    """A measure of the bytes that are read again from behind the first-level cache.

    In each iteration of a loop that an input does not depend on, the part that the loops outside have
    left of it is read once more.
    """
    trips = {loop: ceil(root.sizes[loop] / tile.get(loop, 1)) for loop in root.parallels}
    moved = 0.0
    for i in root.used_inputs():
        kind = root.inputs[i].type
        if not isinstance(kind, TensorType):
            continue
        whole = part = prod(kind.get_shape()) * bits_of(kind.element_type) / 8
        passes = 1
        for loop in (loop for loop in order if loop in trips):
            if any(e.coefficient(loop) for e in root.input_accesses[i]):
                part /= trips[loop]
            else:
                moved += whole * passes * (trips[loop] - 1) * _distance(part, target)
                passes *= trips[loop]
    return moved


def _distance(size: float, target: Target) -> int:
    """The relative cost of a byte of something that is read again and again."""
    if size <= target.l1_bytes * 0.75:
        return 0
    return 1 if size <= target.l2_bytes / 2 else 4
