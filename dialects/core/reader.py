"""Reading IR text: xDSL's parser with locations on every op, constants as buffers, and one kind of error."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, NoReturn, cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    FileLineColLoc,
    IntAttr,
    LocationAttr,
    ModuleOp,
    ShapedType,
    StringAttr,
    UnknownLoc,
    UnregisteredOp,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, TypeAttribute
from xdsl.parser import UnresolvedOperand
from xdsl.parser.generic_parser import ParserState
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.exceptions import MultipleSpansParseError, ParseError, VerifyException
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRTokenKind

from lamina.dialects.core.context import make_context
from lamina.dialects.core.depth import room_for_nesting
from lamina.dialects.core.diagnostics import Diagnostic, LaminaError, Location
from lamina.dialects.core.lexer import Lexer
from lamina.dialects.core.literals import LiteralParser
from lamina.dialects.core.names import unknown_operation
from lamina.dialects.core.resources import take_resources
from lamina.dialects.core.wording import in_plain_words


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
        text, resources = take_resources(text, name)
        with room_for_nesting():
            reader = Reader(context, text, name, resources)
            return reader.parse_module()
    except ParseError as problem:
        raise LaminaError(_diagnostic_of(problem)) from problem
    except RecursionError as problem:
        place = _place(reader.lexer.input, reader.pos) if reader else Location(name)
        raise LaminaError(Diagnostic("the IR is nested too deeply to be read", place)) from problem
    except (LaminaError, MemoryError):
        raise
    except Exception as problem:
        # What the op parsers let through on malformed input.
        message, hint = in_plain_words(_innermost(problem))
        if reader is None:
            raise
        name, place = reader.current_operation()
        raise LaminaError(Diagnostic(f"{name}{message}", place, hint=hint)) from problem


class Reader(LiteralParser):
    """xDSL's parser that gives every op its location, shares types, and says where and why it stops."""

    def __init__(self, context: Context, text: str, name: str, resources: dict[str, str]) -> None:
        self._line_starts = [0, *(m.end() for m in re.finditer("\n", text))]
        self._file = StringAttr(name)
        self.resources = resources
        self._operations: list[tuple[int, type[Operation] | None]] = []
        self._location_end = -1
        self._first_uses: dict[str, Span] = {}
        self._types: dict[str, TypeAttribute] = {}
        self._aliases: dict[str, int] | None = None
        super().__init__(context, "", name)
        self._parser_state = ParserState(Lexer(Input(text, name)))

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        """The module that the text is, or one around the operations that stand in it."""
        operations: list[Operation] = []
        while self._current_token.kind is not MLIRTokenKind.EOF:
            if self._current_token.kind in (MLIRTokenKind.HASH_IDENT, MLIRTokenKind.EXCLAMATION_IDENT):
                self._parse_alias_def()
                continue
            op = self.parse_optional_operation()
            if op is None:
                self.raise_error("expected an operation")
            operations.append(op)
        self._require_definitions()
        if len(operations) == 1 and isinstance(operations[0], ModuleOp):
            return operations[0]
        module = ModuleOp(operations)
        module.location = self._location(0)
        return module

    def parse_operation(self) -> Operation:
        op = super().parse_operation()
        start, _ = self._operations.pop()
        # An explicit `loc(unknown)` stays; it is the last thing that was read.
        if isinstance(op.location, UnknownLoc) and self._location_end != self.lexer.previous_end:
            op.location = self._location(start)
        return op

    def parse_optional_location(self) -> LocationAttr | None:
        location = super().parse_optional_location()
        if location is not None:
            self._location_end = self.lexer.previous_end
        return location

    def _parse_block(self) -> Block:
        token = self._current_token
        name = token.text[1:]
        known = token.kind is MLIRTokenKind.CARET_IDENT and name in self.blocks
        if known and name not in self.forward_block_references:
            self.fail(f"block {token.text} is defined a second time", token.span.start)
        return super()._parse_block()

    def _parse_op_result_list(self) -> list[tuple[Span, int]]:
        # An op's location is that of its name, after the results: ops nest, so the places form a stack.
        results = super()._parse_op_result_list()
        self._operations.append((self._current_token.span.start, None))
        return results

    def _get_op_by_name(self, name: str) -> type[Operation]:
        stack = self._parser_state.dialect_stack
        start, _ = self._operations[-1]
        found = self.ctx.get_optional_op(name, dialect_stack=stack)
        quoted = self.lexer.input.content.startswith('"', start)
        if found is None or (issubclass(found, UnregisteredOp) and not quoted):
            message, hint = unknown_operation(self.ctx, name, quoted)
            self.fail(message, start, hint)
        self._operations[-1] = start, found
        return found

    def parse_optional_region(self, arguments: Sequence[Any] | None = None) -> Region | None:
        _, kind = self._operations[-1] if self._operations else (0, None)
        if kind is None or not kind.has_trait(IsolatedFromAbove, value_if_unregistered=False):
            return super().parse_optional_region(arguments)
        # Names outside are not seen inside, and a name used inside must be defined inside.
        outer, self.ssa_values = self.ssa_values, {}
        pending, self.forward_ssa_references = self.forward_ssa_references, {}
        opening = self.pos
        region = super().parse_optional_region(arguments)
        self._require_definitions(outer)
        self.ssa_values, self.forward_ssa_references = outer, pending
        if region is not None and not region.blocks and kind.name != "builtin.module":
            self.fail("the body is empty", opening, "end it with a terminator, such as 'return'")
        return region

    def _require_definitions(self, outer: dict[str, Any] | None = None) -> None:
        """Every value that was named so far is defined; else an error at its first use."""
        for name in self.forward_ssa_references:
            hint = None
            if outer and name in outer:
                hint = "it is defined outside of the function, which sees none of the values outside"
            self.fail(f"%{name} is not defined", self._first_uses[name].start, hint)

    def resolve_operand(self, operand: UnresolvedOperand, type: Any) -> SSAValue:
        name = operand.operand_name
        if name not in self.ssa_values and name not in self.forward_ssa_references:
            self._first_uses[name] = operand.span
        return super().resolve_operand(operand, type)

    def parse_optional_type(self) -> TypeAttribute | None:
        start = self.pos
        known = _SIMPLE_TYPE.match(self.lexer.input.content, start)
        if known is None:
            return self._at(start, super().parse_optional_type)
        cached = self._types.get(known.group())
        if cached is None:
            cached = self._types[known.group()] = self._at(start, super().parse_optional_type)
            return cached
        self._resume_from(known.end())
        return cached

    def _parse_optional_builtin_parametrized_type(self) -> TypeAttribute | None:
        start = self.pos
        found = super()._parse_optional_builtin_parametrized_type()
        if isinstance(found, ShapedType):
            element = found.get_element_type()  # pyright: ignore[reportAttributeAccessIssue]
            if element.name in _NO_ELEMENTS.get(found.name, ()):
                self.fail(f"a {found.name} has no elements of type {element}", start)
            if found.has_static_shape() and any(n >= 1 << 63 for n in found.get_shape()):
                self.fail("an extent is too large", start)
        return found

    @property
    def lexer(self) -> Lexer:
        """The source of the tokens."""
        return cast(Lexer, self._parser_state.lexer)

    def parse_optional_attribute(self) -> Attribute | None:
        return self._at(self.pos, super().parse_optional_attribute)

    def _at(self, start: int, read: Any) -> Any:
        """What ``read`` gives; an error about all of a type or attribute stands at its start."""
        try:
            return read()
        except VerifyException as problem:
            self.raise_error(_innermost(problem), start)
        except ParseError as problem:
            if problem.msg.endswith("is not registered") or "symbol alias" in problem.msg:
                raise ParseError(Span(start, start, self.lexer.input), problem.msg) from None
            raise

    def _parse_alias_def(self) -> None:
        start = self.pos
        if self._aliases is not None and self._aliases.get(self._current_token.text) == start:
            self.attribute_aliases.pop(self._current_token.text, None)
        super()._parse_alias_def()

    def _parse_extended_type_or_attribute(self, attr_or_dialect_name: str, is_type: bool) -> Any:
        alias = ("!" if is_type else "#") + attr_or_dialect_name
        if "." not in alias and alias not in self.attribute_aliases:
            self._read_alias_ahead(alias)
        return super()._parse_extended_type_or_attribute(attr_or_dialect_name, is_type)  # pyright: ignore[reportCallIssue,reportArgumentType]

    def _read_alias_ahead(self, alias: str) -> None:
        """Read an alias that is defined after its use, as upstream prints those of locations."""
        if self._aliases is None:
            text = self.lexer.input.content
            self._aliases = {m.group(1): m.start(1) for m in _ALIAS.finditer(text)}
        definition = self._aliases.pop(alias, None)
        if definition is None:
            return
        back = self.pos
        self._resume_from(definition)
        self._parse_alias_def()
        self._aliases[alias] = definition
        self._resume_from(back)

    def _location(self, position: int) -> LocationAttr:
        line = bisect_right(self._line_starts, position)
        column = position - self._line_starts[line - 1] + 1
        return FileLineColLoc(self._file, IntAttr(line), IntAttr(column))

    def current_operation(self) -> tuple[str, Location]:
        """The op that is being read, as the start of a message, and its place."""
        start, kind = self._operations[-1] if self._operations else (self.pos, None)
        return (f"'{kind.name}' op " if kind else ""), _place(self.lexer.input, start)

    def fail(self, message: str, position: int, hint: str | None = None) -> NoReturn:
        """Raise an error in Lamina's own words."""
        raise LaminaError(Diagnostic(message, _place(self.lexer.input, position), hint=hint))

    def raise_error(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, msg: str, at_position: Any = None, end_position: Any = None
    ) -> NoReturn:
        """Raise an error; one about the next token stands after the last one where a line ends between."""
        text, token = self.lexer.input, self._current_token
        if isinstance(at_position, int):
            raise ParseError(Span(at_position, end_position or at_position, text), msg)
        if at_position is not None and at_position is not token.span:
            raise ParseError(at_position, msg)
        end = self.lexer.previous_end
        if end < token.span.start and "\n" in text.content[end : token.span.start]:
            raise ParseError(Span(end, end, text), msg)
        raise ParseError(token.span, msg)


