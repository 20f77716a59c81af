"""Reading IR text: :func:`parse` and the reader behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from xdsl.utils.exceptions import MultipleSpansParseError, ParseError
from xdsl.utils.lexer import Input

from lamina.dialects.core.context import make_context
from lamina.dialects.core.depth import room_for_nesting
from lamina.dialects.core.diagnostics import Diagnostic, LaminaError, Location
from lamina.dialects.core.reading.lookup import LookupReader
from lamina.dialects.core.resources import keep_external, take_resources
from lamina.dialects.core.wording import in_plain_words, innermost_message

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute, Operation


def parse(
    text: str, name: str = "<text>", context: Context | None = None, allow_unregistered: bool = False
) -> ModuleOp:
    """Parse IR text into a module (one is put around the ops where the text has none).

    Raises :class:`LaminaError` with the place and the cause for text that is not valid IR. Ops are not
    verified: that is :func:`lamina.dialects.core.verifier.verify`.
    """
    context = context or make_context()
    if allow_unregistered:
        context.allow_unregistered = True
    reader: Reader | None = None
    try:
        text, resources, external = take_resources(text, name)
        with room_for_nesting():
            reader = Reader(context, text, name, resources)
            module = reader.module()
        keep_external(module, external)
        return module
    except ParseError as problem:
        raise LaminaError(_diagnostic_of(problem)) from problem
    except RecursionError as problem:
        place = reader.place() if reader else Location(name)
        raise LaminaError(Diagnostic("the IR is nested too deeply to be read", place)) from problem
    except (LaminaError, MemoryError):
        raise
    except Exception as problem:
        # What the parsers of others let through on malformed input.
        if reader is None:
            raise
        message, hint = in_plain_words(innermost_message(problem))
        name, place = reader.current_operation()
        raise LaminaError(Diagnostic(f"{name}{message}", place, hint=hint)) from problem


class Reader(LookupReader):
    """Reads a text from its first to its last character."""

    def start(self, text: str, name: str) -> None:
        super().start(text, name)
        self._said: dict[str, Attribute] = {}

    def module(self) -> ModuleOp:
        """The module that the text is, or one around the operations that stand in it."""
        from xdsl.dialects.builtin import ModuleOp

        operations: list[Operation] = []
        while self.at < len(self.text):
            if self.text.startswith(("#", "!"), self.at):
                self.alias_definition()
                continue
            op = self.optional_operation()
            if op is None:
                self._no_operation()
            operations.append(op)
        self.require_definitions()
        if len(operations) == 1 and isinstance(operations[0], ModuleOp):
            return operations[0]
        module = ModuleOp(operations)
        module.location = self.location_at(0)
        return module

    def _no_operation(self) -> NoReturn:
        character = self.text[self.at]
        if character.isprintable():
            self.fail("expected an operation")
        self.fail(f"unexpected character U+{ord(character):04X}")

    def attribute_from_text(self, text: str) -> Attribute:
        """The attribute that another text says."""
        found = self._said.get(text)
        if found is None:
            found = self._said[text] = Reader(self.ctx, text, "<attribute>", {}).attribute()
        return found

    def type_from_text(self, text: str) -> Attribute:
        """The type that another text says."""
        return Reader(self.ctx, text, "<type>", {}).type()

    def current_operation(self) -> tuple[str, Location]:
        """The op that is being read, as the start of a message, and its place."""
        if not self._names:
            return "", self.place()
        return f"'{self._names[-1]}' op ", self.place(self.operation_start)


def read_attribute(text: str) -> Attribute:
    """The attribute that a text says, in a context of its own."""
    return Reader(make_context(), text, "<attribute>", {}).attribute()


def _place(text: Input[str], position: int) -> Location:
    line = text.content.count("\n", 0, position) + 1
    return Location(text.name, line, position - text.get_start_of_line(position) + 1)


def _diagnostic_of(problem: ParseError) -> Diagnostic:
    notes: list[Diagnostic] = []
    if isinstance(problem, MultipleSpansParseError):
        for span, message in problem.refs:
            text = in_plain_words(message or problem.ref_text or "here")[0].rstrip(":")
            notes.append(Diagnostic(text, _place(span.input, span.start), "note"))  # pyright: ignore[reportArgumentType]
    message, hint = in_plain_words(problem.msg)
    place = _place(problem.span.input, problem.span.start)  # pyright: ignore[reportArgumentType]
    return Diagnostic(message, place, notes=tuple(notes), hint=hint)


__all__ = ["Reader", "parse", "read_attribute"]
