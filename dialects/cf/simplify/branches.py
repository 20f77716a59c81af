"""Branches of cf: known conditions, blocks that only jump on, blocks with one predecessor."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, DenseIntOrFPElementsAttr, IntegerType, i32
from xdsl.ir import Block, Operation, SSAValue

from lamina.dialects.core.branches import edges_into, set_successor_operands, successor_spans
from lamina.dialects.core.folding import elements, integer, scalar_of
from lamina.dialects.core.simplification import Rewriter, pattern

Target = tuple[Block, list[SSAValue]]


def target_of(op: Operation, index: int) -> Target:
    """A successor and what it gets."""
    first, last = (successor_spans(op) or [])[index]
    return op.successors[index], list(op.operands[first:last])


def passed_through(block: Block, values: Sequence[SSAValue]) -> Target | None:
    """Where a jump to a block that only jumps on ends, and with which values; None where it does more."""
    last = block.last_op
    if last is None or last.name != "cf.br" or last is not block.first_op:
        return None
    for argument in block.args:
        if any(use.operation is not last for use in argument.uses):
            return None
    if last.successors[0] is block or _is_cycle(block):
        return None
    known = dict(zip(block.args, values, strict=True))
    return last.successors[0], [known.get(v, v) for v in last.operands]  # pyright: ignore[reportArgumentType, reportCallIssue]


def _is_cycle(block: Block) -> bool:
    """Whether one comes back to the block through blocks that only jump on."""
    seen: set[Block] = set()
    place: Block | None = block
    while place is not None and place not in seen:
        seen.add(place)
        last = place.last_op
        place = (
            last.successors[0]
            if last is place.first_op and last is not None and last.name == "cf.br"
            else None
        )
    return place is not None


def jump(rewriter: Rewriter, op: Operation, target: Target) -> bool:
    """Replace a terminator by a plain branch; returns True."""
    rewriter.create(
        "cf.br",
        target[1],
        [],
        attributes=dict(op.attributes) if op.name == "cf.br" else {},
        successors=[target[0]],
        before=op,
    )
    return rewriter.erase(op)


@pattern("cf.br")
def merge_with_only_predecessor(op: Operation, rewriter: Rewriter) -> bool:
    """The ops of a block that only this branch jumps to follow the branch's block."""
    (block,) = op.successors
    home = op.parent
    if home is None or block is home or not block.has_one_use() or block.parent is None:
        return False
    if block is block.parent.blocks.first:
        return False
    for argument, value in zip(block.args, tuple(op.operands), strict=True):
        if value is argument:
            return False
        rewriter.replace_uses(argument, value)
    rewriter.erase(op)
    for inner in tuple(block.ops):
        inner.detach()
        home.add_op(inner)
        rewriter.note_change(inner)
    block.parent.erase_block(block)
    return True


@pattern("cf.br")
def skip_block_after_branch(op: Operation, rewriter: Rewriter) -> bool:
    """A branch to a block that only jumps on goes where that goes."""
    block, values = target_of(op, 0)
    if block is op.parent:
        return False
    target = passed_through(block, values)
    return target is not None and jump(rewriter, op, target)


@pattern("cf.cond_br")
def branch_on_constant(op: Operation, rewriter: Rewriter) -> bool:
    """A known condition."""
    known = scalar_of(op.operands[0])
    return known is not None and jump(rewriter, op, target_of(op, 0 if known else 1))


@pattern("cf.cond_br", "cf.switch")
def skip_block_after_choice(op: Operation, rewriter: Rewriter) -> bool:
    """Successors that only jump on are skipped."""
    changed = False
    for index in range(len(op.successors)):
        block, values = target_of(op, index)
        target = passed_through(block, values)
        if target is not None:
            set_successor_operands(op, index, target[1])
            op.successors[index] = target[0]
            changed = True
    if changed:
        rewriter.note_change(op)
    return changed


@pattern("cf.cond_br")
def branch_to_one_block(op: Operation, rewriter: Rewriter) -> bool:
    """Both ways lead to one block: what differs is selected, if nobody else jumps there."""
    (block, yes), (other, no) = target_of(op, 0), target_of(op, 1)
    if block is not other:
        return False
    if yes != no and any(edge is not op for edge, _ in edges_into(block)):
        return False
    values = [
        a if a is b else rewriter.value("arith.select", [op.operands[0], a, b], a.type)
        for a, b in zip(yes, no, strict=True)
    ]
    return jump(rewriter, op, (block, values))


@pattern("cf.cond_br")
def branch_on_known_condition(op: Operation, rewriter: Rewriter) -> bool:
    """The only way here was chosen by the same condition."""
    block = op.parent
    edges = edges_into(block) if block is not None else []
    if len(edges) != 1 or edges[0][0].name != "cf.cond_br":
        return False
    before, way = edges[0]
    return before.operands[0] is op.operands[0] and jump(rewriter, op, target_of(op, way))


