"""``control-flow-sink``: operations that only one branch needs move into it."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Block, Operation, Region

from lamina.dialects.core.effects import is_side_effect_free
from lamina.dialects.core.facts import facts_of
from lamina.passes.framework.passes import ANY_OP, Pass, PassContext
from lamina.passes.framework.walk import ops_inside

_RUN_ONCE = frozenset(("scf.if", "scf.index_switch"))
"""The ops whose regions run once at most."""


@dataclass(frozen=True)
class ControlFlowSink(Pass):
    """Move operations into the branch of a conditional that alone uses them, so that the others skip them.

    Only operations without memory effects move, and only into regions that run once at most.

    ```mlir
    func.func @f(%c: i1, %x: f32) -> f32 {
      %0 = math.exp %x : f32
      %1 = math.log %0 : f32
      %r = scf.if %c -> f32 {
        scf.yield %1 : f32
      } else {
        scf.yield %x : f32
      }
      return %r : f32
    }
    ```

    ```mlir
    func.func @f(%c: i1, %x: f32) -> f32 {
      %r = scf.if %c -> (f32) {
        %0 = math.exp %x : f32
        %1 = math.log %0 : f32
        scf.yield %1 : f32
      } else {
        scf.yield %x : f32
      }
      return %r : f32
    }
    ```
    """

    name = "control-flow-sink"
    anchor = ANY_OP
    statistics = {"sunk": "operations moved into a region"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("sunk", sink_into_branches(op))


def sink_into_branches(root: Operation) -> int:
    """Sink operations into the regions of conditionals inside ``root``; returns how many moved."""
    conditionals = [op for op in ops_inside(root) if op.name in _RUN_ONCE]
    # From the last to the first: inner ones before those around them, users before what they use.
    return sum(_sink_into(region) for op in reversed(conditionals) for region in op.regions)


def _sink_into(region: Region) -> int:
    """Move what the ops of a region take from outside, then what those that moved take."""
    entry = region.blocks.first
    if entry is None:
        return 0
    moved = 0
    for op in [op for block in region.blocks for op in block.ops]:
        users = [op]
        while users:
            for value in users.pop().operands:
                maker = value.owner
                if isinstance(maker, Operation) and _can_sink(maker, region):
                    maker.detach()
                    assert entry.first_op is not None
                    entry.insert_op_before(maker, entry.first_op)
                    users.append(maker)
                    moved += 1
    return moved


def _can_sink(op: Operation, region: Region) -> bool:
    if op.parent is None or _is_inside(op.parent, region) or facts_of(op).is_terminator:
        return False
    if not is_side_effect_free(op):
        return False
    users = {use.operation.parent for result in op.results for use in result.uses}
    return all(block is not None and _is_inside(block, region) for block in users)


def _is_inside(block: Block, region: Region) -> bool:
    place: Block | None = block
    while place is not None:
        if place.parent is region:
            return True
        parent = place.parent_op()
        place = parent.parent if parent is not None else None
    return False
