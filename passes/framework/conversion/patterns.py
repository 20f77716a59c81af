"""Patterns of conversions: from one operation to operations that are legal, or nearer to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, cast

from xdsl.ir import Operation, SSAValue

if TYPE_CHECKING:
    from lamina.passes.framework.conversion.rewriter import ConversionRewriter

Convert: TypeAlias = Callable[
    ["Operation", "Sequence[SSAValue]", "ConversionRewriter"], "SSAValue | Sequence[SSAValue] | bool | None"
]
"""Takes an operation, its operands (converted) and a rewriter.

Gives the values that stand for the results (an empty sequence for none), True where it changed or replaced
the operation through the rewriter, and None where it does not match; see :func:`no_match`.
"""


@dataclass(frozen=True)
class ConversionPattern:
    """A conversion of operations of one name."""

    op_name: str
    convert: Convert
    benefit: int = 1
    """Patterns of higher benefit are tried first."""

    @property
    def name(self) -> str:
        """What reports call the pattern: the name of its function."""
        return getattr(self.convert, "__name__", type(self.convert).__name__).lstrip("_")


class PatternTable:
    """Patterns by the name of their operation, in the order in which they are tried."""

    def __init__(self, patterns: Iterable[ConversionPattern] | Mapping[str, Convert]) -> None:
        if isinstance(patterns, Mapping):
            rows = cast("Mapping[str, Convert]", patterns)
            patterns = [ConversionPattern(name, convert) for name, convert in rows.items()]
        self._by_name: dict[str, list[ConversionPattern]] = {}
        for pattern in patterns:
            self._by_name.setdefault(pattern.op_name, []).append(pattern)
        for found in self._by_name.values():
            found.sort(key=lambda pattern: -pattern.benefit)

    def of(self, name: str) -> Sequence[ConversionPattern]:
        """The patterns for operations of a name."""
        return self._by_name.get(name, ())
