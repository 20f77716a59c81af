"""From the exceptions of xDSL's parser to diagnostics."""

from __future__ import annotations

from xdsl.utils.exceptions import MultipleSpansParseError, ParseError
from xdsl.utils.lexer import Input

from lamina.dialects.core.diagnostics import Diagnostic, Location
from lamina.dialects.core.wording import in_plain_words


def place_of(text: Input[str], position: int) -> Location:
    """Line and column of a position."""
    line = text.content.count("\n", 0, position) + 1
    return Location(text.name, line, position - text.get_start_of_line(position) + 1)


def innermost(problem: BaseException) -> str:
    """The first line of what the innermost cause of an exception says."""
    while problem.__cause__ is not None:
        problem = problem.__cause__
    if isinstance(problem, KeyError) and problem.args:
        return f"there is no {problem.args[0]}"
    return str(problem).strip().split("\n", 1)[0] or type(problem).__name__


def diagnostic_of(problem: ParseError) -> Diagnostic:
    """A parser's error in plain words, at its place."""
    notes: list[Diagnostic] = []
    if isinstance(problem, MultipleSpansParseError) and problem.msg.startswith("region ends with missing"):
        span = problem.refs[0][0]
        return Diagnostic(f"there is no block {span.text} in this region", place_of(span.input, span.start))  # pyright: ignore[reportArgumentType]
    if isinstance(problem, MultipleSpansParseError):
        for span, message in problem.refs:
            text = in_plain_words(message or problem.ref_text or "here")[0].rstrip(":")
            notes.append(Diagnostic(text, place_of(span.input, span.start), "note"))  # pyright: ignore[reportArgumentType]
    message, hint = in_plain_words(problem.msg)
    place = place_of(problem.span.input, problem.span.start)  # pyright: ignore[reportArgumentType]
    return Diagnostic(message, place, notes=tuple(notes), hint=hint)
