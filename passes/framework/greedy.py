"""The driver of ``canonicalize``: folds, patterns, dead code and shared constants, to a fixed point.

Operations stand on a worklist. Each is erased if dead, else folded, else offered to its patterns; what a
change may have made simpler comes back on the list. Constants are kept once per function (or other isolated
op), at the front of its first block. What applies to an op is looked up once for each class of ops.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener, RewritePattern

from lamina.dialects.core.diagnostics import op_name
from lamina.dialects.core.effects import is_removable
from lamina.dialects.core.facts import Facts, facts_named, facts_of
from lamina.dialects.core.simplification import Fold, Folded, Pattern, Rewriter
from lamina.passes.framework.budget import budget_of, does_not_converge
from lamina.passes.framework.matching import Watch, watched, watches
from lamina.passes.framework.walk import ops_inside

Materialise = Callable[[Attribute, Attribute, Operation], "Operation | None"]


@dataclass(frozen=True)
class Plan:
    """What is tried on the ops of one class."""

    facts: Facts
    folds: tuple[Fold, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    foreign: tuple[RewritePattern, ...] = ()
    """Patterns of xDSL's kind."""
    is_shared: bool = False
    """A constant, kept once."""


class Stopped(Exception):
    """The number of rewrites that the caller allows is used up."""


