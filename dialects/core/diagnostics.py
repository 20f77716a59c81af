"""One type for everything Lamina has to tell a user: location, message, notes and a hint.

Errors are raised where the cause is known, as :class:`LaminaError`, and rendered in one place,
:func:`render`, which the command lines call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from lamina.dialects.core.hints import hint_for

if TYPE_CHECKING:
    from xdsl.ir import Attribute, Operation

_UNREGISTERED = "builtin.unregistered"
"""The name of the ops that hold the name they are written with as an attribute."""

Severity = Literal["error", "warning", "remark", "note"]


@dataclass(frozen=True)
class Location:
    """A place in a text: file name, line and column, both counted from 1 (0 where unknown)."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        parts = [self.file, *(str(n) for n in (self.line, self.column) if n)]
        return ":".join(parts)


@dataclass(frozen=True)
class Diagnostic:
    """A message with the place it is about, notes that explain it, and what to do next."""

    message: str
    location: Location | None = None
    severity: Severity = "error"
    notes: tuple[Diagnostic, ...] = ()
    hint: str | None = None
    pass_name: str | None = None
    """The pass that was running when the message was made."""


class LaminaError(Exception):
    """A mistake in the user's input, as one or more diagnostics. Never a bug of Lamina."""

    diagnostics: tuple[Diagnostic, ...]

    def __init__(self, *diagnostics: Diagnostic | str) -> None:
        self.diagnostics = tuple(Diagnostic(d) if isinstance(d, str) else d for d in diagnostics)
        super().__init__("\n".join(d.message for d in self.diagnostics))

    def __str__(self) -> str:
        return "\n".join(render(d) for d in self.diagnostics)

    def in_pass(self, name: str, at: Location | None = None) -> LaminaError:
        """The same error, naming the pass and the place it came from where none is named yet."""
        return LaminaError(
            *(replace(d, pass_name=d.pass_name or name, location=d.location or at) for d in self.diagnostics)
        )


def error(
    message: str,
    at: Operation | Location | None = None,
    *,
    hint: str | None = None,
    notes: Sequence[Diagnostic] = (),
) -> LaminaError:
    """A :class:`LaminaError` with one diagnostic at an operation or a place: ``raise error(…)``."""
    if at is not None and not isinstance(at, Location):
        message = f"'{op_name(at)}' op {message}"
        at = location_of(at)
    return LaminaError(Diagnostic(message, at, notes=tuple(notes), hint=hint or hint_for(message)))


def op_name(op: Operation) -> str:
    """The name an operation is written with (xDSL holds that of an unregistered one as an attribute)."""
    return op.op_name.data if op.name == _UNREGISTERED else op.name  # pyright: ignore[reportAttributeAccessIssue]


def note(message: str, at: Operation | Location | None = None) -> Diagnostic:
    """A note to hang below another diagnostic."""
    return Diagnostic(message, at if at is None or isinstance(at, Location) else location_of(at), "note")


def location_of(op: Operation) -> Location | None:
    """The first file, line and column that an operation's location leads to, if any."""
    return resolve_location(op.location)


def resolve_location(loc: Attribute) -> Location | None:
    """The first file, line and column inside a location attribute (name, call site and fused forms)."""
    # An error may be the first that needs xDSL: calls of compiled code do without.
    from xdsl.dialects.builtin import CallSiteLoc, FileLineColLoc, FusedLoc, NameLoc

    match loc:
        case FileLineColLoc():
            return Location(loc.filename.data, loc.line.data, loc.column.data)
        case _ if loc.name == "builtin.file_line_range_loc":
            return Location(loc.filename.data, loc.line.data, loc.column.data)  # pyright: ignore[reportAttributeAccessIssue]
        case NameLoc():
            return resolve_location(loc.location) or Location(loc.desc.data)
        case CallSiteLoc():
            return resolve_location(loc.callee) or resolve_location(loc.caller)
        case FusedLoc():
            places = (resolve_location(part) for part in getattr(loc.locations, "data", ()))
            return next((place for place in places if place), None)
        case _:
            return None


def did_you_mean(name: str, known: Sequence[str]) -> str | None:
    """``did you mean 'x'?`` for the nearest known name, or None where nothing is near."""
    from difflib import get_close_matches  # only for mistakes

    near = get_close_matches(name, known, n=1, cutoff=0.66)
    return f"did you mean '{near[0]}'?" if near else None


_COLOURS = {"error": "31", "warning": "35", "remark": "34", "note": "36", "hint": "32"}


def render(
    diagnostic: Diagnostic,
    sources: Mapping[str, str] | Callable[[str], str | None] | None = None,
    *,
    colour: bool = False,
) -> str:
    """The text of a diagnostic: ``file:line:col: error: message``, the line with a caret, notes, hint.

    ``sources`` maps a file name to its text; without it, or for a file it does not know, no source
    line is shown.
    """
    lookup = sources.get if isinstance(sources, Mapping) else (sources or (lambda _: None))
    lines: list[str] = []
    for item in (diagnostic, *diagnostic.notes):
        prefix = f"{item.location}: " if item.location else ""
        where = f" [in pass '{item.pass_name}']" if item.pass_name else ""
        lines.append(f"{prefix}{_paint(item.severity, colour)}: {item.message}{where}")
        lines.extend(_excerpt(item.location, lookup))
    if diagnostic.hint:
        lines.append(f"  {_paint('hint', colour)}: {diagnostic.hint}")
    return "\n".join(lines)


def _paint(word: str, colour: bool) -> str:
    return f"\x1b[1;{_COLOURS[word]}m{word}\x1b[0m" if colour else word


def _excerpt(location: Location | None, lookup: Callable[[str], str | None]) -> list[str]:
    """The source line and a caret below the column, cut to a readable width."""
    if location is None or not location.line:
        return []
    text = lookup(location.file)
    if text is None:
        return []
    column = max(location.column, 1)
    first = max(0, column - 80)
    line = _line(text, location.line, first, first + 120)
    if line is None or (not line and column > 1):
        return []
    return [f"  {line}".rstrip(), "  " + " " * (column - 1 - first) + "^"]


def _line(text: str, number: int, first: int, last: int) -> str | None:
    """Columns of a line, with nothing in it that moves or colours what follows on a terminal."""
    start = 0
    for _ in range(number - 1):
        start = text.find("\n", start) + 1
        if start == 0:
            return None
    end = text.find("\n", start)
    shown = text[start + first : min(start + last, end if end >= 0 else len(text))]
    return "".join(c if c.isprintable() else " " if c == "\t" else "\ufffd" for c in shown)
