"""Splits loops whose iterations are independent into chunks, each a call of a function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, MemRefType, UnitAttr, i8, i64
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import ConstantLike

from lamina.dialects.core.dtypes import numpy_dtype
from lamina.lowering.buffers._layouts import is_identity
from lamina.lowering.buffers._work import cycles, trip_count

PARALLEL = "lamina.parallel"
"""On a loop: its iterations are independent. On a function: it runs that many independent chunks."""
CHUNK = "lamina.chunk"
"""On a function: it is one chunk of such a region."""
_INDEX = IndexType()
_MOST_CHUNKS = 32
_CHUNK_CYCLES = 60_000
_SCRATCH_BYTES = 8 << 20
_ENOUGH_ITERATIONS = 8
"""From so many iterations on, no loop further inside is better balanced."""


@dataclass(frozen=True)
class Split:
    """How the iterations of a loop are shared out."""

    chunks: int
    iterations: int
    """Iterations of every chunk but the last."""


def parallel_loops(function: func.FuncOp, least_cycles: float) -> list[scf.ForOp]:
    """The loops of a function to split: independent iterations and enough work; never one within another."""
    found: list[scf.ForOp] = []
    for block in function.body.blocks:
        for op in block.ops:
            if isinstance(op, scf.ForOp):
                best = max(_candidates(op, least_cycles), key=_evenness, default=None)
                if best is not None:
                    found.append(best)
    return found


def _candidates(loop: scf.ForOp, least_cycles: float) -> Iterator[scf.ForOp]:
    """The loop and those inside it that may be split, outermost first."""
    if PARALLEL not in loop.attributes or loop.iter_args:
        return
    if cycles(loop) < least_cycles:
        return
    if (trip_count(loop) or 0) > 1 and _scratch_of(loop) is not None:
        yield loop
    for op in loop.body.block.ops:
        if isinstance(op, scf.ForOp):
            yield from _candidates(op, least_cycles)


def _evenness(loop: scf.ForOp) -> int:
    return min(trip_count(loop) or 0, _ENOUGH_ITERATIONS)


def _scratch_of(loop: scf.ForOp) -> list[memref.AllocOp] | None:
    """The buffers that each chunk needs a copy of; None where the loop uses one otherwise."""
    found: dict[memref.AllocOp, None] = {}
    for value in _captured(loop):
        alloc = value.owner
        if not isinstance(alloc, memref.AllocOp):
            continue
        users = {use.operation for use in value.uses}
        inside = {user for user in users if loop.is_ancestor(user)}
        if inside == users:
            kind = cast(MemRefType, value.type)
            if not kind.has_static_shape() or not is_identity(kind):
                return None
            found[alloc] = None
        elif not all(_keeps_apart(user, value, loop) for user in inside):
            return None
    return list(found)


def _keeps_apart(user: Operation, buffer: SSAValue, loop: scf.ForOp) -> bool:
    """Whether an operation in a loop only reads a buffer, or writes where no other iteration does."""
    if user.name in ("vector.transfer_read", "memref.load"):
        return True
    if user.name not in ("vector.transfer_write", "memref.store") or user.operands[1] is not buffer:
        return False
    return any(_depends_on(index, loop.body.block.args[0]) for index in user.operands[2:])


def _depends_on(index: SSAValue, position: SSAValue) -> bool:
    """Whether an index is computed from a loop's position."""
    if index is position:
        return True
    owner = index.owner
    return isinstance(owner, Operation) and any(_depends_on(operand, position) for operand in owner.operands)


def _captured(loop: scf.ForOp) -> list[SSAValue]:
    """The values from outside that the loop uses, in the order of their first use."""
    inner: set[SSAValue] = set()
    used: dict[SSAValue, None] = dict.fromkeys(loop.operands)
    for op in loop.walk():
        inner.update(op.results)
        inner.update(argument for region in op.regions for b in region.blocks for argument in b.args)
        if op is not loop:
            used.update(dict.fromkeys(op.operands))
    return [value for value in used if value not in inner]


