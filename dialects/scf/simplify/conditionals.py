"""scf.if, scf.index_switch and scf.execute_region: known conditions, unused results, trivial branches."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Block, Operation, Region, SSAValue

from lamina.dialects.core.folding import defining_op, int_of, integer, is_int, scalar_of
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern
from lamina.dialects.core.verifying.groups import static_values
from lamina.dialects.scf.simplify.structure import (
    body_of,
    end_of,
    inline_body,
    is_inside,
    made_with,
    take,
    yield_other,
)


def has_else(op: Operation) -> bool:
    """Whether an scf.if has an else region with a block."""
    return op.regions[1].blocks.first is not None


@pattern("scf.if")
def take_known_branch(op: Operation, rewriter: Rewriter) -> bool:
    """A condition that is known."""
    known = scalar_of(op.operands[0])
    if known is None:
        return False
    if known or has_else(op):
        return inline_body(rewriter, op, body_of(op, 0 if known else 1), [])
    return rewriter.erase(op)


@fold("scf.if")
def swap_branches(op: Operation) -> Folded:
    """A negated condition: the branches change places."""
    inverse = defining_op(op.operands[0], "arith.xori")
    if inverse is None or not is_int(inverse.operands[1], -1) or not has_else(op):
        return None
    op.operands[0] = inverse.operands[0]
    first, second = take(op)
    second.move_blocks(op.regions[0])
    first.move_blocks(op.regions[1])
    return True


@pattern("scf.if", "scf.index_switch")
def drop_unused_results(op: Operation, rewriter: Rewriter) -> bool:
    """Results that nobody uses."""
    kept = [i for i, result in enumerate(op.results) if result.first_use is not None]
    return len(kept) < len(op.results) and keep_results(rewriter, op, kept)


def keep_results(rewriter: Rewriter, op: Operation, kept: list[int]) -> bool:
    """Make an op again with some of its results; the others must have no uses."""
    for region in op.regions:
        if region.blocks.first is not None:
            end = end_of(region.blocks.first)
            yield_other(rewriter, end, [end.operands[i] for i in kept])
    return made_with(rewriter, op, op.operands, kept)


@pattern("scf.if")
def select_instead(op: Operation, rewriter: Rewriter) -> bool:
    """Results that both branches take from outside are selected."""
    if not op.results or not has_else(op):
        return False
    condition = op.operands[0]
    ends = [end_of(body_of(op, i)) for i in (0, 1)]
    kept: list[int] = []
    for i, (yes, no) in enumerate(zip(ends[0].operands, ends[1].operands, strict=True)):
        if is_inside(yes, op) or is_inside(no, op):
            kept.append(i)
            continue
        value = yes if yes is no else rewriter.value("arith.select", [condition, yes, no], yes.type)
        rewriter.replace_uses(op.results[i], value)
    return len(kept) < len(op.results) and keep_results(rewriter, op, kept)


@pattern("scf.if")
def yield_condition(op: Operation, rewriter: Rewriter) -> bool:
    """A result that is true in one branch and false in the other is the condition, or its negation."""
    if not op.results or not has_else(op):
        return False
    changed = False
    condition = op.operands[0]
    ends = [end_of(body_of(op, i)) for i in (0, 1)]
    for result, yes, no in zip(op.results, ends[0].operands, ends[1].operands, strict=True):
        if result.first_use is None:
            continue
        if yes is no:
            rewriter.replace_uses(result, yes)
            changed = True
        elif result.type == IntegerType(1) and {scalar_of(yes), scalar_of(no)} == {0, 1}:
            value = condition
            if scalar_of(yes) == 0:
                ones = rewriter.value(
                    "arith.constant", [], condition.type, {"value": integer(1, condition.type)}
                )
                value = rewriter.value("arith.xori", [condition, ones], condition.type)
            rewriter.replace_uses(result, value)
            changed = True
    return changed


@pattern("scf.if")
def condition_is_known_inside(op: Operation, rewriter: Rewriter) -> bool:
    """The condition is true in the first branch, false in the second."""
    condition = op.operands[0]
    if condition.has_one_use() or scalar_of(condition) is not None:
        return False
    changed = False
    for region, known in zip(op.regions, (1, 0), strict=True):
        uses = _uses_inside(condition, region)
        if not uses:
            continue
        type = condition.type
        constant = rewriter.value("arith.constant", [], type, {"value": integer(known, type)})
        for user, index in uses:
            user.operands[index] = constant
            rewriter.note_change(user)
        changed = True
    return changed


def _uses_inside(value: SSAValue, region: Region) -> list[tuple[Operation, int]]:
    """The ops in a region that use a value, with the numbers of the operands.

    The uses of the value and the ops of the region are looked through side by side: the shorter list decides,
    as many conditionals may share a condition, and one may hold much that does not use it.
    """
    uses, ops = iter(value.uses), region.walk()
    by_uses: list[tuple[Operation, int]] = []
    by_ops: list[tuple[Operation, int]] = []
    while True:
        use = next(uses, None)
        if use is None:
            return by_uses
        if _is_in(use.operation, region):
            by_uses.append((use.operation, use.index))
        op = next(ops, None)
        if op is None:
            return by_ops
        by_ops += [(op, i) for i, operand in enumerate(op.operands) if operand is value]


def _is_in(op: Operation, region: Region) -> bool:
    place: Operation | None = op
    while place is not None:
        found = place.parent_region()
        if found is region:
            return True
        place = found.parent if found is not None else None
    return False


@pattern("scf.if")
def drop_empty_else(op: Operation, rewriter: Rewriter) -> bool:
    """An else branch without ops."""
    if op.results or not has_else(op):
        return False
    block = body_of(op, 1)
    if block.first_op is not end_of(block):
        return False
    rewriter.erase(end_of(block))
    op.regions[1].erase_block(block)
    rewriter.note_change(op)
    return True


@pattern("scf.if")
def join_nested(op: Operation, rewriter: Rewriter) -> bool:
    """An if that holds nothing but another if: both conditions at once."""
    body = body_of(op)
    inner = body.first_op
    if inner is None or inner.name != "scf.if" or inner.next_op is not end_of(body):
        return False
    if has_else(op) and body_of(op, 1).first_op is not end_of(body_of(op, 1)):
        return False
    if has_else(inner) and body_of(inner, 1).first_op is not end_of(body_of(inner, 1)):
        return False
    yes = list(end_of(body).operands)
    no = list(end_of(body_of(op, 1)).operands) if op.results else []
    inner_no = list(end_of(body_of(inner, 1)).operands) if inner.results else []
    chosen: list[int] = []
    for i, value in enumerate(yes):
        if value.owner is inner:
            index = list(inner.results).index(value)  # pyright: ignore[reportArgumentType]
            if inner_no[index] is not no[i]:
                return False
            chosen.append(i)
        elif is_inside(value, op):
            return False
    condition = rewriter.value("arith.andi", [op.operands[0], inner.operands[0]], op.operands[0].type)
    inner_end = end_of(body_of(inner))
    results: list[SSAValue] = []
    for value in yes:
        if value.owner is inner:
            results.append(list(inner_end.operands)[list(inner.results).index(value)])  # pyright: ignore[reportArgumentType]
        else:
            results.append(value)
    then = Region()
    inner.regions[0].move_blocks(then)
    made = rewriter.create(
        "scf.if",
        [condition],
        [result.type for result in op.results],
        dict(op.properties),
        regions=[then, Region()],
        attributes=dict(op.attributes),
    )
    yields: list[SSAValue] = results
    # A value from outside of the inner if is chosen by the outer condition alone.
    for i, value in enumerate(yes):
        if value.owner is not inner:
            picked = rewriter.value("arith.select", [op.operands[0], value, no[i]], value.type, before=made)
            rewriter.replace_uses(op.results[i], picked)
    yield_other(rewriter, inner_end, yields)
    if op.results:
        block = Block()
        made.regions[1].add_block(block)
        from lamina.dialects.core.building import make_op

        block.add_op(make_op("scf.yield", no))
    for old, new in zip(op.results, made.results, strict=True):
        rewriter.replace_uses(old, new)
    return rewriter.erase(op)


@pattern("scf.if")
def join_with_next(op: Operation, rewriter: Rewriter) -> bool:
    """Two ifs of the same (or the negated) condition, one behind the other, are one."""
    first = op.prev_op
    if first is None or first.name != "scf.if":
        return False
    same = first.operands[0] is op.operands[0]
    if not same and not _are_opposite(first.operands[0], op.operands[0]):
        return False
    for i, region in enumerate(op.regions):
        source = first.regions[i if same else 1 - i]
        block = source.blocks.first
        if block is None:
            continue
        values = list(end_of(block).operands)
        for result, value in zip(first.results, values, strict=True):
            for use in tuple(result.uses):
                if _is_in(use.operation, region):
                    use.operation.operands[use.index] = value
                    rewriter.note_change(use.operation)
    if not op.results:
        return _append(rewriter, first, op, same=same)
    bodies = [first.regions[0].blocks.first, first.regions[1].blocks.first]
    added = [op.regions[0].blocks.first, op.regions[1].blocks.first]
    if not same:
        added.reverse()
    regions = [_joined(rewriter, a, b) for a, b in zip(bodies, added, strict=True)]
    made = rewriter.create(
        "scf.if",
        [first.operands[0]],
        [result.type for result in (*first.results, *op.results)],
        dict(first.properties),
        regions=regions,
        attributes=dict(first.attributes),
    )
    for old, new in zip((*first.results, *op.results), made.results, strict=True):
        rewriter.replace_uses(old, new)
    rewriter.erase(op)
    return rewriter.erase(first)


def _append(rewriter: Rewriter, first: Operation, second: Operation, *, same: bool) -> bool:
    """Move what an if without results does to the end of another one."""
    for i, region in enumerate(second.regions):
        block = region.blocks.first
        target = first.regions[i if same else 1 - i]
        if block is None:
            continue
        if target.blocks.first is None:
            region.move_blocks(target)
            rewriter.note_change(first)
            continue
        rewriter.erase(end_of(block))
        rewriter.inline_before(block, end_of(target.blocks.first))
    return rewriter.erase(second)


def _are_opposite(a: SSAValue, b: SSAValue) -> bool:
    for x, y in ((a, b), (b, a)):
        inverse = defining_op(y, "arith.xori")
        if inverse is not None and inverse.operands[0] is x and is_int(inverse.operands[1], -1):
            return True
    return False


def _joined(rewriter: Rewriter, first: Block | None, second: Block | None) -> Region:
    """A region with the ops of one block, then those of the other, that yields what both do."""
    region = Region()
    if first is None and second is None:
        return region
    block = first or second
    assert block is not None and block.parent is not None
    block.parent.detach_block(block)
    region.add_block(block)
    if first is not None and second is not None:
        end, other = end_of(first), end_of(second)
        values = [*end.operands, *other.operands]
        rewriter.erase(end)
        for op in tuple(second.ops):
            op.detach()
            first.add_op(op)
        yield_other(rewriter, other, values)
    return region


@pattern("scf.index_switch")
def take_known_case(op: Operation, rewriter: Rewriter) -> bool:
    """A number that is known."""
    number = int_of(op.operands[0])
    if number is None:
        return False
    cases = static_values(op, "cases")
    index = cases.index(number) + 1 if number in cases else 0
    return inline_body(rewriter, op, body_of(op, index), [])


@pattern("scf.execute_region")
def inline_single_block(op: Operation, rewriter: Rewriter) -> bool:
    """A region of one block stands in the place of the op."""
    if op.get_attr_or_prop("no_inline") is not None:
        return False
    block = body_of(op)
    return (
        block.next_block is None
        and end_of(block).name == "scf.yield"
        and inline_body(rewriter, op, block, [])
    )


@pattern("scf.execute_region")
def inline_blocks(op: Operation, rewriter: Rewriter) -> bool:
    """A region of several blocks directly in a function becomes part of its control flow."""
    home = op.parent
    parent = home.parent_op() if home is not None else None
    if op.get_attr_or_prop("no_inline") is not None or parent is None or home is None or home.parent is None:
        return False
    if parent.name not in ("func.func", "scf.execute_region", "llvm.func"):
        return False
    blocks = list(op.regions[0].blocks)
    ends = [end_of(block) for block in blocks]
    if not any(end.name == "scf.yield" for end in ends):
        return False
    tail = home.split_before(op, arg_types=[result.type for result in op.results])
    for result, argument in zip(op.results, tail.args, strict=True):
        rewriter.replace_uses(result, argument)
    for end in ends:
        if end.name == "scf.yield":
            rewriter.create("cf.br", list(end.operands), [], successors=[tail], before=end)
            rewriter.erase(end)
    region = Region()
    op.regions[0].move_blocks(region)
    entry = blocks[0]
    rewriter.erase(op)
    for inner in tuple(entry.ops):
        inner.detach()
        home.add_op(inner)
        rewriter.note_change(inner)
    region.erase_block(entry)
    region.move_blocks_before(tail)
    return True
