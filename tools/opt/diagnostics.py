"""Where the diagnostics of a run go: to standard error, or to the comments that expect them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lamina.dialects.core.diagnostics import Diagnostic, LaminaError
from lamina.tools.console import report

if TYPE_CHECKING:
    from lamina.tools.opt.expected import ExpectedDiagnostics


class Reports:
    """Shows each diagnostic as it comes; an error makes the run fail."""

    def __init__(self) -> None:
        self.failed = False

    def emit(self, diagnostic: Diagnostic) -> None:
        """Take a diagnostic of the program, a pass or the pipeline."""
        self.failed |= diagnostic.severity == "error"
        report(diagnostic)

    def fail(self, problem: LaminaError) -> None:
        """Take the diagnostics of an error."""
        for diagnostic in problem.diagnostics:
            self.emit(diagnostic)

    def finish(self) -> bool:
        """Whether all went well."""
        return not self.failed


class VerifiedReports(Reports):
    """Compares each diagnostic with the comments of its part of the file; what does not fit fails the run."""

    def __init__(self, text: str, name: str, *, only_expected: bool) -> None:
        from lamina.tools.opt.expected import ExpectedDiagnostics

        super().__init__()
        self._expected: ExpectedDiagnostics | None = None
        try:
            self._expected = ExpectedDiagnostics.of(text, name, only_expected=only_expected)
        except LaminaError as problem:
            super().fail(problem)

    def emit(self, diagnostic: Diagnostic) -> None:
        from lamina.passes.framework.manager import RanOnNothing

        if isinstance(diagnostic, RanOnNothing):
            report(diagnostic)  # about the command line, which no comment in a file knows
        elif self._expected is not None:
            self._expected.take(diagnostic)

    def finish(self) -> bool:
        problems: Iterable[Diagnostic] = self._expected.finish() if self._expected else ()
        for problem in problems:
            super().emit(problem)
        return not self.failed
