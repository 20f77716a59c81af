"""How many rewrites a program is given, and the error of patterns that never come to rest."""

from __future__ import annotations

from collections import Counter

from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import LaminaError, error, note

_REWRITES_PER_OP = 64
"""A program that comes to rest needs a handful."""


def budget_of(ops: int) -> int:
    """The rewrites that a program of so many ops is given."""
    return max(1000, _REWRITES_PER_OP * ops)


def does_not_converge(op: Operation, limit: int, recent: Counter[str], option: str) -> LaminaError:
    """The error at the op whose rewrite was one too many, with what was busy at the end.

    ``recent`` counts the last 100 rewrites; ``option`` is the one that allows more.
    """
    return error(
        f"is still being rewritten after {limit} rewrites",
        op,
        notes=[note(f"{name}: {count} of the last 100 rewrites") for name, count in recent.most_common(3)],
        hint="two patterns undo each other, or a pattern reports a change it did not make "
        f"(--check-patterns tells); a larger program needs {option}={2 * limit} or more",
    )
