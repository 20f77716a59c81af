"""Which operations and values something that can be seen depends on.

A value that is only passed on, to a block, a loop, a result or a function whose callers are all known, is
live where something behind it is. What stands in a block that cannot be reached is dead.
"""

from __future__ import annotations

from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.ir.core import OpResult

from lamina.dialects.core.branches import edges_into, successor_spans
from lamina.dialects.core.effects import own_effects
from lamina.dialects.core.facts import facts_of
from lamina.dialects.core.region_flow import (
    Edge,
    edges_from_end,
    edges_from_op,
    ends_of,
    has_flow,
    has_known_ends,
)
from lamina.passes.framework.walk import ops_inside
from lamina.passes.general._calls import is_return
from lamina.passes.general._constant_flow import UNREACHABLE, ConstantFlow


def flow_edges(op: Operation) -> list[Edge] | None:
    """All the ways that values take between an op and its regions; None where they are not known."""
    if not has_flow(op) or not has_known_ends(op):
        return None
    return edges_from_op(op) + [edge for end in ends_of(op) for edge in edges_from_end(op, end) or ()]


class Liveness:
    """The live ops and values inside an op."""

    def __init__(self, root: Operation) -> None:
        self.ops: set[Operation] = set()
        self.values: set[SSAValue] = set()
        flow = ConstantFlow(root)
        self.calls = flow.calls
        self._executable = flow.executable
        self.functions = {op for op in flow.calls.closed if _can_change(op)}
        """The functions whose signature may be changed, with all calls of them."""
        self._kept: list[Operation] = []
        self._needed: list[SSAValue] = []
        self._keep(root)
        for op in ops_inside(root):
            if op.parent in self._executable and _acts(op):
                self._keep(op)
        while self._kept or self._needed:
            if self._kept:
                self._follow(self._kept.pop())
            else:
                self._trace(self._needed.pop())

    def _keep(self, op: Operation | None) -> None:
        if op is not None and op not in self.ops:
            self.ops.add(op)
            self._kept.append(op)

    def _need(self, value: SSAValue) -> None:
        if value not in self.values:
            self.values.add(value)
            self._needed.append(value)

    def _follow(self, op: Operation) -> None:
        """What a live op needs: the op around it, operands that it does not only pass on, ends of regions."""
        self._keep(op.parent_op())
        passed = self._passed(op)
        for number, value in enumerate(op.operands):
            if number not in passed:
                self._need(value)
        if op.successors and successor_spans(op) is None:
            for block in op.successors:
                for argument in block.args:
                    self._need(argument)
        for region in op.regions:
            for block in region.blocks:
                last = block.last_op
                if last is not None and block in self._executable and facts_of(last).is_terminator:
                    self._keep(last)

    def _passed(self, op: Operation) -> set[int] | range:
        """The numbers of the operands that an op only passes on."""
        if self.calls.callees.get(op) in self.functions:
            return self._arguments(op)
        if op.successors:
            return {number for span in successor_spans(op) or () for number in range(*span)}
        parent = op.parent_op()
        if op.next_op is None and parent is not None:
            if parent in self.functions and is_return(op, parent):
                return range(len(op.operands))
            if has_flow(parent) and has_known_ends(parent):
                return _numbers(edges_from_end(parent, op) or [])
        if has_flow(op) and has_known_ends(op):
            return _numbers(edges_from_op(op))
        return range(0)

    def _arguments(self, call: Operation) -> range:
        entry = self.calls.callees[call].regions[0].blocks.first
        assert entry is not None
        return range(len(entry.args))

    def _trace(self, value: SSAValue) -> None:
        """Where a live value comes from."""
        owner = value.owner
        if isinstance(owner, Block):
            assert isinstance(value, BlockArgument)
            self._trace_argument(owner, value.index)
            return
        assert isinstance(value, OpResult)
        self._keep(owner)
        function = self.calls.callees.get(owner)
        if function is not None and function in self.functions:
            for end in ends_of(function):
                if end.parent in self._executable and is_return(end, function):
                    self._need(end.operands[value.index])
        for edge in flow_edges(owner) or ():
            if edge.region is None and edge.inputs:
                self._need_passed(edge, value.index)

    def _trace_argument(self, block: Block, index: int) -> None:
        parent = block.parent_op()
        if block.prev_block is not None:
            for op, successor in edges_into(block):
                spans = successor_spans(op)
                if spans is not None and op.parent in self._executable:
                    self._need(op.operands[spans[successor][0] + index])
        elif parent is not None and parent in self.functions:
            for call in self.calls.callers.get(parent, ()):
                if call.parent in self._executable:
                    self._need(call.operands[index])
        elif parent is not None:
            for edge in flow_edges(parent) or ():
                if edge.region is block.parent:
                    number = index - (len(block.args) - len(edge.inputs))
                    if number >= 0:
                        self._need_passed(edge, number)

    def _need_passed(self, edge: Edge, number: int) -> None:
        if edge.source.parent in self._executable:
            self._need(edge.source.operands[edge.first + number])


def _numbers(edges: list[Edge]) -> set[int]:
    return {number for edge in edges for number, _ in edge.passed()}


def _can_change(function: Operation) -> bool:
    ends = list(ends_of(function))
    return function.name == "func.func" and all(
        is_return(end, function) or end.name in UNREACHABLE for end in ends
    )


def _acts(op: Operation) -> bool:
    """Whether an op, without those inside it, does something that can be seen."""
    facts = facts_of(op)
    if not facts.is_known or "Y" in facts.traits:
        return True
    if facts.is_terminator:
        return False
    if facts.is_pure:
        return not op.results
    own = own_effects(op, facts)
    return own is None or bool(own)
