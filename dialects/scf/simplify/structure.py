"""What the patterns of scf share: bodies, their ends, and moving them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lamina.dialects.core.folding import defining_op, flags_of, int_of, width_of
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


def segments(*groups: Sequence[SSAValue]) -> dict[str, Attribute]:
    """The property that counts the operands of each group."""
    return {"operandSegmentSizes": DenseArrayBase.from_list(i32, [len(group) for group in groups])}


def pass_on(rewriter: Rewriter, op: Operation, made: Operation, kept: Sequence[int]) -> bool:
    """Let the results of an op that was made again with some of its results stand for those; returns True."""
    for i, result in zip(kept, made.results, strict=True):
        rewriter.replace_uses(op.results[i], result)
    return rewriter.erase(op)


def made_with(rewriter: Rewriter, op: Operation, operands: Sequence[SSAValue], kept: Sequence[int]) -> bool:
    """Make an op again, with other operands and some of its results, and with its regions; returns True."""
    made = rewriter.create(
        op.name,
        list(operands),
        [op.results[i].type for i in kept],
        dict(op.properties),
        regions=take(op),
        attributes=dict(op.attributes),
    )
    return pass_on(rewriter, op, made, kept)


def replace_by_known(
    rewriter: Rewriter, block: Block, known: Mapping[int, SSAValue], *, erase: bool = True
) -> None:
    """Use values instead of the arguments of a block at some positions, and erase these."""
    arguments = list(block.args)
    for i, value in known.items():
        rewriter.replace_uses(arguments[i], value)
        if erase:
            block.erase_arg(arguments[i])


def as_number(value: int | SSAValue) -> int | None:
    """A number that is known: itself, or a constant's."""
    return value if isinstance(value, int) else int_of(value)


def difference(low: int | SSAValue, high: int | SSAValue, *, unsigned: bool = False) -> int | None:
    """``high - low`` where it is a number that can be told: both constant, or one a constant away.

    A sum tells it only if it cannot wrap around in the order in which the loop compares.
    """
    a, b = as_number(low), as_number(high)
    if a is not None and b is not None:
        if unsigned and isinstance(low, SSAValue):
            mask = (1 << width_of(low.type)) - 1
            return (b & mask) - (a & mask)
        return b - a
    if low is high:
        return 0
    total = defining_op(high, "arith.addi") if isinstance(high, SSAValue) else None
    if total is None or ("nuw" if unsigned else "nsw") not in flags_of(total, "overflowFlags"):
        return None
    first, second = total.operands
    number = int_of(second) if first is low else int_of(first) if second is low else None
    if number is not None and unsigned:
        number &= (1 << width_of(total.results[0].type)) - 1
    return number


def trip_count(
    low: int | SSAValue, high: int | SSAValue, step: int | SSAValue, *, unsigned: bool = False
) -> int | None:
    """How often a loop runs, where that is known. One with a step of zero may not run at all."""
    by = as_number(step)
    length = difference(low, high, unsigned=unsigned)
    if by == 0 or (length is not None and length <= 0):
        return 0
    if length is None or by is None:
        return None
    if unsigned and isinstance(step, SSAValue):
        by &= (1 << width_of(step.type)) - 1
    return -(-length // by) if by > 0 else None
