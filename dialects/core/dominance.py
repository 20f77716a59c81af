"""Dominance: whether a value is defined wherever it is used, and the dominator tree of a region."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.traits import IsolatedFromAbove

from lamina.dialects.core.diagnostics import Diagnostic, LaminaError, error, note, op_name


def check_uses(root: Operation) -> None:
    """Each operand is defined before its use: in the same block, a dominating block, or an enclosing op."""
    order: dict[Operation, int] = {}
    dominators: dict[Region, dict[Block, Block | None]] = {}
    for op in root.walk():
        if op.parent is not None and op not in order:
            for i, sibling in enumerate(op.parent.ops):
                order[sibling] = i
    for op in root.walk():
        if op is root:
            continue
        for number, operand in enumerate(op.operands):
            if not _dominates(operand, op, order, dominators):
                raise _not_dominated(op, number, operand)


def _not_dominated(op: Operation, number: int, operand: SSAValue) -> LaminaError:
    notes: list[Diagnostic] = []
    if isinstance(operand.owner, Operation):
        notes.append(note("the operand is defined here", operand.owner))
    return error(f"operand #{number} does not dominate this use", op, notes=notes)


def isolated_from(op: Operation, operand: SSAValue) -> LaminaError | None:
    """The error for an operand from outside an op between it and its use that sees nothing outside."""
    home = operand.owner.parent if isinstance(operand.owner, Operation) else operand.owner
    inner = op
    while inner.parent is not None and inner.parent is not home:
        parent = inner.parent_op()
        if parent is None:
            return None
        if parent.has_trait(IsolatedFromAbove, value_if_unregistered=False) and home is not inner.parent:
            outside = home is None or not parent.is_ancestor(home)
            if outside:
                notes = [note(f"'{op_name(parent)}' sees no values from outside", parent)]
                return error("uses a value that is defined outside of its function", op, notes=notes)
        inner = parent
    return None


def _dominates(
    value: SSAValue,
    user: Operation,
    order: dict[Operation, int],
    dominators: dict[Region, dict[Block, Block | None]],
) -> bool:
    home = value.owner.parent if isinstance(value.owner, Operation) else value.owner
    if home is None:
        return isinstance(value, BlockArgument)
    inner: Operation = user
    while inner.parent is not None and inner.parent.parent is not home.parent:
        parent = inner.parent_op()
        if parent is None or parent.has_trait(IsolatedFromAbove):
            return False
        inner = parent
    block = inner.parent
    if block is None:
        return False
    if block is home:
        return isinstance(value, BlockArgument) or order[value.owner] < order[inner] or _is_graph_region(home)  # pyright: ignore[reportArgumentType]
    return _block_dominates(home, block, dominators)


def _is_graph_region(block: Block) -> bool:
    parent = block.parent_op()
    return isinstance(parent, ModuleOp | UnregisteredOp)


def _block_dominates(a: Block, b: Block, cache: dict[Region, dict[Block, Block | None]]) -> bool:
    region = a.parent
    assert region is not None
    if region not in cache:
        cache[region] = immediate_dominators(region)
    tree = cache[region]
    if b not in tree:
        return True  # an unreachable block is dominated by everything
    step: Block | None = b
    while step is not None:
        if step is a:
            return True
        step = tree[step]
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
