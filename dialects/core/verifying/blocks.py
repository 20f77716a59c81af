"""Rules of blocks: how they end, and where branches go."""

from __future__ import annotations

from xdsl.ir import Block, Operation, Region

from lamina.dialects.core.diagnostics import error, location_of
from lamina.dialects.core.verifying.rules import Rules, rules_of


def check_entry(op: Operation, region: Region) -> None:
    """No branch goes to the first block of a region."""
    first = region.first_block
    if first is not None and first.first_use is not None:
        raise error("entry block of region may not have predecessors", location_of(op))


def check_block(op: Operation, block: Block, rules: Rules) -> None:
    """A block ends with a terminator, and branches only there, to blocks of its region."""
    last = block.last_op
    region = block.parent
    optional = not rules.wants_terminator and region is not None and len(region.blocks) == 1
    if last is None:
        if not optional:
            hint = "end the block with a terminator, such as 'return'"
            raise error("empty block: expect at least a terminator", location_of(op), hint=hint)
        return
    for successor in last.successors:
        if successor.parent is not region:
            raise error("branching to block of a different region", last)
    if not optional and not rules_of(type(last)).may_end_a_block:
        raise error(f"block with no terminator, has {_shown(last)}", location_of(last))


def _shown(op: Operation) -> str:
    """The first line of an op's generic form."""
    from lamina.dialects.core.printer import to_text

    return to_text(op, generic=True).partition("\n")[0]
