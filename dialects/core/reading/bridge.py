"""The border to xDSL's parser: dialects with a ``parse`` of their own read through it.

One object is both readers. Each has its own place in the text; at the border the one takes over the place of
the other. Values, blocks and aliases are the same dictionaries on both sides, and what xDSL's side is asked
for in general (types, attributes, regions, operations) comes back to ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar, cast

from xdsl.context import Context
from xdsl.dialects.builtin import StringAttr, UnregisteredOp
from xdsl.ir import Attribute, Block, Data, Operation, ParametrizedAttribute, Region, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input, Span

from lamina.dialects.core.lexer import Lexer
from lamina.dialects.core.names import unknown_operation
from lamina.dialects.core.ods.kinds import OpKind
from lamina.dialects.core.ods.spec import spec_of, table_of
from lamina.dialects.core.ods.syntax import parser_of
from lamina.dialects.core.reading.operations import Argument, OperationReader, Unresolved

_T = TypeVar("_T")
_INTEGER_TYPE = re.compile(r"[su]?i[0-9]+")


class BridgedReader(OperationReader, Parser):
    """The reader that is an xDSL parser too."""

    def __init__(self, context: Context, text: str, name: str, resources: dict[str, str]) -> None:
        self.resources, self.context = resources, context
        self.file_name = StringAttr(name)
        Parser.__init__(self, context, "", name)
        self._parser_state = ParserState(Lexer(Input(text, name)))
        self.start(text, name)

    @property
    def lexer(self) -> Lexer:
        """The source of the tokens on xDSL's side."""
        return cast(Lexer, self._parser_state.lexer)

    # from our side to xDSL's

    def bridged(self, read: Callable[[], _T]) -> _T:
        """What xDSL's side reads from here."""
        self._resume_from(self.at)
        found = read()
        self.at = self.pos
        return found

    def bridged_attribute(self, kind: type[Attribute], is_type: bool) -> Attribute:
        if issubclass(kind, ParametrizedAttribute):
            start = self.at
            parameters = self.bridged(lambda: kind.parse_parameters(self))
            wanted = len(kind.get_irdl_definition().parameters)
            if len(parameters) != wanted:
                self.fail(f"'{kind.name}' has {wanted} parameters, but {len(parameters)} are given", start)
            return kind.new(parameters)
        if issubclass(kind, Data):
            return self.bridged(lambda: kind.new(kind.parse_parameter(self)))  # pyright: ignore[reportUnknownMemberType]
        raise TypeError(f"{kind.name} has no parameters to read")

    def custom_parser(self, name: str, start: int) -> tuple[str, Any]:
        candidates = [name] if "." in name else [f"{d}.{name}" for d in self._dialects()]
        for candidate in candidates:
            parse = parser_of(candidate)
            if parse is not None:
                return candidate, parse
            kind = self.ctx.get_optional_op(candidate)
            if kind is None or issubclass(kind, UnregisteredOp):
                continue
            if kind.parse.__func__ is Operation.parse.__func__:  # pyright: ignore[reportFunctionMemberAccess]
                self.fail(
                    f"'{candidate}' op has no custom assembly form",
                    start,
                    "write it in the generic form, in quotes",
                )
            return candidate, _read_by_class
        if _INTEGER_TYPE.fullmatch(name):
            return self.fail("expected operation name in quotes", start)
        message, hint = unknown_operation(self.ctx, name, False)
        return self.fail(message, start, hint)

    def _dialects(self) -> list[str]:
        """The dialects whose ops may stand without the dialect's name here, the nearest first."""
        return [*dict.fromkeys(name.partition(".")[0] for name in reversed(self._names)), "builtin"]

    def find_kind(self, name: str) -> OpKind:
        kind = self.ctx.get_optional_op(name)
        if kind is None:
            message, hint = unknown_operation(self.ctx, name, True)
            self.fail(message, self.at, hint)
        dialect, dot, _ = name.partition(".")
        if dot and issubclass(kind, UnregisteredOp) and table_of(dialect) is not None:
            message = f"unregistered operation '{name}' found in dialect ('{dialect}') that does not allow"
            self.fail(f"{message} unknown operations", self.at)
        return OpKind(name, kind, spec_of(name), self.attribute_from_text)

    # from xDSL's side to ours

    def _ours(self, read: Callable[[], _T]) -> _T:
        self.at = self.pos
        found = read()
        self._resume_from(self.at)
        return found

    def parse_optional_type(self) -> Any:
        return self._ours(self.optional_type)

    def parse_optional_attribute(self) -> Attribute | None:
        return self._ours(self.optional_attribute)

    def parse_optional_operation(self) -> Operation | None:
        return self._ours(self.optional_operation)

    def parse_operation(self) -> Operation:
        found = self.parse_optional_operation()
        return found if found is not None else self.fail("expected an operation", self.pos)

    def parse_optional_region(self, arguments: Sequence[Any] | None = None) -> Region | None:
        named = [Argument(a.name.text[1:], a.type, {}, a.location, a.name.start) for a in arguments or ()]
        return self._ours(lambda: self.optional_region(named))

    def parse_optional_successor(self) -> Block | None:
        return self._ours(self.optional_successor)

    def resolve_operand(self, operand: UnresolvedOperand, type: Any) -> SSAValue:
        return self.resolve(Unresolved(operand.operand_name, operand.index, operand.span.start), type)

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Span) -> None:
        self.define(name, values, span.start)

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


def _read_by_class(p: BridgedReader, name: str) -> Operation:
    """Read an op by what its class says."""
    kind = p.kind(name).type
    stack = p._parser_state.dialect_stack  # pyright: ignore[reportPrivateUsage]
    stack.append(name.partition(".")[0])
    op = p.bridged(lambda: kind.parse(p))
    stack.pop()
    return op
