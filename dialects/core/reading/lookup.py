"""Looking up the ops of a text in a context: which class makes an op, and what reads its own form."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any, TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import StringAttr, UnregisteredOp
from xdsl.ir import Attribute, Data, Operation, ParametrizedAttribute

from lamina.dialects.core.later import regex
from lamina.dialects.core.names import unknown_operation
from lamina.dialects.core.ods.kinds import OpKind
from lamina.dialects.core.ods.spec import spec_of, table_of
from lamina.dialects.core.ods.syntax import parser_of
from lamina.dialects.core.reading.operations import OperationReader

_T = TypeVar("_T")
_INTEGER_TYPE = regex(r"[su]?i[0-9]+")


class LookupReader(OperationReader):
    """Reads the operations, attributes and types that a context knows."""

    def __init__(self, context: Context, text: str, name: str, resources: dict[str, str]) -> None:
        self.ctx, self.resources = context, resources
        self.file_name = StringAttr(name)
        self.ssa_values, self.forward_ssa_references = {}, {}
        self.blocks, self.forward_block_references = {}, defaultdict(list)
        self.start(text, name)

    # what has no table reads itself, through xDSL's parser

    def bridged(self, read: Callable[[Any], _T]) -> _T:
        """What ``read`` takes from here on when it is given this reader as a parser of xDSL's."""
        from lamina.dialects.core.reading.bridge import crossed

        return crossed(self).bridged(read)

    def bridged_attribute(self, kind: type[Attribute], is_type: bool) -> Attribute:
        if issubclass(kind, ParametrizedAttribute):
            start = self.at
            parameters = self.bridged(kind.parse_parameters)
            wanted = len(kind.get_irdl_definition().parameters)
            if len(parameters) != wanted:
                self.fail(f"'{kind.name}' has {wanted} parameters, but {len(parameters)} are given", start)
            return kind.new(parameters)
        if issubclass(kind, Data):
            return kind.new(self.bridged(kind.parse_parameter))  # pyright: ignore[reportUnknownMemberType]
        raise TypeError(f"{kind.name} has no parameters to read")

    # registered names

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


def _read_by_class(p: LookupReader, name: str) -> Operation:
    """Read an op by what its class says."""
    kind = p.kind(name).type

    def read(parser: Any) -> Operation:
        stack = parser._parser_state.dialect_stack
        stack.append(name.partition(".")[0])
        op = kind.parse(parser)
        stack.pop()
        return op

    return p.bridged(read)
