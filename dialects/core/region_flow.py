"""How values pass between an operation and its regions: into bodies, around loops, and out as results.

An edge leads from a source, which is the op itself or a terminator in one of its regions, into a region or
behind the op. It passes some operands of its source, in order, on to its inputs: the arguments of the
region's first block (behind an induction variable), or the results.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, Region, SSAValue

from lamina.dialects.core.facts import operands_of

_CHOICES = frozenset(("scf.if", "affine.if", "scf.index_switch", "scf.execute_region", "memref.alloca_scope"))
_FLOWS = _CHOICES | {"scf.for", "affine.for", "scf.while"}
_ENDS = frozenset(("scf.yield", "affine.yield", "memref.alloca_scope.return"))


@dataclass(frozen=True)
class Edge:
    """One way that control may take; ``region`` None leads behind the op."""

    source: Operation
    first: int
    """The first operand of the source that is passed."""
    region: Region | None
    inputs: Sequence[SSAValue]

    def passed(self) -> Iterator[tuple[int, SSAValue]]:
        """Each input with the number of the source's operand that it gets."""
        return enumerate(self.inputs, self.first)


def has_flow(op: Operation) -> bool:
    """Whether it is known which values an op passes to its regions and gets back from them."""
    if op.name not in _FLOWS:
        return False
    return op.name != "scf.while" or len(op.regions) == 2


def edges_from_op(op: Operation) -> list[Edge]:
    """The ways that an op with known flow may take first."""
    name = op.name
    if name in _CHOICES:
        edges = [Edge(op, 0, region, ()) for region in op.regions if region.blocks.first is not None]
        return edges if len(edges) == len(op.regions) else [*edges, Edge(op, 0, None, ())]
    if name == "scf.while":
        return [_into(op, op, 0, op.regions[0])]
    first = 3 if name == "scf.for" else len(op.operands) - len(operands_of(op, "inits"))
    return [_into(op, op, first, op.regions[0], 1), Edge(op, first, None, op.results)]


def edges_from_end(op: Operation, end: Operation) -> list[Edge] | None:
    """The ways that a terminator in a region of ``op`` may take; None where that is not known."""
    if end.name == "scf.condition":
        return [_into(op, end, 1, op.regions[1]), Edge(end, 1, None, op.results)]
    if end.name not in _ENDS:
        return None
    if op.name == "scf.while":
        return [_into(op, end, 0, op.regions[0])]
    behind = Edge(end, 0, None, op.results)
    return [behind] if op.name in _CHOICES else [_into(op, end, 0, op.regions[0], 1), behind]


def _into(op: Operation, source: Operation, first: int, region: Region, skipped: int = 0) -> Edge:
    block = region.blocks.first
    assert block is not None
    return Edge(source, first, region, block.args[skipped:])


def ends_of(op: Operation) -> Iterator[Operation]:
    """The last ops of the blocks in an op's regions that jump to no other block."""
    for region in op.regions:
        for block in region.blocks:
            last = block.last_op
            if last is not None and not last.successors:
                yield last


def has_known_ends(op: Operation) -> bool:
    """Whether it is known of each end of an op's regions where it leads."""
    return all(_leads_nowhere(end) or edges_from_end(op, end) is not None for end in ends_of(op))


def _leads_nowhere(end: Operation) -> bool:
    return end.name in ("ub.unreachable", "llvm.unreachable")
