"""Analyses: facts about an op that are computed once and kept until a pass changes the op.

An analysis is a class that is made from an operation (and, where it takes two arguments, from the cache, to
build on other analyses). Passes ask for it through :meth:`PassContext.analysis`.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable
from typing import Any, TypeVar

from xdsl.ir import Operation

from lamina.passes.framework.instrumentation import Instrumentation

Analysis = TypeVar("Analysis")


class AnalysisCache:
    """The analyses that hold at the moment, by operation and class."""

    def __init__(self, instrumentation: Iterable[Instrumentation] = ()) -> None:
        self._instrumentation = list(instrumentation)
        self._known: dict[Operation, dict[type[Any], Any]] = {}

    def get(self, kind: type[Analysis], op: Operation) -> Analysis:
        """The analysis of an operation, computed if it is not known."""
        known = self._known.setdefault(op, {})
        if kind not in known:
            for hook in self._instrumentation:
                hook.before_analysis(kind.__name__, op)
            # Nothing is kept if this raises.
            known[kind] = self._made(kind, op)
            for hook in reversed(self._instrumentation):
                hook.after_analysis(kind.__name__, op)
        return known[kind]

    def cached(self, kind: type[Analysis], op: Operation) -> Analysis | None:
        """The analysis of an operation if it is known."""
        return self._known.get(op, {}).get(kind)

    def _made(self, kind: type[Analysis], op: Operation) -> Analysis:
        make: Any = kind
        takes = len(inspect.signature(make).parameters)
        return make(op, self) if takes > 1 else make(op)

    def invalidate(self, op: Operation, preserved: Collection[type[Any]] = ()) -> None:
        """Forget what a change inside ``op`` may have made wrong: of it, what is in it, what is around it."""
        if not self._known:
            return
        around = set(_ancestors(op))
        for other in list(self._known):
            if other not in around and op not in _ancestors(other) and _root(other) is _root(op):
                continue
            kept = {kind: found for kind, found in self._known[other].items() if kind in preserved}
            if kept and _root(other) is _root(op):
                self._known[other] = kept
            else:
                del self._known[other]  # an op that was taken out of the program is forgotten as well

    def clear(self) -> None:
        """Forget everything."""
        self._known.clear()


def _ancestors(op: Operation) -> list[Operation]:
    """An operation and those around it, from the inside out."""
    found = [op]
    while (parent := found[-1].parent_op()) is not None:
        found.append(parent)
    return found


def _root(op: Operation) -> Operation:
    return _ancestors(op)[-1]
