"""Greedy rewriting: patterns applied until nothing changes, within a budget.

New operations take the location of the operation whose rewrite made them. A set of patterns that never
comes to rest is reported with the patterns and the op that alternate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener, RewritePattern

from lamina.dialects.core.diagnostics import op_name
from lamina.passes.framework.budget import budget_of, does_not_converge
from lamina.passes.framework.effects import is_dead
from lamina.passes.framework.matching import Watch, no_match, watched, watches

__all__ = ["apply_patterns", "no_match"]


def apply_patterns(
    root: Operation,
    patterns: Iterable[RewritePattern],
    max_rewrites: int | None = None,
    *,
    remove_dead: bool = True,
) -> int:
    """Apply patterns greedily to everything inside ``root``; returns the number of rewrites.

    ``remove_dead`` also erases pure operations without uses. Beyond ``max_rewrites`` (by default 64 per op) a
    :class:`LaminaError` names the patterns that alternate.
    """
    return _Driver(list(patterns), max_rewrites, remove_dead).run(root)


class _Driver:
    """A worklist over operations; each is erased if dead, else offered to the patterns."""

    def __init__(
        self, patterns: Sequence[RewritePattern], max_rewrites: int | None, remove_dead: bool
    ) -> None:
        self._patterns = patterns
        self._max_rewrites = max_rewrites
        self._remove_dead = remove_dead
        self._queue: list[Operation] = []
        self._queued: set[Operation] = set()
        self._erased: set[Operation] = set()
        self._current: Operation | None = None
        self._recent: Counter[str] = Counter()
        self._watches: tuple[Watch, ...] = ()
        self._listener = PatternRewriterListener(
            operation_insertion_handler=[self._inserted],
            operation_removal_handler=[self._removed],
            operation_modification_handler=[self._push_with_users],
            operation_replacement_handler=[self._replaced],
        )

    def run(self, root: Operation) -> int:
        """Rewrite everything inside ``root`` (not ``root`` itself); returns the number of changes."""
        self._watches = watches()
        ops = [op for op in root.walk() if op is not root]
        limit = self._max_rewrites or budget_of(len(ops))
        for op in reversed(ops):
            self._push(op)
        total = 0
        while self._queue:
            op = self._queue.pop()
            self._queued.discard(op)
            if op in self._erased or op.parent is None:
                continue
            name = self._step(op)
            if name is None:
                continue
            total += 1
            if total > limit - 99:
                self._recent[f"{name} on '{op_name(op)}'"] += 1
            if total > limit:
                raise does_not_converge(op, limit, self._recent, "max-rewrites")
        return total

    def _step(self, op: Operation) -> str | None:
        """Change one op if something applies; returns the name of what did."""
        if self._remove_dead and is_dead(op):
            self._erase(op)
            return "dead code"
        self._current = op
        rewriter = PatternRewriter(op)
        rewriter.extend_from_listener(self._listener)
        for pattern in self._patterns:
            if self._watches:
                self._try_watched(pattern, op, rewriter)
            else:
                pattern.match_and_rewrite(op, rewriter)
            if rewriter.has_done_action:
                return type(pattern).__name__
        return None

    def _try_watched(self, pattern: RewritePattern, op: Operation, rewriter: PatternRewriter) -> None:
        def apply() -> bool:
            pattern.match_and_rewrite(op, rewriter)
            return rewriter.has_done_action

        watched(self._watches, pattern, op, apply)

    def _erase(self, op: Operation) -> None:
        self._removed(op)
        assert op.parent is not None
        op.parent.erase_op(op)

    def _push(self, op: Operation) -> None:
        if op not in self._queued:
            self._queued.add(op)
            self._queue.append(op)

    def _push_with_users(self, op: Operation) -> None:
        self._push(op)
        for result in op.results:
            for use in result.uses:
                self._push(use.operation)

    def _inserted(self, op: Operation) -> None:
        for inner in op.walk():
            if isinstance(inner.location, UnknownLoc) and self._current is not None:
                inner.location = self._current.location
            self._push(inner)

    def _removed(self, op: Operation) -> None:
        for inner in op.walk():
            self._erased.add(inner)
            for operand in inner.operands:
                if isinstance(operand.owner, Operation):
                    self._push(operand.owner)
                elif isinstance(operand.owner, Block) and (parent := operand.owner.parent_op()) is not None:
                    self._push(parent)

    def _replaced(self, op: Operation, values: Sequence[SSAValue | None]) -> None:
        for result in op.results:
            for use in result.uses:
                self._push(use.operation)