def split_of(loop: scf.ForOp, scratch_bytes: int) -> Split:
    """Chunks of at least some work each, whose number does not depend on how many threads there are."""
    trips = trip_count(loop) or 1
    wanted = max(2, int(cycles(loop) / _CHUNK_CYCLES))
    if scratch_bytes:
        wanted = min(wanted, max(2, _SCRATCH_BYTES // scratch_bytes))
    wanted = min(trips, _MOST_CHUNKS, wanted)
    iterations = -(-trips // wanted)
    if _last_starts_early(loop) and iterations < trips:
        # The last iteration writes again what the one before it wrote: both belong to one chunk.
        iterations = max(2, iterations)
        while iterations < trips and (trips - 1) % iterations == 0:
            iterations += 1
    return Split(-(-trips // iterations), iterations)


def _last_starts_early(loop: scf.ForOp) -> bool:
    return any(isinstance(use.operation, arith.MinSIOp) for use in loop.body.block.args[0].uses)


def split_loop(loop: scf.ForOp, name: str) -> tuple[func.FuncOp, func.FuncOp] | None:
    """Replace a loop by a call of a function ``name`` that runs its chunks; returns this function and the
    chunk's. None where the loop is best left whole."""
    scratch = _scratch_of(loop) or []
    sizes = [_bytes(cast(MemRefType, alloc.memref.type)) for alloc in scratch]
    split = split_of(loop, sum(sizes))
    if split.chunks < 2:
        return None
    shelves = [_shelf(alloc, size, split.chunks) for alloc, size in zip(scratch, sizes, strict=True)]
    values = [value for value in _captured(loop) if not _is_constant(value) and value.owner not in scratch]
    passed = [*values, *shelves]
    region = _region_function(loop, name, passed, split.chunks)
    chunk = _chunk_function(
        loop, f"{name}_chunk", values, list(zip(scratch, shelves, sizes, strict=True)), split
    )
    call = func.CallOp(name, passed, [])
    call.location = loop.location
    Rewriter.replace_op(loop, call, [])
    for alloc in scratch:
        _erase_with_deallocations(alloc)
    return region, chunk


def _bytes(kind: MemRefType) -> int:
    size = prod(kind.get_shape()) * numpy_dtype(kind.element_type).itemsize
    return -(-size // 64) * 64


def _is_constant(value: SSAValue) -> bool:
    return isinstance(value.owner, Operation) and value.owner.has_trait(ConstantLike)


def _shelf(alloc: memref.AllocOp, size: int, chunks: int) -> SSAValue:
    """Memory for a copy of a buffer for each chunk."""
    new = memref.AllocOp([], [], MemRefType(i8, [size * chunks]), IntegerAttr(64, 64))
    new.location = alloc.location
    Rewriter.insert_op(new, InsertPoint.before(alloc))
    return new.memref


def _erase_with_deallocations(alloc: memref.AllocOp) -> None:
    for use in list(alloc.memref.uses):
        Rewriter.erase_op(use.operation)
    Rewriter.erase_op(alloc)


def _function(name: str, block: Block, loop: Operation) -> func.FuncOp:
    end = func.ReturnOp()
    block.add_op(end)
    types = [argument.type for argument in block.args]
    function = func.FuncOp(name, (types, []), Region(block), visibility="private")
    for op in (function, end):
        op.location = loop.location
    return function


def _region_function(loop: scf.ForOp, name: str, passed: Sequence[SSAValue], chunks: int) -> func.FuncOp:
    """Runs all chunks, one after the other: any order gives the same."""
    block = Block(arg_types=[value.type for value in passed])
    start, stop, step = (_index_constant(block, number, loop) for number in (0, chunks, 1))
    body = Block(arg_types=[_INDEX])
    call = func.CallOp(f"{name}_chunk", [body.args[0], *block.args], [])
    for op in (call, scf.YieldOp()):
        op.location = loop.location
        body.add_op(op)
    over = scf.ForOp(start, stop, step, [], Region(body))
    over.location = loop.location
    block.add_op(over)
    function = _function(name, block, loop)
    function.attributes[PARALLEL] = IntegerAttr(chunks, i64)
    return function


def _index_constant(block: Block, value: int, at: Operation) -> SSAValue:
    op = arith.ConstantOp(IntegerAttr(value, _INDEX))
    op.location = at.location
    op.result.name_hint = f"c{value}"
    block.add_op(op)
    return op.result


Scratch = tuple[memref.AllocOp, SSAValue, int]
"""A buffer that each chunk has its own of, the memory for all of them, and the bytes of one."""


def _chunk_function(
    loop: scf.ForOp, name: str, values: Sequence[SSAValue], scratch: Sequence[Scratch], split: Split
) -> func.FuncOp:
    """The iterations of one chunk."""
    block = Block(arg_types=[_INDEX, *(v.type for v in values), *(shelf.type for _, shelf, _ in scratch)])
    chunk = block.args[0]
    mapping: dict[SSAValue, SSAValue] = dict(zip(values, block.args[1:], strict=False))
    for outer, argument in mapping.items():
        argument.name_hint = outer.name_hint
    for value in _captured(loop):
        if _is_constant(value):
            block.add_op(cast(Operation, value.owner).clone(mapping))
    shelves = block.args[1 + len(values) :]
    for (alloc, _, size), shelf in zip(scratch, shelves, strict=True):
        mapping[alloc.memref] = _place(block, alloc, shelf, chunk, size)
    first, last = _bounds(block, loop, mapping, chunk, split)
    new = scf.ForOp(first, last, mapping[loop.step], [], loop.detach_region(loop.body))
    new.location = loop.location
    for op in new.body.walk():
        for number, operand in enumerate(op.operands):
            if operand in mapping:
                op.operands[number] = mapping[operand]
    block.add_op(new)
    function = _function(name, block, loop)
    function.attributes[CHUNK] = UnitAttr()
    return function


def _place(block: Block, alloc: memref.AllocOp, shelf: SSAValue, chunk: BlockArgument, size: int) -> SSAValue:
    """The chunk's copy of a buffer."""
    offset = arith.MuliOp(chunk, _index_constant(block, size, alloc))
    view = memref.ViewOp(shelf, offset.result, [], cast(MemRefType, alloc.memref.type))
    for op in (offset, view):
        op.location = alloc.location
        block.add_op(op)
    view.result.name_hint = alloc.memref.name_hint
    return view.result


def _bounds(
    block: Block, loop: scf.ForOp, mapping: dict[SSAValue, SSAValue], chunk: BlockArgument, split: Split
) -> tuple[SSAValue, SSAValue]:
    """Where a chunk begins, and where it ends: where the next begins, or at the loop's end."""
    size = _index_constant(block, split.iterations * _number(loop.step), loop)
    skipped = arith.MuliOp(chunk, size)
    first = arith.AddiOp(skipped, mapping[loop.lb])
    after = arith.AddiOp(first, size)
    last = arith.MinSIOp(after, mapping[loop.ub])
    for op in (skipped, first, after, last):
        op.location = loop.location
        block.add_op(op)
    return first.result, last.result


def _number(value: SSAValue) -> int:
    op = value.owner
    assert isinstance(op, arith.ConstantOp)
    return cast(IntegerAttr[IntegerType], op.value).value.data
