"""What an import cannot express, collected over the whole model and told in one error."""

from __future__ import annotations

from dataclasses import dataclass, field

from lamina.dialects.core.diagnostics import Diagnostic, LaminaError, Location, note


@dataclass
class Failure:
    """Operations of one name that fail for one reason."""

    first: str
    """What the first one is called in the model, if anything."""
    location: Location | None
    count: int = 0


@dataclass
class Failures:
    """The failures of one import by operation and reason."""

    noun: str = "node"
    """What the format calls an operation in a model."""
    found: dict[tuple[str, str], Failure] = field(default_factory=dict)

    def add(self, name: str, reason: str, first: str, location: Location | None) -> None:
        """Note that an operation cannot be converted."""
        self.found.setdefault((name, reason), Failure(first, location)).count += 1

    def error(self, hint: str) -> LaminaError:
        """One error for all, at the place of the first."""
        lines = [note(self._describe(*key, self.found[key])) for key in sorted(self.found)]
        place = next(iter(self.found.values())).location
        names = sorted({name for name, _ in self.found})
        message = f"the model uses operators that cannot be converted: {', '.join(names)}"
        return LaminaError(Diagnostic(message, place, notes=tuple(lines), hint=hint))

    def _describe(self, name: str, reason: str, failure: Failure) -> str:
        count = f"{failure.count} {self.noun}s" if failure.count > 1 else f"1 {self.noun}"
        first = failure.first or str(failure.location or "")
        return f"{name}: {count}, first '{first}': {reason}"
