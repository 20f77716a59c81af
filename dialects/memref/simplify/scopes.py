"""memref.alloca_scope: scopes in which nothing is freed that would not be freed at the same time."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from lamina.dialects.core.facts import facts_of
from lamina.dialects.core.simplification import Rewriter, pattern
from lamina.dialects.scf.simplify.structure import body_of, inline_body


@pattern("memref.alloca_scope")
def inline_scope(op: Operation, rewriter: Rewriter) -> bool:
    """A scope that allocates nothing itself, or that ends where the scope around it does."""
    body = body_of(op)
    if body.next_block is not None:
        return False
    parent, after = op.parent_op(), op.next_op
    ends_together = (
        parent is not None
        and "A" in facts_of(parent).traits
        and after is not None
        and after.next_op is None
        and facts_of(after).is_terminator
    )
    if not ends_together and any(_may_allocate(inner) for inner in _own_ops(op)):
        return False
    return inline_body(rewriter, op, body, [])


def _may_allocate(op: Operation) -> bool:
    facts = facts_of(op)
    return not facts.is_known or op.name == "memref.alloca" or op.name == "llvm.alloca"


def _own_ops(op: Operation) -> Iterator[Operation]:
    """The ops in a scope that are not in another scope inside."""
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                yield inner
                if "A" not in facts_of(inner).traits:
                    yield from _own_ops(inner)