class Greedy(Rewriter):
    """One run over what is inside an op."""

    def __init__(
        self,
        plan_of: Callable[[Operation], Plan],
        materialise: Materialise,
        *,
        max_rewrites: int = -1,
        top_down: bool = True,
    ) -> None:
        """``max_rewrites`` ends the run without an error; -1 leaves the budget, beyond which it is one."""
        self._plan_of = plan_of
        self._materialise = materialise
        self._max_rewrites = max_rewrites
        self._top_down = top_down
        self._plans: dict[type[Operation], Plan] = {}
        self._queue: list[Operation] = []
        self._queued: set[Operation] = set()
        self._constants: dict[tuple[object, ...], Operation] = {}
        self._keys: dict[Operation, tuple[object, ...]] = {}
        self._newest: dict[Block, Operation] = {}
        """The last of the constants at the front of a block."""
        self._entries: dict[Block, Block] = {}
        self._recent: Counter[str] = Counter()
        self.applied: Counter[str] = Counter()
        """How often each pattern, ``fold``, ``dead code`` and ``constants`` changed the program."""
        self.total = 0
        self._watches: tuple[Watch, ...] = ()
        self._listener = PatternRewriterListener(
            operation_insertion_handler=[self.note_insertion],
            operation_removal_handler=[self.note_removal],
            operation_modification_handler=[self.note_change],
            operation_replacement_handler=[self._replaced],
        )

    def sweep(self, root: Operation) -> int:
        """Rewrite everything inside ``root`` until nothing applies; returns the number of changes."""
        self._watches = watches()
        before = self.total
        ops = ops_inside(root)
        limit = self.total + budget_of(len(ops))
        self._queue = [op for op in ops if not self._known_constant(op)]
        if self._top_down:
            self._queue.reverse()
        self._queued = set(self._queue)
        queue, queued = self._queue, self._queued
        while queue:
            if 0 <= self._max_rewrites <= self.total:
                raise Stopped
            op = queue.pop()
            if op not in queued:
                continue
            queued.remove(op)
            name = self._step(op)
            if name is not None:
                self._count(name, op, limit)
        return self.total - before

    def _count(self, name: str, op: Operation, limit: int) -> None:
        self.applied[name] += 1
        self.total += 1
        if self._max_rewrites < 0 and self.total > limit - 99:
            self._recent[f"{name} on '{op_name(op)}'"] += 1
            if self.total > limit:
                raise does_not_converge(op, limit, self._recent, "max-num-rewrites")

    def _plan(self, op: Operation) -> Plan:
        kind = type(op)
        plan = self._plans.get(kind)
        if plan is None:
            plan = self._plans[kind] = self._plan_of(op)
        return plan

    def _step(self, op: Operation) -> str | None:
        """Change one op if something applies; returns the name of what did."""
        plan = self._plan(op)
        for result in op.results:
            if result.first_use is not None:
                break
        else:
            if is_removable(op):
                self.erase(op)
                return "dead code"
        if plan.is_shared:
            return None
        self.current = op
        if self._watches:
            return self._step_watched(op, plan)
        for rule in plan.folds:
            folded = rule(op)
            if folded is not None and folded is not False and self._use(op, folded):
                return "fold"
        for rule in plan.patterns:
            if rule(op, self):
                return rule.__name__
        return self._foreign(op, plan.foreign) if plan.foreign else None

    def _step_watched(self, op: Operation, plan: Plan) -> str | None:
        """As :meth:`_step`, with everybody told who watches."""

        def fold(rule: Fold) -> bool:
            folded = rule(op)
            return folded is not None and folded is not False and self._use(op, folded)

        for rule in plan.folds:
            if watched(self._watches, rule, op, partial(fold, rule)):
                return "fold"
        for rule in plan.patterns:
            if watched(self._watches, rule, op, lambda rule=rule: bool(rule(op, self))):
                return rule.__name__
        for rule in plan.foreign:
            if watched(self._watches, rule, op, lambda rule=rule: self._foreign(op, (rule,)) is not None):
                return type(rule).__name__
        return None

    def _foreign(self, op: Operation, patterns: Sequence[RewritePattern]) -> str | None:
        rewriter = PatternRewriter(op)
        rewriter.extend_from_listener(self._listener)
        for rule in patterns:
            rule.match_and_rewrite(op, rewriter)
            if rewriter.has_done_action:
                return type(rule).__name__
        return None

    def _use(self, op: Operation, folded: Folded) -> bool:
        """Replace an op by what its fold says; False where that cannot stand for it."""
        if folded is True:
            self.note_change(op)
            return True
        values = folded if isinstance(folded, list | tuple) else (folded,)
        found: list[SSAValue | None] = []
        for result, value in zip(op.results, values, strict=True):  # pyright: ignore[reportArgumentType]
            if isinstance(value, Attribute):
                value = self.constant(value, result.type, op)
            if not isinstance(value, SSAValue):
                if result.first_use is not None:
                    return False
                value = None
            elif value.type != result.type or value.owner is op:
                return False
            found.append(value)
        for result, value in zip(op.results, found, strict=True):
            if value is not None:
                self.replace_uses(result, value)
        return self.erase(op)

    # Constants

    def constant(self, value: Attribute, type: Attribute, near: Operation) -> SSAValue | None:
        """The shared constant that ``near`` can use; None where the value is no constant of the type."""
        made = self._materialise(value, type, near)
        if made is None:
            return None
        entry = self._entry_of(near)
        key = _constant_key(made, entry)
        known = self._constants.get(key)
        if known is not None:
            made.erase()
            return known.results[0]
        made.location = near.location
        self._place(made, entry)
        if self._plan(made).is_shared:
            self._remember(made, key)
        self._push(made)
        return made.results[0]

    def _known_constant(self, op: Operation) -> bool:
        """Share a constant of the program, and move it to the front; True where an equal one replaced it."""
        if not self._plan(op).is_shared or op in self._keys:
            return False
        entry = self._entry_of(op)
        key = _constant_key(op, entry)
        known = self._constants.get(key)
        if known is not None:
            op.results[0].replace_all_uses_with(known.results[0])
            self.erase(op)
            self.applied["constants"] += 1
            self.total += 1
            return True
        previous = op.prev_op
        if op.parent is not entry or (previous is not None and previous not in self._keys):
            op.detach()
            self._place(op, entry)
        else:
            self._newest[entry] = op
        self._remember(op, key)
        return False

    def _place(self, constant: Operation, entry: Block) -> None:
        """Insert a constant behind those that stand at the front of a block already."""
        newest = self._newest.get(entry)
        if newest is not None and newest.parent is entry:
            entry.insert_op_after(constant, newest)
        elif entry.first_op is not None:
            entry.insert_op_before(constant, entry.first_op)
        else:
            entry.add_op(constant)
        self._newest[entry] = constant

    def _remember(self, op: Operation, key: tuple[object, ...]) -> None:
        self._constants[key] = op
        self._keys[op] = key

    def _entry_of(self, op: Operation) -> Block:
        """The block at whose front the constants for an op stand."""
        block = op.parent
        assert block is not None
        entry = self._entries.get(block)
        if entry is None or entry.parent is None:
            entry = self._entries[block] = _find_entry(block)
        return entry

    # What happens to the program

    def _push(self, op: Operation) -> None:
        if op not in self._queued:
            self._queued.add(op)
            self._queue.append(op)

    def note_insertion(self, op: Operation) -> None:
        for inner in (op, *ops_inside(op)) if op.regions else (op,):
            if isinstance(inner.location, UnknownLoc):
                inner.location = self.current.location
            self._push(inner)

    def note_change(self, op: Operation) -> None:
        self._push(op)
        for result in op.results:
            self.note_users(result)

    def note_users(self, value: SSAValue) -> None:
        for use in value.uses:
            self._push(use.operation)

    def note_removal(self, op: Operation) -> None:
        gone = (op, *ops_inside(op)) if op.regions else (op,)
        for inner in gone:
            key = self._keys.pop(inner, None)
            if key is not None:
                del self._constants[key]
                self._forget_newest(inner)
            for operand in inner.operands:
                owner = operand.owner
                if isinstance(owner, Block):
                    owner = owner.parent_op()
                if owner is not None and owner.parent is not None:
                    self._push(owner)
        self._queued.difference_update(gone)

    def _forget_newest(self, constant: Operation) -> None:
        block = constant.parent
        if block is not None and self._newest.get(block) is constant:
            previous = constant.prev_op
            if previous is not None and previous in self._keys:
                self._newest[block] = previous
            else:
                del self._newest[block]

    def _replaced(self, op: Operation, values: Sequence[SSAValue | None]) -> None:
        for result in op.results:
            self.note_users(result)


def _find_entry(block: Block) -> Block:
    """The first block of the region that constants may not leave: of an isolated or an unknown op."""
    region: Region | None = block.parent
    while region is not None:
        parent = region.parent
        if parent is None or parent.parent is None:
            break
        facts = facts_of(parent)
        if not facts.is_known or "I" in facts.traits:
            break
        region = parent.parent.parent
    assert region is not None and region.blocks.first is not None
    return region.blocks.first


def _constant_key(op: Operation, entry: Block) -> tuple[object, ...]:
    return (entry, op.name, *op.properties.items(), op.results[0].type)


def is_shared_constant(op: Operation) -> bool:
    """Whether equal ops of this class may be merged, and moved to the front of the function."""
    facts = facts_named(op.name)
    return facts is not None and facts.is_constant and len(op.results) == 1 and not op.operands
