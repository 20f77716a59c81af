"""Which part of a tensor a slice operation means, and when two parts are equal or apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects import tensor
from xdsl.ir import Operation, SSAValue

from lamina.dialects.tensor.parallel import ParallelInsertSliceOp

if TYPE_CHECKING:
    from lamina.lowering.buffers._aliases import Aliases

InsertionOp = tensor.InsertSliceOp | ParallelInsertSliceOp
SliceOp = tensor.ExtractSliceOp | InsertionOp


def same_part(first: SliceOp, second: SliceOp) -> bool:
    """Whether two slices have the same offsets, sizes and strides, value for value."""
    return (
        first.static_offsets == second.static_offsets
        and first.static_sizes == second.static_sizes
        and first.static_strides == second.static_strides
        and all(a is b for a, b in zip(first.offsets, second.offsets, strict=True))
        and all(a is b for a, b in zip(first.sizes, second.sizes, strict=True))
        and all(a is b for a, b in zip(first.strides, second.strides, strict=True))
    )


def slice_bounds(op: SliceOp) -> list[tuple[int, int] | None]:
    """First and last index in each dimension, None where they are dynamic."""
    found: list[tuple[int, int] | None] = []
    numbers = zip(
        op.static_offsets.get_values(),
        op.static_sizes.get_values(),
        op.static_strides.get_values(),
        strict=True,
    )
    for offset, size, stride in numbers:
        static = offset >= 0 and size > 0 and stride > 0
        found.append((offset, offset + (size - 1) * stride) if static else None)
    return found


def apart(first: SliceOp, second: SliceOp) -> bool:
    """Whether two slices of one tensor certainly have no element in common (by static bounds)."""
    for one, other in zip(slice_bounds(first), slice_bounds(second), strict=True):
        if one is not None and other is not None and (one[1] < other[0] or other[1] < one[0]):
            return True
    return False


def written_part(aliases: Aliases, written: SSAValue, whole: SSAValue) -> SliceOp | None:
    """The slice of ``whole`` inside which the buffer of ``written`` lies, if it was made by slicing."""
    pending = list(aliases.views(written))
    seen: set[Operation] = set()
    while pending:
        op = pending.pop()
        if op in seen:
            continue
        seen.add(op)
        source = op.operands[0]
        if isinstance(op, tensor.ExtractSliceOp) and aliases.same(source, whole):
            return op
        pending.extend(aliases.views(source))
    return None


def touched_part(aliases: Aliases, op: Operation, written: SSAValue, whole: SSAValue) -> SliceOp | None:
    """The slice of ``whole`` to which a write of ``op`` to ``written`` is confined, if there is one."""
    if isinstance(op, InsertionOp) and aliases.same(written, whole):
        return op
    return written_part(aliases, written, whole)


def read_outside(
    aliases: Aliases, writer: Operation, written: SSAValue, reader: Operation, operand: int, value: SSAValue
) -> bool:
    """Whether ``reader``, which uses ``value``, reads only elements that ``writer`` leaves alone.

    An insertion reads of its destination what lies outside the inserted part; a slice reads its part.
    """
    if not isinstance(reader, InsertionOp | tensor.ExtractSliceOp):
        return False
    part = touched_part(aliases, writer, written, value)
    if part is None:
        return False
    if isinstance(reader, InsertionOp):
        return operand == 1 and same_part(part, reader)
    return apart(part, reader)


def inserted_in_place(aliases: Aliases, op: InsertionOp) -> bool:
    """Whether the source of an insertion already is that part of the destination's buffer."""
    return any(
        isinstance(view, tensor.ExtractSliceOp) and aliases.same(view.source, op.dest) and same_part(view, op)
        for view in aliases.views(op.source)
    )


def parts_apart(aliases: Aliases, op: Operation, written: SSAValue, read: SSAValue) -> bool:
    """Whether ``read`` is a slice of a buffer of which ``op``, writing ``written``, touches another part."""
    for view in aliases.views(read):
        if isinstance(view, tensor.ExtractSliceOp):
            part = touched_part(aliases, op, written, view.source)
            if part is not None and apart(part, view):
                return True
    return False
