"""Carrying out a conversion: every operation that has to go is converted, or nothing is changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace as replaced

from xdsl.ir import Operation, SSAValue

from lamina.dialects.core.diagnostics import LaminaError, location_of, op_name
from lamina.passes.framework.conversion.patterns import ConversionPattern, Convert, PatternTable
from lamina.passes.framework.conversion.report import not_converted
from lamina.passes.framework.conversion.rewriter import ConversionRewriter
from lamina.passes.framework.conversion.target import ConversionTarget
from lamina.passes.framework.conversion.types import TypeConverter
from lamina.passes.framework.matching import Watch, watched, watches, watching
from lamina.passes.framework.walk import ops_inside

Patterns = PatternTable | Mapping[str, Convert] | Iterable[ConversionPattern]


def apply_partial_conversion(
    root: Operation, target: ConversionTarget, patterns: Patterns, converter: TypeConverter | None = None
) -> int:
    """Convert what is illegal inside ``root`` (not ``root`` itself); returns how many operations were.

    Operations that nothing is said about are converted where a pattern is for them, and may stay. Raises
    :class:`LaminaError` that tells what is left illegal; the program is then as it was.
    """
    return _Conversion(target, patterns, converter, full=False).run(root)


def apply_full_conversion(
    root: Operation, target: ConversionTarget, patterns: Patterns, converter: TypeConverter | None = None
) -> int:
    """As :func:`apply_partial_conversion`, but what nothing is said about has to go as well."""
    return _Conversion(target, patterns, converter, full=True).run(root)


class _Reasons(Watch):
    """The last reasons why patterns did not match, by operation."""

    def __init__(self) -> None:
        self.found: dict[Operation, str] = {}

    def no_match(self, op: Operation, reason: str, near: float) -> None:
        self.found[op] = reason


class _Conversion:
    def __init__(
        self, target: ConversionTarget, patterns: Patterns, converter: TypeConverter | None, *, full: bool
    ) -> None:
        self._target = target
        self._patterns = patterns if isinstance(patterns, PatternTable) else PatternTable(patterns)
        self._full = full
        self._rewriter = ConversionRewriter(converter or TypeConverter())
        self._active: set[int] = set()
        self._count = 0
        self._reasons = _Reasons()

    def run(self, root: Operation) -> int:
        """Convert everything inside an operation, or nothing of it."""
        left: list[Operation] = []
        others = tuple(watch for watch in watches() if not watch.greedy_only)
        try:
            with watching(self._reasons):
                for op in ops_inside(root):
                    if not self._is_gone(op) and not self._legalise(op, others):
                        left.append(op)
            if left:
                raise not_converted(left, self._reasons.found)
            self._check_erased()
        except BaseException:
            self._rewriter.rollback()
            raise
        self._rewriter.commit()
        return self._count

    def _is_gone(self, op: Operation) -> bool:
        """Whether the operation, or one around it, was replaced already."""
        replaced = self._rewriter.replaced
        if not self._rewriter.replaced_with_regions:
            return op in replaced
        inner: Operation | None = op
        while inner is not None:
            if inner in replaced:
                return True
            inner = inner.parent_op()
        return False

    def _legalise(self, op: Operation, others: tuple[Watch, ...]) -> bool:
        """Convert an operation if it has to go; whether all is well with it then."""
        legality = self._target.legality(op)
        if legality is True:
            return True
        for pattern in self._patterns.of(op_name(op)):
            if id(pattern) in self._active:
                continue  # it makes operations of its own kind and would go on for ever
            if self._try(pattern, op, others):
                return True
        return legality is None and not self._full

    def _try(self, pattern: ConversionPattern, op: Operation, others: tuple[Watch, ...]) -> bool:
        """Apply a pattern; undone unless it matches and all that it makes can be made legal."""
        rewriter = self._rewriter
        mark, waiting, count = rewriter.mark(), rewriter.inserted, self._count
        rewriter.inserted, outer = [], rewriter.op
        rewriter.op = op

        self._active.add(id(pattern))
        try:
            self._count += 1
            well = watched(others, pattern, op, lambda: self._apply(pattern, op)) and self._new_are_legal(
                op, others
            )
        finally:
            self._active.discard(id(pattern))
            rewriter.inserted, rewriter.op = waiting, outer
        if not well:
            rewriter.rollback(mark)
            self._count = count
        return well

    def _apply(self, pattern: ConversionPattern, op: Operation) -> bool:
        rewriter = self._rewriter
        try:
            given = pattern.convert(op, rewriter.values(op.operands), rewriter)
        except LaminaError as problem:
            place = location_of(op)
            raise LaminaError(
                *(replaced(d, location=d.location or place) for d in problem.diagnostics)
            ) from problem
        if given is None or given is False:
            return False
        if given is not True:
            rewriter.replace(op, [given] if isinstance(given, SSAValue) else list(given))
        return True

    def _new_are_legal(self, op: Operation, others: tuple[Watch, ...]) -> bool:
        """Whether what a pattern made, and the op if it stays, are legal or can be made so."""
        made = self._rewriter.inserted
        if op not in self._rewriter.replaced and self._target.legality(op) is False:
            return False
        return all(
            self._is_gone(inner) or self._legalise(inner, others) for new in made for inner in [*new.walk()]
        )

    def _check_erased(self) -> None:
        """Values of operations that were erased without values in their place have no users that stay."""
        for op, values in self._rewriter.replaced.items():
            if values:
                continue
            for result in op.results:
                for use in result.uses:
                    if self._rewriter.converter.convert_all(result.type) and not self._is_gone(use.operation):
                        raise ValueError(f"'{op_name(op)}' is erased, but '{op_name(use.operation)}' uses it")
