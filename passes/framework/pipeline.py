"""Textual pipelines: ``builtin.module(func.func(canonicalize{max-iterations=4},cse),any(symbol-dce))``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TypeAlias

from lamina.dialects.core.diagnostics import Diagnostic, LaminaError, Location, did_you_mean
from lamina.passes.framework.options import make_pass
from lamina.passes.framework.passes import ANY_OP, Pass
from lamina.passes.framework.registry import find_pass, find_pipeline, pass_names, pipeline_names


@dataclass
class Pipeline:
    """Passes that run one after the other on each operation of one kind."""

    anchor: str
    items: list[PipelineItem] = field(default_factory=list)

    def text(self) -> str:
        """The pipeline as text that parses to the same pipeline."""
        return f"{self.anchor}({','.join(item.text() for item in self.items)})"


PipelineItem: TypeAlias = "Pass | Pipeline"

_NAME = re.compile(r"[A-Za-z_][\w.\-]*")
PIPELINE_NAME = "<pipeline>"
"""The file name that locations in a pipeline string carry."""


def parse_pipeline(text: str) -> Pipeline:
    """Read a textual pipeline; without an outer anchor it is one on ``builtin.module``.

    Raises :class:`LaminaError` that points at the place, names the nearest known pass, and says which
    options there are.
    """
    parser = _PipelineParser(text)
    items = parser.items(until="")
    if len(items) == 1 and isinstance(items[0], Pipeline) and items[0].anchor in ("builtin.module", ANY_OP):
        return items[0]
    return Pipeline("builtin.module", items)


class _PipelineParser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def fail(self, message: str, hint: str | None = None, at: int | None = None) -> LaminaError:
        place = Location(PIPELINE_NAME, 1, (self._at if at is None else at) + 1)
        return LaminaError(Diagnostic(message, place, hint=hint))

    def items(self, until: str) -> list[PipelineItem]:
        """A comma-separated list up to a closing character (which is consumed) or the end."""
        found: list[PipelineItem] = []
        self._skip()
        if self._accept(until):
            return found
        while True:
            found.extend(self._item())
            self._skip()
            if self._accept(until):
                return found
            if not self._accept(","):
                rest = self._text[self._at : self._at + 1]
                expected = f"',' or '{until}'" if until else "','"
                raise self.fail(
                    f"expected {expected} in the pipeline"
                    + (f", found '{rest}'" if rest else ", found its end")
                )

    def _skip(self) -> None:
        while self._at < len(self._text) and self._text[self._at].isspace():
            self._at += 1

    def _accept(self, character: str) -> bool:
        if character == "":
            return self._at >= len(self._text)
        if self._text.startswith(character, self._at):
            self._at += 1
            return True
        return False

    def _item(self) -> list[PipelineItem]:
        self._skip()
        start = self._at
        match = _NAME.match(self._text, self._at)
        if match is None:
            rest = self._text[self._at : self._at + 1]
            raise self.fail(
                "expected the name of a pass" + (f", found '{rest}'" if rest else ", found the end")
            )
        name = match.group()
        self._at = match.end()
        self._skip()
        if self._accept("("):
            return [Pipeline(name, self.items(until=")"))]
        options = self._options(name) if self._text.startswith("{", self._at) else {}
        named = find_pipeline(name)
        if named is not None:
            if options:
                raise self.fail(f"pipeline '{name}' takes no options", at=start)
            return list(parse_pipeline(named.text).items)
        try:
            declaration = find_pass(name)
        except LaminaError:
            hint = did_you_mean(name, [*pass_names(), *pipeline_names()])
            raise self.fail(
                f"unknown pass '{name}'", hint or "`lamina-opt --list-passes` shows all passes", start
            ) from None
        return [make_pass(declaration, options, lambda message, hint: self.fail(message, hint, start))]

    def _options(self, name: str) -> dict[str, str | None]:
        """``{a=1 b=2,3 c={x y} flag}``: texts by name; braces nest and quote blanks."""
        start = self._at
        body = self._balanced()
        if body is None:
            raise self.fail(f"the options of '{name}' are not closed by '}}'", at=start)
        return split_options(body)

    def _balanced(self) -> str | None:
        depth = 0
        for i in range(self._at, len(self._text)):
            depth += {"{": 1, "}": -1}.get(self._text[i], 0)
            if depth == 0:
                body = self._text[self._at + 1 : i]
                self._at = i + 1
                return body
        return None


def split_options(text: str) -> dict[str, str | None]:
    """Options separated by blanks, as in ``max-iterations=4 top-down``; braces or quotes may hold blanks."""
    options: dict[str, str | None] = {}
    for match in re.finditer(r"([\w.\-]+)(?:=(\{(?:[^{}]|\{[^{}]*\})*\}|\"[^\"]*\"|'[^']*'|[^\s]*))?", text):
        value = match.group(2)
        if value and value[0] in "{\"'":
            value = value[1:-1]
        options[match.group(1)] = value
    return options
