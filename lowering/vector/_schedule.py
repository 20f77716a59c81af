"""The ``lamina.schedule`` attribute: how a root's loops become tiles."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import I64, DenseArrayBase, DictionaryAttr, IntegerAttr, i64
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from lamina.dialects.core.diagnostics import error

ATTRIBUTE = "lamina.schedule"


@dataclass(frozen=True)
class Schedule:
    """Decisions for one root, by number of loop."""

    tile: tuple[int, ...]
    """Iterations that one step computes as a vector dimension; 1 for a plain loop."""
    order: tuple[int, ...]
    """All loops, outermost first. Reduction loops run inside the parallel ones."""
    vector: int
    """The loop that becomes the innermost vector dimension."""
    pack: int | None = None
    """An input whose part for one tile is copied to contiguous memory before the loops that reuse it."""
    blocks: tuple[int, ...] = ()
    """Loops that run in blocks, outside of all tiles, outermost first: all tiles inside find their part of
    the inputs in a cache. A block of a reduction adds to what the destination holds."""
    block_sizes: tuple[int, ...] = ()
    """The iterations of a block for each of ``blocks``."""

    def sums_in_blocks(self, reductions: Collection[int]) -> bool:
        """Whether sums grow from block to block, and so start from what the destination holds."""
        return not set(self.blocks).isdisjoint(reductions)

    def attribute(self) -> DictionaryAttr:
        """The schedule as it stands on the root."""
        entries: dict[str, Attribute] = {
            "tile": DenseArrayBase.from_list(i64, list(self.tile)),
            "order": DenseArrayBase.from_list(i64, list(self.order)),
            "vector": IntegerAttr(self.vector, i64),
        }
        if self.pack is not None:
            entries["pack"] = IntegerAttr(self.pack, i64)
        if self.blocks:
            entries["blocks"] = DenseArrayBase.from_list(i64, list(self.blocks))
            entries["block_sizes"] = DenseArrayBase.from_list(i64, list(self.block_sizes))
        return DictionaryAttr(entries)


def schedule_of(op: Operation) -> Schedule | None:
    """The schedule that an operation carries; one that cannot be read is a :class:`LaminaError`."""
    attribute = op.attributes.get(ATTRIBUTE)
    if attribute is None:
        return None
    entries = attribute.data if isinstance(attribute, DictionaryAttr) else {}
    tile, order, vector, pack = (entries.get(name) for name in ("tile", "order", "vector", "pack"))
    if (
        not isa(tile, DenseArrayBase[I64])
        or not isa(order, DenseArrayBase[I64])
        or not isa(vector, IntegerAttr)
    ):
        raise error(
            f"has a {ATTRIBUTE} that is none",
            op,
            hint="write {tile = array<i64: …>, order = array<i64: …>, vector = N : i64}",
        )
    packed = pack.value.data if isinstance(pack, IntegerAttr) else None
    blocks, block_sizes = (_numbers(entries.get(name)) for name in ("blocks", "block_sizes"))
    found = Schedule(tile.get_values(), order.get_values(), vector.value.data, packed, blocks, block_sizes)
    loops = list(range(len(found.tile)))
    if sorted(found.order) != loops or found.vector not in loops or any(size < 1 for size in found.tile):
        raise error(f"has a {ATTRIBUTE} whose order, tile and vector do not fit together", op)
    if (
        len(blocks) != len(block_sizes)
        or len({*blocks} & {*loops}) != len(blocks)
        or min(block_sizes, default=1) < 1
    ):
        raise error(f"has a {ATTRIBUTE} whose blocks and block_sizes do not fit together", op)
    return found


def _numbers(attribute: Attribute | None) -> tuple[int, ...]:
    return tuple(attribute.get_values()) if isa(attribute, DenseArrayBase[I64]) else ()


def segments(size: int, tile: int, *, halve: bool) -> Iterator[tuple[int, int, int]]:
    """A loop of ``size`` iterations as counted loops (start, stop, step) whose steps are all full.

    The first takes whole tiles. What remains is one smaller step or, with ``halve``, powers of two.
    """
    start = size // tile * tile
    if start:
        yield 0, start, tile
    while start < size:
        step = 1 << ((size - start).bit_length() - 1) if halve else size - start
        yield start, start + step, step
        start += step
