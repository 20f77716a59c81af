"""``--verify-diagnostics``: each diagnostic is one that a comment expects, and each expected one comes.

A comment ``expected-error {{text}}`` expects an error on its line that contains the text; ``@above``,
``@below``, ``@+2``, ``@-1`` stand for another line, ``@unknown`` for no place at all, ``expected-error-re``
for a text whose parts in ``{{…}}`` are regular expressions, and a number before the text for so many.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lamina.dialects.core.diagnostics import Diagnostic, Location, error
from lamina.dialects.core.later import regex

_EXPECTED = regex(
    r"expected-(error|note|remark|warning)(-re)? *(?:@([+-][0-9]+|above|below|unknown))? *(\d+)? *"
    r"\{\{(.*)\}\}[ \t]*$",
    re.MULTILINE,
)


@dataclass
class Expectation:
    """One comment: what is expected where, and how often it still is."""

    severity: str
    pattern: re.Pattern[str]
    text: str
    line: int | None
    """The line of the diagnostic, None for one without a place."""
    place: Location
    """Where the comment stands."""
    left: int = 1

    def fits(self, diagnostic: Diagnostic) -> bool:
        """Whether this could be the text of the diagnostic, whatever its severity."""
        return self.left > 0 and self.pattern.search(diagnostic.message) is not None


@dataclass
class ExpectedDiagnostics:
    """Compares the diagnostics of one part of a file with the comments in it."""

    name: str
    expectations: list[Expectation]
    only_expected: bool = False
    """Let diagnostics pass that nothing expects."""
    problems: list[Diagnostic] = field(default_factory=list)
    """What did not fit, in order."""

    @classmethod
    def of(cls, text: str, name: str, *, only_expected: bool = False) -> ExpectedDiagnostics:
        """The expectations that stand in a text."""
        return cls(name, _expectations(text, name), only_expected)

    def take(self, diagnostic: Diagnostic) -> None:
        """Compare a diagnostic and its notes with what is still expected."""
        self._take_one(diagnostic)
        for inner in diagnostic.notes:
            self.take(inner)

    def _take_one(self, diagnostic: Diagnostic) -> None:
        place = diagnostic.location
        line = place.line if place is not None and place.line and place.file == self.name else None
        near: Expectation | None = None
        for expected in self.expectations:
            if expected.line != line or not expected.fits(diagnostic):
                continue
            if expected.severity == diagnostic.severity:
                expected.left -= 1
                return
            near = near or expected
        if self.only_expected:
            return
        if near is not None:
            message = f"'{diagnostic.severity}' diagnostic emitted when expecting a '{near.severity}'"
            self.problems.append(Diagnostic(message, near.place))
        else:
            message = f"unexpected {diagnostic.severity}: {diagnostic.message}"
            self.problems.append(Diagnostic(message, place, hint=diagnostic.hint))

    def finish(self) -> list[Diagnostic]:
        """All that did not fit, with what never came."""
        missing = [
            Diagnostic(f'expected {expected.severity} "{expected.text}" was not produced', expected.place)
            for expected in self.expectations
            for _ in range(expected.left)
        ]
        return self.problems + missing


def _expectations(text: str, name: str) -> list[Expectation]:
    lines = text.split("\n")
    found: list[Expectation] = []
    for number, content in enumerate(lines, 1):
        match = _EXPECTED.search(content)
        if match is None:
            continue
        severity, is_regex, where, count, wanted = match.groups()
        place = Location(name, number, match.start() + 1)
        pattern = _regular_expression(wanted, place) if is_regex else re.compile(re.escape(wanted))
        line = _line_of(where, number, lines)
        found.append(Expectation(severity, pattern, wanted, line, place, int(count or 1)))
    return found


def _line_of(where: str | None, number: int, lines: list[str]) -> int | None:
    """The line that a comment is about; several comments on one line's diagnostics stand together."""
    match where:
        case None:
            return number
        case "unknown":
            return None
        case "above":
            return _beyond(number, -1, lines)
        case "below":
            return _beyond(number, 1, lines)
        case _:
            return number + int(where)


def _beyond(number: int, step: int, lines: list[str]) -> int:
    line = number + step
    while 0 < line <= len(lines) and _EXPECTED.search(lines[line - 1]):
        line += step
    return line


def _regular_expression(text: str, place: Location) -> re.Pattern[str]:
    """The pattern for text in which ``{{…}}`` holds regular expressions."""
    pieces: list[str] = []
    rest = text
    while "{{" in rest:
        plain, _, rest = rest.partition("{{")
        inside, closed, rest = rest.partition("}}")
        if not closed:
            raise error("found start of regex with no end '}}'", place)
        pieces += [re.escape(plain), f"(?:{inside})"]
    pieces.append(re.escape(rest))
    try:
        return re.compile("".join(pieces))
    except re.error as problem:
        raise error(f"invalid regex: {problem}", place) from None
