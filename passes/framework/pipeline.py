"""Textual pipelines: ``builtin.module(func.func(canonicalize{max-iterations=4},cse),any(symbol-dce))``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from lamina.dialects.core.context import make_context
from lamina.dialects.core.diagnostics import Diagnostic, LaminaError, Location, did_you_mean
from lamina.dialects.core.later import regex
from lamina.passes.framework.options import is_list, make_pass
from lamina.passes.framework.passes import ANY_OP, Pass
from lamina.passes.framework.registry import find_pass, find_pipeline, pass_names, pipeline_names


@dataclass
class Pipeline:
    """Passes that run one after the other on each operation of one kind."""

    anchor: str
    items: list[PipelineItem] = field(default_factory=list)

    def text(self, *, defaults: bool = False) -> str:
        """Text that parses to the same pipeline, with all options or those that are not the default."""
        return f"{self.anchor}({','.join(item.text(defaults=defaults) for item in self.items)})"

    def lines(self, indent: int = 0) -> str:
        """The text with an item a line, as ``--dump-pass-pipeline`` shows it."""
        blank = "  " * indent
        items = [
            item.lines(indent + 1) if isinstance(item, Pipeline) else f"{blank}  {item.text(defaults=True)}"
            for item in self.items
        ]
        return f"{blank}{self.anchor}(\n" + ",\n".join(items) + f"\n{blank})"

    def passes(self) -> Iterator[Pass]:
        """The passes of the pipeline and of those inside it, in order."""
        for item in self.items:
            if isinstance(item, Pipeline):
                yield from item.passes()
            else:
                yield item


PipelineItem: TypeAlias = "Pass | Pipeline"

_NAME = regex(r"[A-Za-z_][\w.\-]*")
PIPELINE_NAME = "<pipeline>"
"""The file name that locations in a pipeline string carry."""


def parse_pipeline(text: str, anchor: str = "builtin.module") -> Pipeline:
    """Read a textual pipeline; without an outer anchor it is one on ``anchor``.

    Raises :class:`LaminaError` that points at the place, names the nearest known pass, and says which
    options there are.
    """
    parser = _PipelineParser(text)
    items = parser.items("", anchor)
    if len(items) == 1 and isinstance(items[0], Pipeline) and items[0].anchor in (anchor, ANY_OP):
        return items[0]
    return Pipeline(anchor, items)


class _PipelineParser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def fail(self, message: str, hint: str | None = None, at: int | None = None) -> LaminaError:
        place = Location(PIPELINE_NAME, 1, (self._at if at is None else at) + 1)
        return LaminaError(Diagnostic(message, place, hint=hint))

    def items(self, until: str, anchor: str) -> list[PipelineItem]:
        """A comma-separated list up to a closing character (which is consumed) or the end."""
        found: list[PipelineItem] = []
        self._skip()
        if self._accept(until):
            return found
        while True:
            found.extend(self._item(anchor))
            self._skip()
            if self._accept(until):
                return found
            if not self._accept(","):
                expected = f"',' or '{until}'" if until else "','"
                raise self.fail(f"expected {expected} in the pipeline, found {self._found()}")

    def _found(self) -> str:
        rest = self._text[self._at : self._at + 1]
        return f"'{rest}'" if rest else "the end"

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

    def _item(self, anchor: str) -> list[PipelineItem]:
        self._skip()
        start = self._at
        match = _NAME.match(self._text, self._at)
        if match is None:
            raise self.fail(f"expected the name of a pass, found {self._found()}")
        name = match.group()
        self._at = match.end()
        self._skip()
        if self._accept("("):
            self._require_operation(name, start)
            return [Pipeline(name, self.items(until=")", anchor=name))]
        options = self._options(name) if self._text.startswith("{", self._at) else []
        named = find_pipeline(name)
        if named is not None:
            if options:
                raise self.fail(f"pipeline '{name}' takes no options", at=start)
            return list(parse_pipeline(named.text).items)
        return [self._pass(name, options, anchor, start)]

    def _require_operation(self, name: str, start: int) -> None:
        """An anchor is an operation that some dialect defines."""
        context = make_context()
        if name == ANY_OP or context.get_optional_op(name) is not None:
            return
        dialect = context.get_optional_dialect(name.split(".", 1)[0])
        known = [op.name for op in dialect.operations] if dialect else ["builtin.module", "func.func", ANY_OP]
        hint = did_you_mean(name, known) or "an anchor is an operation, as builtin.module or func.func"
        raise self.fail(f"there is no operation '{name}' to run passes on", hint, start)

    def _pass(self, name: str, options: list[_Option], anchor: str, start: int) -> Pass:
        try:
            declaration = find_pass(name)
        except LaminaError:
            hint = did_you_mean(name, [*pass_names(), *pipeline_names()])
            hint = hint or "`lamina-opt --list-passes` shows all passes"
            raise self.fail(f"unknown pass '{name}'", hint, start) from None
        if declaration.anchor not in (ANY_OP, anchor) and anchor not in (ANY_OP, "builtin.module"):
            message = f"pass '{name}' runs on '{declaration.anchor}', not on '{anchor}'"
            raise self.fail(message, f"take it out of {anchor}(…)", start)
        places = {option.name: option.at for option in options}
        texts: dict[str, str | None] = {}
        for option in options:
            earlier = texts.get(option.name)
            joined = earlier and option.value and is_list(declaration, option.name)
            texts[option.name] = f"{earlier},{option.value}" if joined else option.value
        return make_pass(declaration, texts, lambda message, hint, of: self.fail(message, hint, places[of]))

    def _options(self, name: str) -> list[_Option]:
        """``{a=1 b=2,3 c={x y} flag}``: braces nest and quote blanks."""
        start = self._at
        end = self._closing()
        if end is None:
            raise self.fail(f"the options of '{name}' are not closed by '}}'", at=start)
        found: list[_Option] = []
        self._at += 1
        self._skip()
        while self._at < end:
            match = _OPTION.match(self._text, self._at, end)
            if match is None:
                raise self.fail(f"expected an option of '{name}', found {self._found()}")
            found.append(_Option(match.group(1), _unquoted(match.group(2)), self._at))
            self._at = match.end()
            self._skip()
        self._at = end + 1
        return found

    def _closing(self) -> int | None:
        """The position of the brace that closes the one here."""
        depth = 0
        for i in range(self._at, len(self._text)):
            depth += {"{": 1, "}": -1}.get(self._text[i], 0)
            if depth == 0:
                return i
        return None


@dataclass(frozen=True)
class _Option:
    """An option as it stands in the text; without a value it is a flag."""

    name: str
    value: str | None
    at: int


_OPTION = regex(
    r"([\w.\-]+)(?:=(\{(?:[^{}]|\{[^{}]*\})*\}|\"[^\"]*\"|'[^']*'|[^\s{}\"']*))?(?![^\s}])", re.ASCII
)


def _unquoted(value: str | None) -> str | None:
    return value[1:-1] if value and value[0] in "{\"'" else value
