"""Loops over tiles that begin at lines of memory: a first and a last tile that may overlap others.

A tile that writes something else than it reads, such as a transposition, computes the same elements
whichever place it starts from, as long as the loop's position only moves what it reads and writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects import arith, func, memref, scf, vector
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue, Use
from xdsl.rewriter import InsertPoint

from lamina.lowering.buffers._lines import (
    LINE,
    element_bytes,
    end_of,
    memory_of,
    position,
    stream,
    to_next_line,
    vector_bytes,
)
from lamina.lowering.buffers._parallel_loops import CHUNK
from lamina.lowering.buffers._work import known_index
from lamina.lowering.vector._emitter import Emitter, Index


@dataclass(frozen=True)
class TileLoop:
    """A loop that moves whole lines which it stores into one buffer."""

    op: scf.ForOp
    stores: list[vector.StoreOp]


def tile_loop(stores: list[vector.StoreOp]) -> TileLoop | None:
    """The loop that moves all stores into a buffer along its rows, where it may begin at any element."""
    moved = stores[0].indices[-1]
    owner = moved.owner.parent_op() if isinstance(moved, BlockArgument) else None
    if not isinstance(owner, scf.ForOp) or moved is not owner.body.block.args[0] or owner.iter_args:
        return None
    found = TileLoop(owner, stores)
    if not all(_fills_lines(store, owner) and store.indices[-1] is moved for store in stores):
        return None
    inside = [op for op in owner.body.walk() if not isinstance(op, scf.YieldOp)]
    return found if all(_only_computes(op, stores) for op in inside) and _moves(moved) else None


def _fills_lines(store: vector.StoreOp, loop: scf.ForOp) -> bool:
    """Whether a store writes whole lines, in rows that all begin at the same place of a line."""
    size, (*_, row) = element_bytes(store), memory_of(store).get_shape()
    is_whole = known_index(loop.step) == vector_bytes(store) // size and vector_bytes(store) % LINE == 0
    return is_whole and (len(store.indices) == 1 or row * size % LINE == 0)


def _only_computes(op: Operation, stores: list[vector.StoreOp]) -> bool:
    """Whether an operation may be done twice: it writes nothing but a buffer that nothing reads."""
    match op:
        case scf.ForOp():
            return not op.iter_args
        case vector.StoreOp():
            return op in stores
        case vector.LoadOp() | memref.LoadOp():
            return True
        case _:
            return op.name.partition(".")[0] in ("arith", "math") or op.name in _OF_LANES


_OF_LANES = ("vector.broadcast", "vector.shuffle", "vector.extract", "vector.insert", "vector.bitcast")


def _moves(index: SSAValue) -> bool:
    """Whether an index, or one that is a constant behind it, is only used to address loads and stores."""
    return all(map(_addresses, index.uses))


def _addresses(use: Use) -> bool:
    op = use.operation
    match op:
        case vector.LoadOp() | memref.LoadOp() | vector.StoreOp():
            return True
        case arith.AddiOp():
            return known_index(op.operands[1 - use.index]) is not None and _moves(op.result)
        case _:
            return False


def begin_tiles_at_lines(loop: TileLoop, entry: Block) -> int:
    """Write a loop so that its stores fill lines and pass by the caches; returns the number of stores.

    Where the buffer does not begin at a line, the first and the last tile stay ordinary ones. The chunks of
    a parallel loop all move by as much, so that only the first one and the last one have such a tile.
    """
    op, (store, *_) = loop.op, loop.stores
    emitter = Emitter(InsertPoint.before(op), entry, op.location)
    begin, end, total = position(op.lb), end_of(emitter, op), _end_of_chunks(op)
    ahead = to_next_line(emitter, store, [*[0] * (len(store.indices) - 1), begin])
    last = emitter.index(emitter.subtract(end, position(op.step)))
    has_first = has_last = _compare(emitter, "ne", ahead, 0)
    if total is not None:
        has_first = emitter.value(arith.AndIOp(has_first, _compare(emitter, "eq", begin, 0)))
        has_last = emitter.value(arith.AndIOp(has_last, _compare(emitter, "eq", end, total)))
    behind_first = emitter.select(has_first, emitter.index(emitter.add(begin, 1)), op.lb)
    behind = emitter.select(has_last, emitter.index(emitter.add(last, 1)), behind_first)
    apart = emitter.value(arith.MaxSIOp(emitter.index(emitter.subtract(last, begin)), emitter.index(1)))
    _copy(loop, emitter, (emitter.select(has_first, op.lb, last), behind, apart))
    start, stop = (emitter.index(emitter.add(bound, ahead)) for bound in (begin, end))
    for streaming in _copy(loop, emitter, (start, emitter.select(has_last, last, stop), op.step)):
        stream(streaming)
    op.detach()
    op.erase()
    return len(loop.stores)


def _compare(emitter: Emitter, predicate: str, lhs: Index, rhs: int) -> SSAValue:
    return emitter.value(arith.CmpiOp(emitter.index(lhs), emitter.index(rhs), predicate))


def _end_of_chunks(loop: scf.ForOp) -> int | None:
    """Where all chunks end of a loop that they share; None if it belongs to one chunk."""
    function = loop.parent_op()
    start, bound = loop.lb.owner, loop.ub.owner
    if not isinstance(function, func.FuncOp) or CHUNK not in function.attributes:
        return None
    if not (isinstance(start, arith.MuliOp) and isinstance(bound, arith.MinSIOp)):
        return None
    added, sizes = bound.lhs.owner, (known_index(start.rhs), known_index(bound.rhs), known_index(loop.step))
    if start.lhs is not function.args[0] or not isinstance(added, arith.AddiOp) or added.lhs is not loop.lb:
        return None
    size, end, step = sizes
    if size is None or end is None or step is None or known_index(added.rhs) != size:
        return None
    return end if size % step == 0 and end % step == 0 else None


def _copy(
    loop: TileLoop, emitter: Emitter, bounds: tuple[SSAValue, SSAValue, SSAValue]
) -> Iterator[vector.StoreOp]:
    """The same loop between other bounds; gives its stores."""
    block = Block(arg_types=[IndexType()])
    new = emitter.insert(scf.ForOp(*bounds, [], block))
    new.attributes |= loop.op.attributes
    mapping: dict[SSAValue, SSAValue] = {loop.op.body.block.args[0]: block.args[0]}
    for op in loop.op.body.block.ops:
        block.add_op(op.clone(mapping))
    return (op for op in new.walk() if isinstance(op, vector.StoreOp))
