"""Merging blocks that do the same."""

from __future__ import annotations

from xdsl.ir import Block, Operation, Region, SSAValue

from lamina.dialects.core.branches import edges_into, set_successor_operands, successor_spans

_MOST_ARGUMENTS = 4
"""Blocks that differ in more values than this stay two blocks."""


def merge_equal_blocks(region: Region) -> int:
    """Merge blocks whose ops are equal but for values that predecessors can pass; returns how many went."""
    merged = 0
    groups: dict[tuple[object, ...], list[Block]] = {}
    for block in list(region.blocks)[1:]:
        leaders = groups.setdefault(_shape(block), [])
        if any(_merge(leader, block) for leader in leaders):
            merged += 1
        else:
            leaders.append(block)
    return merged


def _shape(block: Block) -> tuple[object, ...]:
    ops = tuple(
        (
            op.name,
            tuple(sorted(op.properties.items(), key=lambda item: item[0])),
            tuple(sorted(op.attributes.items(), key=lambda item: item[0])),
            tuple(result.type for result in op.results),
            tuple(op.successors),
        )
        for op in block.ops
    )
    return (tuple(argument.type for argument in block.args), ops)


def _merge(leader: Block, block: Block) -> bool:
    """Let the predecessors of ``block`` jump to ``leader``, and erase it; False where that cannot be."""
    differing = _differences(leader, block)
    if differing is None or len(differing) > _MOST_ARGUMENTS:
        return False
    edges = [(target, *edge) for target in (leader, block) for edge in edges_into(target)]
    if not edges or any(successor_spans(op) is None for _, op, _ in edges) or _leaks(leader) or _leaks(block):
        return False
    if any(op.parent in (leader, block) for _, op, _ in edges):
        return False
    if differing and any(op.name.endswith("switch") for _, op, _ in edges):
        return False
    for target, op, index in edges:
        first, last = (successor_spans(op) or [])[index]
        extra = [b if target is block else a for a, b, _ in differing]
        set_successor_operands(op, index, [*op.operands[first:last], *extra])
    for _, _, (op, position) in differing:
        op.operands[position] = leader.insert_arg(op.operands[position].type, len(leader.args))
    for use in tuple(block.uses):
        use.operation.successors[use.index] = leader
    assert block.parent is not None
    for op in reversed(list(block.ops)):
        block.erase_op(op)
    block.parent.erase_block(block)
    return True


def _leaks(block: Block) -> bool:
    """Whether values of the block are used outside of it, or its ops have regions."""
    values: list[SSAValue] = [*block.args, *(result for op in block.ops for result in op.results)]
    return any(use.operation.parent is not block for value in values for use in value.uses) or any(
        op.regions for op in block.ops
    )


def _differences(
    leader: Block, block: Block
) -> list[tuple[SSAValue, SSAValue, tuple[Operation, int]]] | None:
    """The values from outside in which two blocks of one shape differ, with their places in ``leader``."""
    same: dict[SSAValue, SSAValue] = dict(zip(block.args, leader.args, strict=True))
    found: list[tuple[SSAValue, SSAValue, tuple[Operation, int]]] = []
    for first, second in zip(leader.ops, block.ops, strict=True):
        for position, (a, b) in enumerate(zip(first.operands, second.operands, strict=True)):
            if same.get(b, b) is a:
                continue
            if a.type != b.type or _is_of(a, leader) or _is_of(b, block):
                return None
            found.append((a, b, (first, position)))
        same.update(zip(second.results, first.results, strict=True))
    return found


def _is_of(value: SSAValue, block: Block) -> bool:
    owner = value.owner
    return owner is block or (isinstance(owner, Operation) and owner.parent is block)
