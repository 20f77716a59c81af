"""Grouping: a root operation and the elementwise operations that can run on its tiles."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeGuard

from xdsl.dialects import tensor
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Block, Operation, SSAValue

from lamina.dialects.linalg.packing import UnPackOp
from lamina.dialects.linalg.winograd import winograd_of
from lamina.lowering.vector._access import Access, Structured, structured
from lamina.lowering.vector._schedule import schedule_of
from lamina.lowering.vector._winograd import structured_transform


@dataclass
class Group:
    """A root and its epilogue, all over the loops of the root."""

    root: Structured
    epilogue: list[Structured] = field(default_factory=list)

    @property
    def members(self) -> list[Structured]:
        return [self.root, *self.epilogue]

    def definition(self, value: SSAValue) -> tuple[Structured, int] | None:
        """The member that makes a value, and the number of the result."""
        for member in self.members:
            for i, result in enumerate(member.op.results):
                if result is value:
                    return member, i
        return None

    def live_results(self) -> list[tuple[Structured, int]]:
        """The results that something outside of the group uses."""
        inside = {member.op for member in self.members}
        return [
            (member, i)
            for member in self.members
            for i, result in enumerate(member.op.results)
            if any(use.operation not in inside for use in result.uses)
        ]


def form_groups(block: Block) -> list[Group]:
    """The groups of a block, in order. Fills are no roots: they are read as initial values."""
    order = {op: i for i, op in enumerate(block.ops)}
    groups: list[Group] = []
    for op in block.ops:
        transform = structured_transform(op)
        analysed = transform or (None if isinstance(op, FillOp) else structured(op))
        if analysed is None:
            continue
        renamed = _as_epilogue(groups[-1], analysed, order) if groups and transform is None else None
        if renamed is not None:
            groups[-1].epilogue.append(renamed)
        else:
            groups.append(Group(analysed))
    return groups


def sums_in_blocks(root: Structured) -> bool:
    """Whether a schedule lets a root's sums grow block by block: nothing can follow on its tiles."""
    schedule = schedule_of(root.op)
    return schedule is not None and schedule.sums_in_blocks(root.reductions)


def _as_epilogue(group: Group, candidate: Structured, order: dict[Operation, int]) -> Structured | None:
    """The candidate over the loops of the group's root, or None where it cannot run on the root's tiles."""
    if candidate.reductions or sums_in_blocks(group.root):
        return None
    if not all(_is_permutation(a, candidate) for a in candidate.output_accesses):
        return None
    names: dict[int, int] | None = None
    for operand, access in zip(candidate.inputs, candidate.input_accesses, strict=True):
        source = group.definition(operand)
        if source is None:
            continue
        found = _matched_loops(source[0].output_accesses[source[1]], access)
        if found is None or names not in (None, found) or len(found) != len(candidate.sizes):
            return None
        names = found
    if names is None or sorted(names.values()) != group.root.parallels:
        return None
    inside = {member.op for member in group.members} | {candidate.op}
    for member in group.members:
        for result in member.op.results:
            users = {use.operation for use in result.uses}
            if any(_position(user, order) < order[candidate.op] for user in users - inside):
                return None
    return candidate.renamed(names, group.root.sizes)


def _matched_loops(produced: Access, consumed: Access) -> dict[int, int] | None:
    """For each loop of a consumer the producer's loop that indexes the same dimension."""
    names: dict[int, int] = {}
    for there, here in zip(produced, consumed, strict=True):
        producer, consumer = there.is_loop(), here.is_loop()
        if producer is None or consumer is None or consumer in names:
            return None
        names[consumer] = producer
    return names


def _is_permutation(access: Access, of: Structured) -> bool:
    return sorted(loop if (loop := e.is_loop()) is not None else -1 for e in access) == of.parallels


def _position(op: Operation, order: dict[Operation, int]) -> int:
    """The place of the operation of the block that holds ``op``."""
    ancestor: Operation | None = op
    while ancestor is not None and ancestor not in order:
        ancestor = ancestor.parent_op()
    return -1 if ancestor is None else order[ancestor]


def _prepares(owner: Operation | Block) -> TypeGuard[Operation]:
    """Whether something only makes what roots read and write."""
    kinds = (FillOp, tensor.EmptyOp, tensor.InsertSliceOp, tensor.ExtractSliceOp, UnPackOp)
    return isinstance(owner, kinds) or (isinstance(owner, Operation) and winograd_of(owner) is not None)


def erase_dead(ops: list[Operation]) -> None:
    """Erase operations whose results nobody uses, and destinations, slices and unpackings only they used."""
    for op in ops:
        if op.parent is None or any(result.uses for result in op.results):
            continue
        sources: list[SSAValue] = list(op.operands)
        op.detach()
        op.erase()
        owners = dict.fromkeys(value.owner for value in sources)
        erase_dead([owner for owner in owners if _prepares(owner)])
