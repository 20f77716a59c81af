"""Terminators that go without saying: added to what is read, left out of what is written."""

from __future__ import annotations

from typing import Any

from xdsl.ir import Block, Operation, Region
from xdsl.traits import IsTerminator

from lamina.dialects.core.ods.spec import SINGLE, spec_of


def implicit_terminator(name: str) -> str | None:
    """The name of the op that ends the regions of an op where nothing else does, or None."""
    spec = spec_of(name)
    relations = spec.relations if spec is not None else ()
    return next((r[1] for r in relations if r[0] == "SingleBlockImplicitTerminator"), None)


def with_terminator(p: Any, region: Region, terminator: str, at: int | None = None) -> Region:
    """A region whose last block ends with a terminator: one without operands is added where there is none.

    ``at`` is the place of the op that holds the region, by default where the op that is read starts.
    """
    block = region.last_block
    if block is None:
        block = Block()
        region.add_block(block)
    last = block.last_op
    if last is None or not last.has_trait(IsTerminator, value_if_unregistered=False):
        spec = spec_of(terminator)
        bodies = [Region(Block()) for group in (spec.regions if spec else ()) if group.count == SINGLE]
        op = p.build(terminator, regions=bodies)
        op.location = p.location_at(p.operation_start if at is None else at)
        block.add_op(op)
    return region


def says_nothing(op: Operation | None) -> bool:
    """Whether an op has no operands, results or attributes, so that a terminator may be left out."""
    return op is not None and not (op.operands or op.results or op.attributes or op.properties)


def write_region(w: Any, region: Region, entry_args: bool = True) -> None:
    """Write a region without its terminator, unless that says something."""
    first = region.blocks.first
    w.region(region, entry_args=entry_args, terminator=not says_nothing(first.last_op if first else None))
