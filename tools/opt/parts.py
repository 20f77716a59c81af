"""``--split-input-file``: the parts of a text, each at its lines in the whole."""

from __future__ import annotations

import re

from lamina.dialects.core.later import regex
from lamina.tools.opt.arguments import DEFAULT_MARKER

_BEGINNING = regex(r"\s*(?:(?://[^\n]*|[#!][^\n=]*=[^\n]*)\n\s*)*")
_MODULE = regex(r'(?:builtin\.)?module\b|"builtin\.module"')


def split_text(text: str, marker: str | None) -> list[str]:
    """The parts between lines that hold a marker; empty lines in front keep the numbers of the lines."""
    if marker is None:
        return [text]
    # The usual marker may have any number of blanks in it.
    pattern = r"//[ \t]*-----" if marker == DEFAULT_MARKER else re.escape(marker)
    parts, line = [], 0
    for part in re.split(rf"^[ \t]*{pattern}[ \t]*(?:\n|\Z)", text, flags=re.MULTILINE):
        parts.append("\n" * line + part)
        line += part.count("\n") + 1
    return parts


def starts_with_module(text: str) -> bool:
    """Whether the first operation of a text is a module that stands there itself."""
    start = _BEGINNING.match(text)
    return _MODULE.match(text, start.end() if start else 0) is not None
