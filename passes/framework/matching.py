"""Watching patterns at work: why they did not match, and whether they change what they say they change.

A pattern says why it does not match by ``return no_match(op, "reason")``. Nothing is kept unless somebody
watches, as ``lamina-opt --why-not=PASS`` and ``--check-patterns`` do.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error
from lamina.passes.framework.fingerprint import fingerprint
from lamina.passes.framework.walk import root_of

_MATCH = "match_and_rewrite"
_STATEMENTS = ("if ", "if(", "elif ", "else:", "case ", "match ", "for ", "while ", "return ", "except")


class Watch:
    """Told of every try of a pattern. Subclasses override what they need."""

    greedy_only = False
    """Whether the patterns of conversions, whose changes come at the end, are not for it."""

    def around(self, pattern: object, op: Operation, apply: Callable[[], bool]) -> bool:
        """Try a pattern on an op by calling ``apply``, and return what it returns: whether it matched."""
        return apply()

    def no_match(self, op: Operation, reason: str, near: float) -> None:
        """The pattern that is tried does not match, for a reason; ``near`` is how far it came, below 1."""


_watches: list[Watch] = []


def watches() -> tuple[Watch, ...]:
    """Who watches at the moment."""
    return tuple(_watches)


@contextmanager
def watching(watch: Watch) -> Iterator[None]:
    """Let somebody watch the patterns that are tried inside."""
    _watches.append(watch)
    try:
        yield
    finally:
        _watches.remove(watch)


def watched(watches: Iterable[Watch], pattern: object, op: Operation, apply: Callable[[], bool]) -> bool:
    """Try a pattern before the eyes of those who watch; whether it matched."""
    for watch in watches:
        apply = partial(watch.around, pattern, op, apply)
    return apply()


def no_match(op: Operation, reason: str) -> None:
    """Say why a pattern does not match: ``return no_match(op, "operand 0 is not a constant")``."""
    if _watches:
        frame = sys._getframe(1)
        near = _progress(frame.f_code, frame.f_lineno)
        for watch in _watches:
            watch.no_match(op, reason, near)


def _progress(code: CodeType, line: int) -> float:
    """How far down its function a line stands: 0 for the first, near 1 for the last."""
    lines = [number for _, _, number in code.co_lines() if number is not None]
    return (line - code.co_firstlineno) / (max(lines) - code.co_firstlineno + 1)


@dataclass(frozen=True)
class Miss:
    """A pattern that was tried on an op and did not match."""

    pattern: str
    reason: str
    near: float


class Misses(Watch):
    """The last reason why each pattern did not match each op that is still there.

    Patterns that give no reason are followed by Python's tracing to the line that gave up; a pattern for
    other operations, which is left before it begins, is no miss.
    """

    def __init__(self, line: int | None = None) -> None:
        self._line = line
        self.tried = self.tried_on_line = 0
        """How many patterns were tried on an op, and on one of the line."""
        self._found: dict[Operation, dict[str, Miss]] = {}
        self._current: list[Miss] = []
        self._pattern = ""
        self._code: CodeType | None = None

    def around(self, pattern: object, op: Operation, apply: Callable[[], bool]) -> bool:
        from lamina.dialects.core.diagnostics import location_of

        place = location_of(op)
        self.tried += 1
        if self._line is not None and (place is None or place.line != self._line):
            return apply()
        self.tried_on_line += 1
        self._pattern, self._current = _name(pattern), []
        self._code = getattr(getattr(pattern, "convert", pattern), "__code__", None)
        before = sys.gettrace()
        sys.settrace(self._trace)
        try:
            matched = apply()
        finally:
            sys.settrace(before)
        of_op = self._found.setdefault(op, {})
        if matched:
            of_op.pop(self._pattern, None)
        elif self._current:
            of_op[self._pattern] = self._current[-1]
        return matched

    def no_match(self, op: Operation, reason: str, near: float) -> None:
        self._current.append(Miss(self._pattern, reason, 1 + near))  # a told reason is better than a line

    def _trace(self, frame: FrameType, event: str, arg: Any) -> Any:
        if frame.f_code.co_name != _MATCH and frame.f_code is not self._code:
            return None
        frame.f_trace_lines = False
        return self._returned

    def _returned(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "return" and not self._current:
            reason = f"gave up at {_guard(frame.f_code, frame.f_lineno)}"
            near = _progress(frame.f_code, frame.f_lineno)
            self._current.append(Miss(self._pattern, reason, near))
        return self._returned

    def all_gone(self) -> bool:
        """Whether no op on which a pattern was tried is still in the program."""
        return all(op.parent is None for op in self._found)

    def by_op(self) -> Iterator[tuple[Operation, list[Miss]]]:
        """The misses of each op that is still in the program, the nearest first."""
        for op, misses in self._found.items():
            if op.parent is not None and misses:
                yield op, sorted(misses.values(), key=lambda miss: -miss.near)


def _guard(code: CodeType, line: int) -> str:
    """The condition above a bare return, else the line itself, with its place."""

    def text(number: int) -> str:
        return linecache.getline(code.co_filename, number).strip()

    last = line
    while line > code.co_firstlineno and text(line) in ("return", "return None", "return False", ""):
        last = line = line - 1
    while line > code.co_firstlineno and not text(line).startswith(_STATEMENTS):
        line -= 1
    shown = " ".join(text(number) for number in range(line, last + 1))
    return f"{Path(code.co_filename).name}:{line}: {shown}"


class CheckedPatterns(Watch):
    """Raises where a pattern reports a change that it did not make, or makes one that it does not report."""

    greedy_only = True

    def around(self, pattern: object, op: Operation, apply: Callable[[], bool]) -> bool:
        root, name = root_of(op), _name(pattern)
        before = fingerprint(root)
        matched = apply()
        changed = before != fingerprint(root)
        if matched and not changed:
            raise error(f"was not changed by the pattern {name}, which reports that it was", op)
        if changed and not matched:
            hint = "a pattern changes the program by the methods of its rewriter"
            raise error(f"was changed by the pattern {name}, which does not report it", op, hint=hint)
        return matched


def _name(pattern: object) -> str:
    """What a pattern is called: its own name or that of its function, else that of its class."""
    name = getattr(pattern, "name", None) or getattr(pattern, "__name__", None)
    return name if isinstance(name, str) else type(pattern).__name__
