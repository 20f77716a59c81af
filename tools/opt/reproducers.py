"""Reproducers: a text with the pipeline that is to run on it, as ``mlir-opt`` writes and reads them.

The pipeline stands in the section ``{-# external_resources: { mlir_reproducer: {…} } #-}`` of the text.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from lamina.dialects.core.diagnostics import Location, error
from lamina.dialects.core.later import regex

_REPRODUCER = regex(r'mlir_reproducer\s*:\s*\{((?:[^"{}]|"(?:[^"\\]|\\.)*")*)\}')
_SECTION = regex(
    r'(?:,\s*)?external_resources\s*:\s*\{\s*mlir_reproducer\s*:\s*\{(?:[^"{}]|"(?:[^"\\]|\\.)*")*\}\s*\}'
)
_ENTRY = regex(r'(\w+)\s*:\s*(?:"((?:[^"\\]|\\.)*)"|(\w+))')
_COMMAND = "// to reproduce: "


@dataclass(frozen=True)
class Reproducer:
    """The pipeline of a reproducer, and whether results are verified."""

    pipeline: str
    verify_each: bool

    @classmethod
    def of(cls, text: str, name: str) -> Reproducer:
        """What stands in a text. Raises :class:`LaminaError` if nothing does."""
        found = _REPRODUCER.search(text, max(text.rfind("{-#"), 0)) if "{-#" in text else None
        if found is None:
            hint = "files for --run-reproducer are written by --mlir-generate-reproducer"
            raise error("holds no pipeline to reproduce", Location(name), hint=hint)
        entries = {key: plain or quoted for key, quoted, plain in _ENTRY.findall(found.group(1))}
        pipeline = re.sub(r"\\(.)", r"\1", entries.get("pipeline", ""))
        return cls(pipeline, entries.get("verify_each", "true") == "true")


def reproducer_text(source: str, made: Reproducer, command: Sequence[str]) -> str:
    """The source, the command that runs it again as a comment, and the pipeline.

    Lines keep their numbers, so that the messages about the program stay the same.
    """
    source = _without_pipeline(source)
    pipeline = made.pipeline.replace("\\", "\\\\").replace('"', '\\"')
    entries = (
        "  external_resources: {\n"
        "    mlir_reproducer: {\n"
        f'      pipeline: "{pipeline}",\n'
        "      disable_threading: true,\n"
        f"      verify_each: {str(made.verify_each).lower()}\n"
        "    }\n"
        "  }\n"
    )
    start, end = source.rfind("{-#"), source.rfind("#-}")
    if 0 <= start < end:
        inside = source[start + 3 : end].rstrip()
        comma = "," if inside.strip() else ""
        source = f"{source[:start]}{{-#{inside}{comma}\n{entries}#-}}{source[end + 3 :]}"
    else:
        source = f"{source.rstrip()}\n\n{{-#\n{entries}#-}}\n"
    return f"{source.rstrip()}\n\n{_COMMAND}{shlex.join(command)}\n"


def _without_pipeline(source: str) -> str:
    """The source of a reproducer as it was before its pipeline was written into it."""
    start = source.rfind("{-#")
    if start < 0 or not _SECTION.search(source, start):
        return source
    section = _SECTION.sub("", source[start:])
    section = re.sub(re.escape(_COMMAND) + ".*\n?", "", section)
    section = re.sub(r"\{-#\s*#-\}", "", re.sub(r"(\{-#\s*),", r"\1", section))
    return source[:start] + section
