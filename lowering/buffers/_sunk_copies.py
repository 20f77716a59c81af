"""Fills and copies that prepare a buffer for a loop, done by each iteration for the slice that it reads.

A padded image is read channel by channel, say. Padded in the iteration that reads it, a channel is still in
the cache, and the buffer needs to hold no more than one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerAttr, MemRefType
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.core.slices import mixed
from lamina.lowering.buffers._layouts import is_identity, slice_type
from lamina.lowering.buffers._row_accesses import RowAccess, accesses_of, may_be_same, use_row


@dataclass(frozen=True)
class _Part:
    """A fill of a part of the buffer, or a copy into it."""

    op: FillOp | memref.CopyOp
    offsets: list[int]
    sizes: list[int]


def sink_copies(alloc: memref.AllocOp, loop: scf.ForOp) -> bool:
    """Let a loop prepare one slice of a buffer in each iteration; the buffer keeps one.

    All that happens to the buffer are fills and copies in front of the loop, and accesses in the loop to the
    slice that its index selects.
    """
    kind = cast(MemRefType, alloc.memref.type)
    accesses = accesses_of(loop)
    if accesses is None or not is_identity(kind) or not kind.has_static_shape():
        return False
    inside = [a for a in accesses if a.buffer is alloc.memref]
    row = inside[0].row if inside else None
    if row is None or kind.get_shape()[row] == 1 or any(a.row != row or a.writes for a in inside):
        return False
    parts = _parts(alloc, loop, row, len(inside))
    if not parts or any(_is_written_elsewhere(part, row, accesses) for part in parts):
        return False
    _Sinking(alloc, loop, row).run(parts, inside)
    return True


def _parts(alloc: memref.AllocOp, loop: scf.ForOp, row: int, inside: int) -> list[_Part]:
    """What prepares the buffer, in order; empty where anything else happens to it."""
    shape = list(cast(MemRefType, alloc.memref.type).get_shape())
    found: list[_Part] = []
    users = 0
    current = alloc.next_op
    while current is not None and current is not loop:
        if isinstance(current, memref.SubviewOp) and current.source is alloc.memref:
            users += 1
            box = _box(current)
            user = current.result.get_user_of_unique_use() if current.result.has_one_use() else None
            if box is None or user is None or not isinstance(user, FillOp | memref.CopyOp):
                return []
            if (box[0][row], box[1][row]) != (0, shape[row]) or user.operands[1] is not current.result:
                return []
            found.append(_Part(user, *box))
        elif isinstance(current, FillOp | memref.CopyOp) and current.operands[1] is alloc.memref:
            users += 1
            found.append(_Part(current, [0] * len(shape), shape))
        current = current.next_op
    if current is None or users + inside != len(list(alloc.memref.uses)):
        return []
    return found if all(part.op.parent is loop.parent for part in found) else []


def _box(op: memref.SubviewOp) -> tuple[list[int], list[int]] | None:
    """Offsets and sizes of a part without steps, of the rank of the whole."""
    offsets, sizes, strides = (mixed(op, name) for name in ("offsets", "sizes", "strides"))
    known = [[n for n in numbers if isinstance(n, int)] for numbers in (offsets, sizes)]
    if any(step != 1 for step in strides) or any(len(n) != len(offsets) for n in known):
        return None
    rank = len(cast(MemRefType, op.result.type).get_shape())
    return (known[0], known[1]) if rank == len(offsets) else None


def _is_written_elsewhere(part: _Part, row: int, accesses: Sequence[RowAccess]) -> bool:
    """Whether the loop writes to what a part copies, but for the slice that it has copied by then."""
    source = part.op.operands[0]
    if not isinstance(source.type, MemRefType):
        return False
    return any(
        a.writes and may_be_same(a.buffer, source) and (a.row != row or a.buffer.type != source.type)
        for a in accesses
    )


class _Sinking:
    """Moves parts into a loop."""

    def __init__(self, alloc: memref.AllocOp, loop: scf.ForOp, row: int) -> None:
        self.alloc = alloc
        self.loop = loop
        self.row = row
        kind = cast(MemRefType, alloc.memref.type)
        shape = [1 if d == row else n for d, n in enumerate(kind.get_shape())]
        self.slice = memref.AllocOp([], [], MemRefType(kind.element_type, shape), alloc.alignment)
        self.slice.memref.name_hint = alloc.memref.name_hint

    def run(self, parts: Sequence[_Part], inside: Sequence[RowAccess]) -> None:
        zero = arith.ConstantOp(IntegerAttr(0, IndexType()))
        for op in (zero, self.slice):
            op.location = self.alloc.location
            Rewriter.insert_op(op, InsertPoint.before(self.alloc))
        body = self.loop.body.block
        use_row(inside, body.args[0], zero.result)
        first = cast(Operation, body.first_op)
        for part in parts:
            self._move(part, InsertPoint.before(first))
        self.alloc.memref.replace_all_uses_with(self.slice.memref)
        Rewriter.erase_op(self.alloc)

    def _move(self, part: _Part, point: InsertPoint) -> None:
        op = part.op
        target = op.operands[1]
        sizes = [1 if d == self.row else n for d, n in enumerate(part.sizes)]
        op.detach()
        if isinstance(op, memref.CopyOp):
            op.operands[0] = self._sliced(op.source, self.loop.body.block.args[0], point, op)
        op.operands[1] = self._part_of(self.slice.memref, part.offsets, sizes, point, op)
        Rewriter.insert_op(op, point)
        if isinstance(target.owner, memref.SubviewOp):
            Rewriter.erase_op(target.owner)

    def _sliced(self, source: SSAValue, index: SSAValue, point: InsertPoint, by: Operation) -> SSAValue:
        """The slice of a buffer that the loop's index selects."""
        kind = cast(MemRefType, source.type)
        offsets = [DYNAMIC_INDEX if d == self.row else 0 for d in range(len(kind.get_shape()))]
        sizes = [1 if d == self.row else n for d, n in enumerate(kind.get_shape())]
        return self._part_of(source, offsets, sizes, point, by, [index])

    @staticmethod
    def _part_of(
        source: SSAValue,
        offsets: Sequence[int],
        sizes: Sequence[int],
        point: InsertPoint,
        by: Operation,
        varying: Sequence[SSAValue] = (),
    ) -> SSAValue:
        kind = cast(MemRefType, source.type)
        ones = [1] * len(sizes)
        made = slice_type(kind, offsets, sizes, ones, sizes)
        op = memref.SubviewOp(source, varying, [], [], offsets, sizes, ones, made)
        op.location = by.location
        Rewriter.insert_op(op, point)
        return op.result
