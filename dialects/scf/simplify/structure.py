"""What the patterns of scf share: bodies, their ends, and moving them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation, Region, SSAValue

from lamina.dialects.core.folding import defining_op, int_of
from lamina.dialects.core.simplification import Rewriter


def body_of(op: Operation, index: int = 0) -> Block:
    """The first block of a region."""
    block = op.regions[index].blocks.first
    assert block is not None
    return block


def end_of(block: Block) -> Operation:
    """The terminator of a block."""
    last = block.last_op
    assert last is not None
    return last


def is_inside(value: SSAValue, op: Operation) -> bool:
    """Whether a value is defined in a region of an op."""
    owner = value.owner
    block = owner if isinstance(owner, Block) else owner.parent
    while block is not None:
        parent = block.parent_op()
        if parent is op:
            return True
        block = parent.parent if parent is not None else None
    return False


def inline_body(rewriter: Rewriter, op: Operation, block: Block, values: Sequence[SSAValue]) -> bool:
    """Put the ops of a block in the place of ``op``, whose results become what the block yields."""
    end = end_of(block)
    yielded = list(end.operands)
    known = dict(zip(block.args, values, strict=True))
    rewriter.inline_before(block, op, values)
    rewriter.erase(end)
    return rewriter.replace(op, [known.get(v, v) for v in yielded])  # pyright: ignore[reportArgumentType, reportCallIssue]


def take(op: Operation) -> list[Region]:
    """Take all regions away from an op, for another one."""
    regions: list[Region] = []
    for region in op.regions:
        taken = Region()
        region.move_blocks(taken)
        regions.append(taken)
    return regions


def yield_other(rewriter: Rewriter, end: Operation, values: Sequence[SSAValue]) -> None:
    """Let a terminator pass on other values."""
    rewriter.set_operands(end, values)


def difference(low: SSAValue, high: SSAValue) -> int | None:
    """``high - low`` where it is a number that can be told: both constant, or one a constant away."""
    a, b = int_of(low), int_of(high)
    if a is not None and b is not None:
        return b - a
    if low is high:
        return 0
    total = defining_op(high, "arith.addi")
    if total is not None:
        for x, y in (tuple(total.operands), tuple(total.operands)[::-1]):
            if x is low:
                return int_of(y)
    return None


def trip_count(low: SSAValue, high: SSAValue, step: SSAValue, *, unsigned: bool = False) -> int | None:
    """How often a loop runs, where that is known."""
    by = int_of(step)
    length = difference(low, high)
    if unsigned and length is not None:
        a, b = int_of(low), int_of(high)
        if a is None or b is None:
            return 0 if length == 0 else None
        width = getattr(getattr(low.type, "width", None), "data", 64)
        mask = (1 << width) - 1
        length = (b & mask) - (a & mask)
        by = by & mask if by is not None else None
    if length is None:
        return None
    if length <= 0:
        return 0
    return -(-length // by) if by is not None and by > 0 else None
