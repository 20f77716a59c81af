"""The goal of a conversion: which operations are legal."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import op_name

Name: TypeAlias = str | type[Operation]
Predicate: TypeAlias = Callable[[Operation], bool]


class ConversionTarget:
    """Legality by operation, else by dialect, else by the rule for all that is not named.

    What nothing is said about is unknown: a partial conversion leaves it where no pattern is for it, a full
    conversion does not.
    """

    def __init__(self) -> None:
        self._ops: dict[str, bool | Predicate] = {}
        self._dialects: dict[str, bool | Predicate] = {}
        self._others: bool | Predicate | None = None

    def legal_op(self, *names: Name) -> ConversionTarget:
        """Operations that may stay."""
        return self._say(self._ops, _names(names), True)

    def illegal_op(self, *names: Name) -> ConversionTarget:
        """Operations that have to go."""
        return self._say(self._ops, _names(names), False)

    def dynamically_legal_op(self, legal: Predicate, *names: Name) -> ConversionTarget:
        """Operations that may stay where a function says so."""
        return self._say(self._ops, _names(names), legal)

    def legal_dialect(self, *names: str) -> ConversionTarget:
        """Dialects whose operations may stay."""
        return self._say(self._dialects, names, True)

    def illegal_dialect(self, *names: str) -> ConversionTarget:
        """Dialects whose operations have to go."""
        return self._say(self._dialects, names, False)

    def dynamically_legal_dialect(self, legal: Predicate, *names: str) -> ConversionTarget:
        """Dialects whose operations may stay where a function says so."""
        return self._say(self._dialects, names, legal)

    def others_legal(self, legal: bool | Predicate = True) -> ConversionTarget:
        """What holds for all operations that are not named, in place of "unknown"."""
        self._others = legal
        return self

    def legality(self, op: Operation) -> bool | None:
        """Whether an operation is legal; None if nothing is said about it."""
        name = op_name(op)
        rule = self._ops.get(name)
        if rule is None:
            rule = self._dialects.get(name.split(".", 1)[0], self._others)
        return rule(op) if callable(rule) else rule

    def _say(
        self, where: dict[str, bool | Predicate], names: Iterable[str], rule: bool | Predicate
    ) -> ConversionTarget:
        where.update((name, rule) for name in names)
        return self


def _names(names: Iterable[Name]) -> list[str]:
    return [name if isinstance(name, str) else name.name for name in names]
