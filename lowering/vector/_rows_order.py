"""The order of lowered operations: what a row needs stands together, so that few rows are alive at once."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith, vector
from xdsl.ir import Block, Operation, OpResult

_FIXED = (
    arith.ConstantOp,
    vector.LoadOp,
    vector.StoreOp,
    vector.MaskedLoadOp,
    vector.MaskedStoreOp,
    vector.TransferReadOp,
    vector.TransferWriteOp,
    vector.PrintOp,
)


def order_by_rows(block: Block) -> None:
    """Move each pure operation of a block to the operation that needs its value first.

    Everything else, also loads and stores, keeps its order. N rows that were computed step by step are then
    computed one after the other. What nothing needs is erased.
    """
    anchors = [op for op in block.ops if not _is_movable(op)]
    ordered: dict[Operation, None] = {}
    for anchor in anchors:
        for value_owner in _needed(anchor):
            _place(value_owner, block, ordered)
        ordered[anchor] = None
    for op in reversed([op for op in block.ops if op not in ordered]):
        op.detach()
        op.erase()
    if list(ordered) == list(block.ops):
        return
    for op in ordered:
        op.detach()
        block.add_op(op)


def _is_movable(op: Operation) -> bool:
    """Whether an operation only computes values from values. Constants stay at the start of functions."""
    if op.regions or isinstance(op, _FIXED):
        return False
    return op.name.split(".")[0] in ("arith", "math", "vector") and op.name not in (
        "vector.gather",
        "vector.scatter",
    )


def _needed(op: Operation) -> Iterator[Operation]:
    """The operations whose results an operation or something inside it uses."""
    for user in op.walk():
        for operand in user.operands:
            if isinstance(operand, OpResult):
                yield operand.op


def _place(op: Operation, block: Block, ordered: dict[Operation, None]) -> None:
    """Put an operation behind what it needs, if it is of the block and has no place yet."""
    pending = [op]
    while pending:
        current = pending[-1]
        if current in ordered or current.parent is not block or not _is_movable(current):
            pending.pop()
            continue
        missing = [
            v.op
            for v in reversed(list(current.operands))
            if isinstance(v, OpResult) and v.op not in ordered and v.op.parent is block and _is_movable(v.op)
        ]
        if missing:
            pending.extend(missing)
        else:
            ordered[current] = None
            pending.pop()