_SIMPLE_TYPE = re.compile(r"(?:tensor|memref|vector)<[\w?*\[\]]++>")
_COMPOUND = ("tensor", "unranked_tensor", "function", "tuple", "none")
_NO_ELEMENTS = {
    "tensor": (*_COMPOUND, "memref", "unranked_memref"),
    "memref": _COMPOUND,
    "vector": (*_COMPOUND, "memref", "unranked_memref", "vector", "complex"),
}
"""The element types that upstream refuses, by type."""
_ALIAS = re.compile(r"^([#!][A-Za-z_$.\-][\w$.\-]*)[ \t]*=", re.MULTILINE)


def _place(text: Input[str], position: int) -> Location:
    line = text.content.count("\n", 0, position) + 1
    return Location(text.name, line, position - text.get_start_of_line(position) + 1)


def _innermost(problem: BaseException) -> str:
    while problem.__cause__ is not None:
        problem = problem.__cause__
    if isinstance(problem, KeyError) and problem.args:
        return f"there is no {problem.args[0]}"
    return str(problem).strip().split("\n", 1)[0] or type(problem).__name__


def _diagnostic_of(problem: ParseError) -> Diagnostic:
    notes: list[Diagnostic] = []
    if isinstance(problem, MultipleSpansParseError) and problem.msg.startswith("region ends with missing"):
        span = problem.refs[0][0]
        return Diagnostic(f"there is no block {span.text} in this region", _place(span.input, span.start))  # pyright: ignore[reportArgumentType]
    if isinstance(problem, MultipleSpansParseError):
        for span, message in problem.refs:
            text = in_plain_words(message or problem.ref_text or "here")[0].rstrip(":")
            notes.append(Diagnostic(text, _place(span.input, span.start), "note"))  # pyright: ignore[reportArgumentType]
    message, hint = in_plain_words(problem.msg)
    place = _place(problem.span.input, problem.span.start)  # pyright: ignore[reportArgumentType]
    return Diagnostic(message, place, notes=tuple(notes), hint=hint)
