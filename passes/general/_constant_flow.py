"""Which values are constant, and which blocks can be reached, each assumed until it is refuted.

The analysis of Wegman and Zadeck over the blocks of each region, extended to values that pass between ops and
their regions and between functions and their callers. Operations are folded as :mod:`canonicalize` folds
them: a copy stands in the op's place whose operands are the constants found so far.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from lamina.dialects.core.branches import successor_spans
from lamina.dialects.core.facts import facts_of
from lamina.dialects.core.folding import scalar_of
from lamina.dialects.core.materialization import constant_op
from lamina.dialects.core.region_flow import (
    Edge,
    edges_from_end,
    edges_from_op,
    ends_of,
    has_flow,
    has_known_ends,
)
from lamina.dialects.core.simplification import Folded
from lamina.passes.framework.walk import ops_inside
from lamina.passes.general._calls import calls_inside, is_function, is_return
from lamina.passes.general.canonicalize import plan_of

UNREACHABLE = frozenset(("ub.unreachable", "llvm.unreachable"))
_MOST_ROUNDS = 4
"""Folds of one op that only change it in place, at most."""


class Known(NamedTuple):
    """A constant, and the op that it comes from, which suggests the dialect of its constant op."""

    attribute: Attribute
    origin: Operation


class ConstantFlow:
    """The result for everything inside an op."""

    def __init__(self, root: Operation) -> None:
        self.values: dict[SSAValue, Known | None] = {}
        """What is known of each value that may be computed; None where it is not constant."""
        self.executable: set[Block] = set()
        """The blocks that may be reached."""
        self.calls = calls_inside(root)
        self._queue: list[Operation] = []
        self._queued: set[Operation] = set()
        self._readers: dict[SSAValue, set[Operation]] = {}
        """Ops that were folded to a value that is none of their operands."""
        self._scratch: dict[tuple[Attribute, Attribute, str], SSAValue | None] = {}
        if "I" not in facts_of(root).traits:
            self._forget_outside(root)
        self._enter_all(root)
        while self._queue:
            op = self._queue.pop()
            self._queued.discard(op)
            self._visit(op)

    def _forget_outside(self, root: Operation) -> None:
        for op in ops_inside(root):
            for value in op.operands:
                owner = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
                if owner is not None and (owner is root or not root.is_ancestor(owner)):
                    self.values[value] = None

    # What becomes known

    def _push(self, op: Operation) -> None:
        if op.parent in self.executable and op not in self._queued:
            self._queued.add(op)
            self._queue.append(op)

    def _join(self, value: SSAValue, known: Known | None) -> None:
        """Another constant (or none) may arrive at a value."""
        if value in self.values:
            old = self.values[value]
            if old is None or (known is not None and known.attribute == old.attribute):
                return
            known = None
        self.values[value] = known
        for use in value.uses:
            self._push(use.operation)
        for op in self._readers.get(value, ()):
            self._push(op)

    def _join_all(self, values: Iterable[SSAValue], known: Known | None = None) -> None:
        for value in values:
            self._join(value, known)

    def _pass(self, source: SSAValue, target: SSAValue) -> None:
        if source in self.values:
            self._join(target, self.values[source])

    def _enter(self, block: Block | None) -> None:
        if block is not None and block not in self.executable:
            self.executable.add(block)
            for op in reversed(list(block.ops)):
                self._push(op)

    def _enter_all(self, op: Operation) -> None:
        """Any region of the op may run, with any arguments."""
        for region in op.regions:
            block = region.blocks.first
            if block is not None:
                self._enter(block)
                self._join_all(block.args)

    # What an op does

    def _visit(self, op: Operation) -> None:
        if op.successors:
            self._branch(op)
        elif op.regions:
            self._regions(op)
        elif op in self.calls.callees:
            self._call(op)
        elif op.results:
            self._fold(op)
        if op.next_op is None and not op.successors:
            self._end(op)

    def _branch(self, op: Operation) -> None:
        spans = successor_spans(op)
        chosen: Sequence[int] = range(len(op.successors))
        self._join_all(op.results)
        if spans is not None and not op.name.endswith(".br"):
            chosen = self._chosen_successors(op)
        for index in chosen:
            block = op.successors[index]
            self._enter(block)
            if spans is None:
                self._join_all(block.args)
                continue
            for source, target in zip(op.operands[slice(*spans[index])], block.args, strict=True):
                self._pass(source, target)

    def _chosen_successors(self, op: Operation) -> Sequence[int]:
        flag = op.operands[0]
        if flag not in self.values:
            return ()
        number = scalar_of(self._constant(flag))
        if number is None:
            return range(len(op.successors))
        if op.name.endswith(".cond_br"):
            return (0 if number else 1,)
        from lamina.dialects.cf.simplify.branches import case_numbers

        cases = case_numbers(op)
        return (cases.index(int(number)) + 1 if number in cases else 0,)

    def _regions(self, op: Operation) -> None:
        if is_function(op) and op in self.calls.closed:
            return
        if not has_flow(op) or not has_known_ends(op):
            self._enter_all(op)
            self._join_all(op.results)
            return
        for edge in self._chosen_edges(op):
            if edge.region is not None:
                block = edge.region.blocks.first
                self._enter(block)
                if block is not None:
                    self._join_all(block.args[: len(block.args) - len(edge.inputs)])
            self._take(edge)
        for end in ends_of(op):
            self._push(end)

    def _take(self, edge: Edge) -> None:
        if edge.region is not None:
            self._enter(edge.region.blocks.first)
        for number, target in edge.passed():
            self._pass(edge.source.operands[number], target)

    def _chosen_edges(self, op: Operation) -> list[Edge]:
        edges = edges_from_op(op)
        if op.name in ("scf.if", "scf.index_switch"):
            flag = op.operands[0]
            if flag not in self.values:
                return []
            number = scalar_of(self._constant(flag))
            return edges if number is None else [edges[_chosen_region(op, int(number))]]
        if not op.name.endswith(".for"):
            return edges
        if any(value not in self.values for value in op.operands[: edges[0].first]):
            return []
        count = self._trip_count(op)
        return edges if count is None else [edges[0 if count else 1]]

    def _trip_count(self, op: Operation) -> int | None:
        if op.name == "affine.for":
            from lamina.dialects.affine.simplify.regions import trip_count as affine_trip_count

            return affine_trip_count(op)
        from lamina.dialects.scf.simplify.structure import trip_count

        low, high, step = map(self._constant, op.operands[:3])
        return trip_count(low, high, step, unsigned=op.get_attr_or_prop("unsignedCmp") is not None)

    def _end(self, op: Operation) -> None:
        """Values that the end of a region passes on."""
        parent = op.parent_op()
        if parent is None or op.name in UNREACHABLE:
            return
        if is_function(parent):
            for call in self.calls.callers.get(parent, ()):
                self._return(op, parent, call)
        elif has_flow(parent) and has_known_ends(parent):
            edges = edges_from_end(parent, op) or []
            if op.name == "scf.condition":
                flag = op.operands[0]
                if flag not in self.values:
                    return
                number = scalar_of(self._constant(flag))
                edges = edges if number is None else edges[:1] if number else edges[1:]
            elif parent.name.endswith(".for") and self._trip_count(parent) == 1:
                edges = edges[1:]
            for edge in edges:
                self._take(edge)

    def _call(self, op: Operation) -> None:
        function = self.calls.callees[op]
        entry = function.regions[0].blocks.first
        assert entry is not None
        if function in self.calls.closed:
            self._enter(entry)
            for source, target in zip(op.operands, entry.args, strict=False):
                self._pass(source, target)
        for end in ends_of(function):
            if end.parent in self.executable:
                self._return(end, function, op)

    def _return(self, end: Operation, function: Operation, call: Operation) -> None:
        if call.parent not in self.executable or end.name in UNREACHABLE:
            return
        if not is_return(end, function):
            self._join_all(call.results)
            return
        for source, target in zip(end.operands, call.results, strict=True):
            self._pass(source, target)

    # Folding

    def _fold(self, op: Operation) -> None:
        if any(value not in self.values for value in op.operands):
            return
        facts = facts_of(op)
        if facts.is_constant and not op.operands:
            value = op.get_attr_or_prop("value")
            self._join(op.results[0], Known(value, op) if value is not None else None)
            return
        if all(result in self.values and self.values[result] is None for result in op.results):
            return
        if not facts.is_known or not plan_of(op).folds:
            self._join_all(op.results)
            return
        folded = self._folded(op)
        if folded is None or isinstance(folded, bool):
            self._join_all(op.results)
            return
        values = folded if isinstance(folded, list | tuple) else (folded,)
        for result, value in zip(op.results, values, strict=True):  # pyright: ignore[reportArgumentType]
            self._become(op, result, value)

    def _become(self, op: Operation, result: SSAValue, value: object) -> None:
        if isinstance(value, Attribute):
            self._join(result, Known(value, op))
        elif not isinstance(value, SSAValue) or value.type != result.type:
            self._join(result, None)
        elif isinstance(value.owner, Operation) and value.owner.parent is None:
            attribute = value.owner.get_attr_or_prop("value")
            self._join(result, Known(attribute, op) if attribute is not None else None)
        else:
            self._readers.setdefault(value, set()).add(op)
            self._pass(value, result)

    def _folded(self, op: Operation) -> Folded:
        """What a copy of the op folds to that stands in its place and has constants as operands."""
        assert op.parent is not None
        copy = type(op).create(
            operands=[self._constant(value) for value in op.operands],
            result_types=[result.type for result in op.results],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
        )
        op.parent.insert_op_before(copy, op)
        try:
            return _fold_repeatedly(copy)
        finally:
            op.parent.erase_op(copy, safe_erase=False)

    def _constant(self, value: SSAValue) -> SSAValue:
        """A constant that stands nowhere for a value known to be constant; else the value itself."""
        known = self.values.get(value)
        owner = value.owner
        if known is None or (isinstance(owner, Operation) and facts_of(owner).is_constant):
            return value
        key = (known.attribute, value.type, known.origin.name.partition(".")[0])
        if key not in self._scratch:
            made = constant_op(known.attribute, value.type, known.origin)
            self._scratch[key] = made.results[0] if made is not None else None
        return self._scratch[key] or value


def _fold_repeatedly(op: Operation) -> Folded:
    folds = plan_of(op).folds
    for _ in range(_MOST_ROUNDS):
        changed = False
        for rule in folds:
            folded = rule(op)
            if folded is True:
                changed = True
                break
            if folded is not None and folded is not False:
                results = folded if isinstance(folded, list | tuple) else (folded,)
                if not any(isinstance(v, SSAValue) and v.owner is op for v in results):
                    return folded
        if not changed:
            return None
    return None


def _chosen_region(op: Operation, number: int) -> int:
    if op.name == "scf.if":
        return 0 if number else 1
    cases = op.get_attr_or_prop("cases")
    numbers = [int(v.value.data if isinstance(v, IntegerAttr) else v) for v in cases.get_values()]  # pyright: ignore
    return numbers.index(number) + 1 if number in numbers else 0
