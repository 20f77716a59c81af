"""The border to xDSL's parser: dialects with a ``parse`` of their own read through it.

One object is both readers, from the first op, attribute or type on that reads itself. Each has its own place
in the text; at the border the one takes over the place of the other. Values, blocks and aliases are the same
dictionaries on both sides, and what xDSL's side is asked for in general (types, attributes, regions,
operations) comes back to ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar, cast

from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input, Span

from lamina.dialects.core.lexer import Lexer
from lamina.dialects.core.reader import Reader
from lamina.dialects.core.reading.operations import Argument, Unresolved

_T = TypeVar("_T")


class BridgedReader(Reader, Parser):
    """The reader that is an xDSL parser too."""

    @property
    def lexer(self) -> Lexer:
        """The source of the tokens on xDSL's side."""
        return cast(Lexer, self._parser_state.lexer)

    # from our side to xDSL's

    def bridged(self, read: Callable[[Any], _T]) -> _T:
        self._resume_from(self.at)
        found = read(self)
        self.at = self.pos
        return found

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


def crossed(reader: Any) -> BridgedReader:
    """The reader, which from now on is a parser of xDSL's too; most texts never need one."""
    if not isinstance(reader, BridgedReader):
        lexer = Lexer(Input(reader.text, reader.name))
        lexer.pos = reader.at
        reader.__class__ = BridgedReader
        reader._parser_state = ParserState(lexer)
        reader.dialect_resources = set()
    return reader
