"""Whether two loops touch shared buffers row by row, so that they can run as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import memref, scf, vector
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

_PURE = ("arith", "math", "vector")


@dataclass(frozen=True)
class RowAccess:
    """One access of a loop to a buffer from outside."""

    op: Operation
    buffer: SSAValue
    writes: bool
    row: int | None
    """The dimension that the loop's index alone selects; None where there is none."""


def accesses_of(loop: scf.ForOp) -> list[RowAccess] | None:
    """The accesses to buffers inside a loop; None where it does something that is not understood."""
    found: list[RowAccess] = []
    index = loop.body.block.args[0]
    for op in loop.body.walk():
        access = _access(op, index)
        if access is not None:
            found.append(access)
        elif not isinstance(op, scf.ForOp | scf.YieldOp) and op.name.split(".")[0] not in _PURE:
            return None
    return found


def _access(op: Operation, index: SSAValue) -> RowAccess | None:
    match op:
        case memref.LoadOp():
            return RowAccess(op, op.memref, False, _place(list(op.indices), index))
        case memref.StoreOp():
            return RowAccess(op, op.memref, True, _place(list(op.indices), index))
        case vector.TransferReadOp():
            return RowAccess(op, op.source, False, _row(op, list(op.indices), index))
        case vector.TransferWriteOp():
            return RowAccess(op, op.source, True, _row(op, list(op.indices), index))
        case _:
            return None


def _place(indices: Sequence[SSAValue], index: SSAValue) -> int | None:
    return next((d for d, value in enumerate(indices) if value is index), None)


def _row(
    op: vector.TransferReadOp | vector.TransferWriteOp, indices: Sequence[SSAValue], index: SSAValue
) -> int | None:
    """The row dimension of a transfer, which its vector does not run along."""
    place = _place(indices, index)
    along = {e.position for e in op.permutation_map.data.results if isinstance(e, AffineDimExpr)}
    return None if place in along else place


def may_run_together(first: scf.ForOp, second: scf.ForOp) -> bool:
    """Whether each iteration of the second needs no more of the first than its iteration of the same number.

    Both run over the same indices in steps of one and carry no values.
    """
    before, after = accesses_of(first), accesses_of(second)
    if before is None or after is None:
        return False
    return all(
        _row_by_row(a, b)
        for a in before
        for b in after
        if (a.writes or b.writes) and may_be_same(a.buffer, b.buffer)
    )


def _row_by_row(a: RowAccess, b: RowAccess) -> bool:
    return a.row is not None and a.row == b.row and a.buffer.type == b.buffer.type


def use_row(accesses: Sequence[RowAccess], index: SSAValue, zero: SSAValue) -> None:
    """Let accesses use the only row that is left of a buffer, in place of the one that an index selects."""
    for access in accesses:
        assert access.row is not None
        before = 2 if access.writes else 1
        place = before + access.row
        assert access.op.operands[place] is index
        access.op.operands[place] = zero


def may_be_same(a: SSAValue, b: SSAValue) -> bool:
    """Whether two buffers may share memory, as arguments of as many elements may: operand and result."""
    if a is b:
        return True
    if isinstance(a.owner, memref.AllocOp) or isinstance(b.owner, memref.AllocOp):
        return not (_is_root(a) and _is_root(b))
    if not (_is_root(a) and _is_root(b)):
        return True
    return _elements(a) == _elements(b)


def _is_root(value: SSAValue) -> bool:
    """Whether a buffer is no view of another."""
    return isinstance(value, BlockArgument) or isinstance(value.owner, memref.AllocOp)


def _elements(value: SSAValue) -> int:
    assert isinstance(value.type, MemRefType)
    shape = value.type.get_shape()
    return -1 if DYNAMIC_INDEX in shape else prod(shape)