@pattern("cf.cond_br")
def condition_is_known_behind(op: Operation, rewriter: Rewriter) -> bool:
    """Behind the one way the condition is true, behind the other false."""
    condition = op.operands[0]
    if condition.has_one_use():
        return False
    changed = False
    for index, value in ((0, 1), (1, 0)):
        block = op.successors[index]
        if not block.has_one_use() or block is op.parent:
            continue
        # The block has fewer ops than a condition may have uses, and one edge: linear in the program.
        users = [user for user in block.ops if any(v is condition for v in user.operands)]
        if not users:
            continue
        type = IntegerType(1)
        constant = rewriter.value("arith.constant", [], type, {"value": integer(value, type)})
        for user in users:
            user.operands = [constant if v is condition else v for v in user.operands]
            rewriter.note_change(user)
            changed = True
    return changed


@pattern("cf.cond_br")
def avoid_unreachable(op: Operation, rewriter: Rewriter) -> bool:
    """A way to ub.unreachable is never taken."""
    for index in (0, 1):
        first = op.successors[index].first_op
        if first is not None and first.name == "ub.unreachable":
            return jump(rewriter, op, target_of(op, 1 - index))
    return False


def case_numbers(op: Operation) -> list[int]:
    """The numbers of a switch that choose its second and further successors."""
    attribute = op.get_attr_or_prop("case_values")
    found = elements(attribute) if isinstance(attribute, DenseIntOrFPElementsAttr) else None
    if found is None:
        return []
    count = len(op.successors) - 1
    return [int(v) for v in (found[0] * count if len(found[0]) == 1 else found[0])]


@pattern("cf.switch")
def switch_on_constant(op: Operation, rewriter: Rewriter) -> bool:
    """A known number, or no case beside the default."""
    if len(op.successors) == 1:
        return jump(rewriter, op, target_of(op, 0))
    flag = scalar_of(op.operands[0])
    if flag is None:
        return False
    cases = case_numbers(op)
    return jump(rewriter, op, target_of(op, cases.index(int(flag)) + 1 if int(flag) in cases else 0))


@pattern("cf.switch")
def drop_cases_like_default(op: Operation, rewriter: Rewriter) -> bool:
    """Cases that do what the default does."""
    default = target_of(op, 0)
    cases = case_numbers(op)
    kept = [i for i in range(1, len(op.successors)) if target_of(op, i) != default]
    if len(kept) == len(cases):
        return False
    return _switch(rewriter, op, default, [(cases[i - 1], target_of(op, i)) for i in kept])


def _switch(rewriter: Rewriter, op: Operation, default: Target, cases: list[tuple[int, Target]]) -> bool:
    if not cases:
        return jump(rewriter, op, default)
    from lamina.dialects.core.folding import constant_like

    flag = op.operands[0]
    given = op.get_attr_or_prop("case_values")
    assert given is not None
    kind = type(given.type)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]
    values = constant_like([value for value, _ in cases], kind(flag.type, [len(cases)]))  # pyright: ignore[reportUnknownArgumentType]
    assert values is not None
    sizes = [len(target[1]) for _, target in cases]
    operands = [flag, *default[1], *(v for _, target in cases for v in target[1])]
    rewriter.create(
        "cf.switch",
        operands,
        [],
        {
            "case_values": values,
            "case_operand_segments": DenseArrayBase.from_list(i32, sizes),
            "operandSegmentSizes": DenseArrayBase.from_list(i32, [1, len(default[1]), sum(sizes)]),
        },
        successors=[default[0], *(target[0] for _, target in cases)],
        before=op,
    )
    return rewriter.erase(op)


@pattern("cf.switch")
def switch_on_known_number(op: Operation, rewriter: Rewriter) -> bool:
    """The only way here was chosen by the same number: as a case, or as none of the cases."""
    block = op.parent
    edges = edges_into(block) if block is not None else []
    if len(edges) != 1 or edges[0][0].name != "cf.switch":
        return False
    before, way = edges[0]
    if before.operands[0] is not op.operands[0]:
        return False
    earlier, cases = case_numbers(before), case_numbers(op)
    if way > 0:
        number = earlier[way - 1]
        return jump(rewriter, op, target_of(op, cases.index(number) + 1 if number in cases else 0))
    kept = [(value, target_of(op, i + 1)) for i, value in enumerate(cases) if value not in earlier]
    return len(kept) < len(cases) and _switch(rewriter, op, target_of(op, 0), kept)


@pattern("cf.assert")
def erase_true_assertion(op: Operation, rewriter: Rewriter) -> bool:
    """An assertion of what is true."""
    return scalar_of(op.operands[0]) == 1 and rewriter.erase(op)
