"""Dominance: the dominator tree of a region, and what is wrong with a use that its definition does not
dominate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.core import ErasedSSAValue
from xdsl.traits import IsolatedFromAbove

from lamina.dialects.core.diagnostics import Diagnostic, LaminaError, error, location_of, note

OPEN, CLOSE = True, False
Event: TypeAlias = "tuple[Block, bool]"


def events_of(region: Region) -> tuple[Iterator[Event], set[Block]]:
    """The blocks of a region, each opened after those that dominate it and closed after those it dominates.

    The blocks that cannot be reached come last and are not closed; they are also given as a set.
    """
    first = region.first_block
    if first is None:
        return iter(()), set()
    if first.next_block is None:
        return iter(((first, OPEN),)), set()
    tree = immediate_dominators(region)
    inner: dict[Block, list[Block]] = {block: [] for block in tree}
    for block, above in tree.items():
        if above is not None:
            inner[above].append(block)
    unreachable = [block for block in region.blocks if block not in tree]
    return _events(first, inner, unreachable), set(unreachable)


def _events(first: Block, inner: dict[Block, list[Block]], unreachable: list[Block]) -> Iterator[Event]:
    stack: list[Event] = [(first, OPEN)]
    while stack:
        block, what = event = stack.pop()
        yield event
        if what == OPEN:
            stack.append((block, CLOSE))
            stack.extend((below, OPEN) for below in reversed(inner[block]))
    for block in unreachable:
        yield block, OPEN


def wrong_use(op: Operation, value: SSAValue, root: Operation) -> LaminaError | None:
    """The error for a value that cannot be seen where it is used; None if it comes from outside of
    ``root``."""
    if isinstance(value, ErasedSSAValue):
        return error("uses a value that has been erased", op)
    home = value.owner.parent if isinstance(value.owner, Operation) else value.owner
    inner = op
    while inner is not root and (parent := inner.parent_op()) is not None:
        if parent.has_trait(IsolatedFromAbove, value_if_unregistered=False) and not _is_inside(home, parent):
            notes = [note("required by region isolation constraints", parent)]
            return error("using value defined outside the region", op, notes=notes)
        inner = parent
    if not _is_inside(home, root):
        return None
    number = next(i for i, operand in enumerate(op.operands) if operand is value)
    notes: list[Diagnostic] = []
    if isinstance(value.owner, Operation):
        same = value.owner.parent is op.parent
        notes.append(note(f"operand defined here{' (op in the same block)' if same else ''}", value.owner))
    return error(f"operand #{number} does not dominate this use", location_of(op), notes=notes)


def _is_inside(home: Block | None, op: Operation) -> bool:
    """Whether a block lies in a region of an op, however deep."""
    while home is not None:
        parent = home.parent_op()
        if parent is op:
            return True
        home = parent.parent if parent is not None else None
    return False


def immediate_dominators(region: Region) -> dict[Block, Block | None]:
    """The immediate dominator of each reachable block (Cooper, Harvey, Kennedy 2001)."""
    entry = region.blocks.first
    if entry is None:
        return {}
    postorder = _postorder(entry)
    number = {block: i for i, block in enumerate(postorder)}
    predecessors: dict[Block, list[Block]] = {block: [] for block in postorder}
    for block in postorder:
        for successor in _successors(block):
            predecessors[successor].append(block)
    tree: dict[Block, Block | None] = {entry: entry}
    changed = True
    while changed:
        changed = False
        for block in reversed(postorder):
            if block is entry:
                continue
            known = [p for p in predecessors[block] if p in tree]
            best = known[0]
            for other in known[1:]:
                best = _meet(best, other, tree, number)
            if tree.get(block) is not best:
                tree[block] = best
                changed = True
    tree[entry] = None
    return tree


def _meet(a: Block, b: Block, tree: dict[Block, Block | None], number: dict[Block, int]) -> Block:
    while a is not b:
        while number[a] < number[b]:
            a = tree[a]  # pyright: ignore[reportAssignmentType]
        while number[b] < number[a]:
            b = tree[b]  # pyright: ignore[reportAssignmentType]
    return a


def _successors(block: Block) -> list[Block]:
    last = block.last_op
    return list(last.successors) if last is not None else []


def _postorder(entry: Block) -> list[Block]:
    done: list[Block] = []
    seen = {entry}
    stack = [(entry, iter(_successors(entry)))]
    while stack:
        block, successors = stack[-1]
        following = next((s for s in successors if s not in seen), None)
        if following is None:
            done.append(block)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(_successors(following))))
    return done
