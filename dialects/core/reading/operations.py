"""Reading operations: values, blocks, regions, the generic form, and each op's own form by its name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, LocationAttr, StringAttr, UnknownLoc
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lamina.dialects.core.diagnostics import did_you_mean
from lamina.dialects.core.later import regex
from lamina.dialects.core.ods.kinds import OpKind
from lamina.dialects.core.ods.syntax import parser_of
from lamina.dialects.core.reading.attributes import AttributeReader
from lamina.dialects.core.reading.making import create

_VALUE = regex(r"%([0-9]++|[A-Za-z$._\-][\w$.\-]*+)(?:#([0-9]++))?", re.ASCII)
_BLOCK = regex(r"\^([0-9]++|[A-Za-z$._\-][\w$.\-]*+)", re.ASCII)
_HEAD = regex(r"(?:%([\w$.\-]++)[ ]*=[ ]*)?([A-Za-z_][\w$.]*+)[ ]*", re.ASCII)
"""The usual start of an op: at most one result, and a bare name."""
_HINT = regex(r"[A-Za-z_$.\-][\w$.\-]*", re.ASCII)


class Unresolved(NamedTuple):
    """The name of a value that is used, before its type is known."""

    name: str
    index: int  # pyright: ignore[reportIncompatibleMethodOverride]
    at: int


class Argument(NamedTuple):
    """The name of a block argument with what stands beside it."""

    name: str
    type: Attribute | None
    attributes: dict[str, Attribute]
    location: LocationAttr | None
    at: int


class _Placeholder(SSAValue):
    """A value that is used before its definition, which takes its place then."""

    @property
    def owner(self) -> Operation | Block:
        raise ValueError("a value that is not yet defined has no owner")


class OperationReader(AttributeReader):
    """Reads operations. ``ssa_values`` and its like are those of xDSL's parser, which third parties see."""

    file_name: StringAttr
    ssa_values: dict[str, tuple[SSAValue, ...]]
    blocks: dict[str, tuple[Block, Any]]
    forward_block_references: dict[str, list[Any]]
    forward_ssa_references: dict[str, dict[int, Any]]
    _kinds: dict[str, OpKind]

    def start(self, text: str, name: str) -> None:
        super().start(text, name)
        self._kinds = {}
        self.bodies: dict[tuple[Any, ...], Region] = {}
        """Bodies that the names of ops stand for, by name and types."""
        self._names: list[str] = []
        self.operation_start = 0
        """Where the op that is read starts."""
        self._uses: dict[str, int] = {}
        self._defined: list[str] = []
        self._definitions: dict[str, int] = {}
        self._block_uses: dict[str, int] = {}

    # values

    def optional_operand(self) -> Unresolved | None:
        """``%name`` or ``%name#2``."""
        found = _VALUE.match(self.text, self.at)
        if found is None:
            return None
        start = self.at
        self.advance(found.end())
        name, index = found.groups()
        return Unresolved(name, int(index) if index else 0, start)

    def operand(self) -> Unresolved:
        """The use of a value, or fail."""
        found = self.optional_operand()
        return found if found is not None else self.fail("expected SSA operand")

    def operands(self) -> list[Unresolved]:
        """A list of uses separated by commas, possibly empty."""
        first = self.optional_operand()
        if first is None:
            return []
        found = [first]
        while self.accept(","):
            found.append(self.operand())
        return found

    def operands_in(self, opening: str, closing: str) -> list[Unresolved]:
        """A list of uses between brackets."""
        self.require(opening)
        found = self.operands()
        self.require(closing)
        return found

    def resolve(self, use: Unresolved, type: Attribute) -> SSAValue:
        """The value of a use, of this type; a placeholder where its definition comes later."""
        values = self.ssa_values.get(use.name)
        if values is None:
            pending = self.forward_ssa_references.setdefault(use.name, {})
            value = pending.get(use.index)
            if value is None:
                value = pending[use.index] = _Placeholder(type)
                self._uses.setdefault(use.name, use.at)
        elif use.index >= len(values):
            self.fail(f"reference to invalid result number: %{use.name} has {len(values)}", use.at)
        else:
            value = values[use.index]
        if value.type is not type and value.type != type:
            self._wrong_type(use, value.type, type)
        return value

    def _wrong_type(self, use: Unresolved, defined: Attribute, used: Attribute) -> None:
        message = (
            f"use of value '%{use.name}' expects different type than prior uses: '{used}' vs '{defined}'"
        )
        self.fail_with_note(message, use.at, "prior use here", self._definitions.get(use.name))

    def resolve_all(
        self, uses: Sequence[Unresolved], types: Sequence[Attribute], at: int | None = None
    ) -> list[SSAValue]:
        """The values of uses with a type each."""
        if len(uses) != len(types):
            place = at if at is not None else (uses[0].at if uses else self.at)
            self.fail(
                f"number of operands and types do not match: got {len(uses)} operands and {len(types)} types",
                place,
            )
        return [self.resolve(use, type) for use, type in zip(uses, types, strict=True)]

    def define(self, name: str, values: Sequence[SSAValue], at: int) -> None:
        """Bind a name to values, and put them in the place of what used them already."""
        known = self.ssa_values
        if name in known:
            self.fail_with_note(
                f"redefinition of SSA value '%{name}'",
                at,
                "previously defined here",
                self._definitions.get(name),
            )
        known[name] = tuple(values)
        self._defined.append(name)
        self._definitions[name] = at
        pending = self.forward_ssa_references
        if pending and name in pending:
            self._settle(name, values, at)
        if _HINT.fullmatch(name):
            # A name for several results is that of the first: they are printed together again.
            values[0]._name = self._hint(name)  # pyright: ignore[reportPrivateUsage]

    _hints: dict[str, str | None] = {}

    def _hint(self, name: str) -> str | None:
        if name not in self._hints:
            valid = SSAValue.is_valid_name(name)
            self._hints[name] = SSAValue.extract_valid_name(name) if valid else None
        return self._hints[name]

    def _settle(self, name: str, values: Sequence[SSAValue], at: int) -> None:
        for index, placeholder in self.forward_ssa_references.pop(name).items():
            first = self._uses.get(name, at)
            if index >= len(values):
                self.fail(f"reference to invalid result number: %{name} has {len(values)}", first)
            if placeholder.type != values[index].type:
                message = (
                    f"definition of SSA value '%{name}#{index}' has type '{values[index].type}', "
                    f"but it was used as '{placeholder.type}'"
                )
                self.fail_with_note(message, at, "previously used here with another type", first)
            placeholder.replace_all_uses_with(values[index])

    # operations

    def optional_operation(self) -> Operation | None:
        """An operation with its results and location, or None where none starts."""
        start = self.at
        head = _HEAD.match(self.text, start)
        if head is None:
            if not self.text.startswith(("%", '"'), start):
                return None
            return self._operation_in_full(start)
        result, name = head.groups()
        self.advance(head.end())
        op = self._custom(name, head.start(2))
        if result is not None:
            if len(op.results) == 1:
                self.define(result, op.results, start)
            elif op.results:
                self.define_results([(result, None, start)], op, start)
            else:
                self.fail("cannot name an operation with no results", start)
        return op

    def _operation_in_full(self, start: int) -> Operation:
        names: list[tuple[str, int | None, int]] = []
        if self.text.startswith("%", start):
            while True:
                use = self.operand()
                size = None
                if self.accept(":"):
                    size = self.integer("integer number of results")
                    if size < 1:
                        self.fail("expected named operation to have at least 1 result")
                names.append((use.name, size, use.at))
                if not self.accept(","):
                    break
            if not self.accept("="):
                self.fail("expected '=' after SSA name")
        place = self.at
        if self.text.startswith('"', place):
            op = self._generic(place)
        else:
            name = self.optional_word()
            if name is None:
                self.fail("expected operation name in quotes")
            op = self._custom(name, place)
        if names:
            self.define_results(names, op, start)
        return op

    def define_results(self, names: Sequence[tuple[str, int | None, int]], op: Operation, start: int) -> None:
        """Bind the names before ``=`` to the results of an op."""
        results = op.results
        total = sum(1 if size is None else size for _, size, _ in names)
        if not results:
            self.fail("cannot name an operation with no results", start)
        if len(results) != total:
            self.fail(f"operation defines {len(results)} results but was provided {total} to bind", start)
        first = 0
        for name, size, at in names:
            count = 1 if size is None else size
            self.define(name, results[first : first + count], at)
            first += count

    def _custom(self, name: str, start: int) -> Operation:
        """The op of a bare name, of which the name has been read."""
        parse = parser_of(name) if "." in name else None
        if parse is None:
            name, parse = self.custom_parser(name, start)
        names = self._names
        names.append(name)
        self.operation_start = start
        op = parse(self, name)
        names.pop()
        if isinstance(op.location, UnknownLoc):
            op.location = self.location_at(start)
        if self.text.startswith("loc", self.at):
            location = self.optional_location()
            if location is not None:
                op.location = location
        return op

    def custom_parser(self, name: str, start: int) -> tuple[str, Any]:
        """The full name of an op and the function that reads its custom form."""
        raise NotImplementedError

    def kind(self, name: str) -> OpKind:
        """How ops of a name are made."""
        found = self._kinds.get(name)
        if found is None:
            found = self._kinds[name] = self.find_kind(name)
        return found

    def attribute_from_text(self, text: str) -> Attribute:
        """The attribute that another text says."""
        raise NotImplementedError

    def find_kind(self, name: str) -> OpKind:
        """How ops of a name are made, where it is met first."""
        raise NotImplementedError

    def build(
        self,
        name: str,
        operands: Sequence[SSAValue] = (),
        result_types: Sequence[Attribute] = (),
        attributes: Mapping[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
        successors: Sequence[Block] = (),
        segments: Sequence[int] | None = None,
        result_segments: Sequence[int] | None = None,
        properties: Mapping[str, Attribute] | None = None,
    ) -> Operation:
        """Make an op; ``attributes`` may hold inherent ones, which go where the op's class keeps them."""
        kind = self.kind(name)
        inherent, others = kind.split(attributes, properties)
        if segments is not None:
            kind.set_segments(inherent, others, "operandSegmentSizes", segments)
        if result_segments is not None:
            kind.set_segments(inherent, others, "resultSegmentSizes", result_segments)
        if kind.unregistered:
            # xDSL holds the name of such an op as an attribute.
            if "op_name__" in others:
                message = "an attribute of an unregistered operation cannot be named 'op_name__'"
                self.fail(message, self._end_of_last_token())
            others["op_name__"] = StringAttr(name)
        return create(kind.type, operands, result_types, inherent, others, successors, regions)

    def _generic(self, start: int) -> Operation:
        name = self.string("operation name in quotes")
        if not name:
            self.fail("empty operation name is invalid", start)
        self._names.append(name)
        self.kind(name)  # a name of no operation is the first mistake to tell of
        uses = self.operands_in("(", ")")
        successors: list[Block] = []
        if self.accept("["):
            successors.append(self.successor())
            while self.accept(","):
                successors.append(self.successor())
            self.require("]")
        properties = None
        if self.accept("<"):
            properties = self.attr_dict()
            self.require(">")
        regions: list[Region] = []
        if self.accept("("):
            regions.append(self.region())
            while self.accept(","):
                regions.append(self.region())
            self.require(")")
        attributes = self.attr_dict()
        self.require(":")
        place = self.at
        signature = self.function_type()
        inputs, outputs = signature.inputs.data, signature.outputs.data
        if len(inputs) != len(uses):
            self.fail(
                f"expected {len(uses)} operand type{'s' * (len(uses) != 1)} but had {len(inputs)}", place
            )
        operands = [self.resolve(use, type) for use, type in zip(uses, inputs, strict=True)]
        op = self.build(name, operands, outputs, attributes, regions, successors, properties=properties)
        self._names.pop()
        op.location = self.optional_location() or self.location_at(start)
        return op

    # locations

    def location_at(self, position: int) -> LocationAttr:
        """File, line and column of a position as the location of an op."""
        line, column = self.line_and_column(position)
        return file_location(self.file_name, line, column)

    # blocks and regions

    def optional_successor(self) -> Block | None:
        """``^name``: a block of the region, which may come later."""
        found = _BLOCK.match(self.text, self.at)
        if found is None:
            return None
        start, name = self.at, found.group(1)
        self.advance(found.end())
        known = self.blocks.get(name)
        if known is None:
            self._block_uses[name] = start
            block = Block()
            self.blocks[name] = (block, None)
            return block
        return known[0]

    def successor(self) -> Block:
        """A block of the region, or fail."""
        found = self.optional_successor()
        return found if found is not None else self.fail("expected block name")

    def successor_and_operands(self) -> tuple[Block, list[SSAValue]]:
        """``^name`` or ``^name(%a, %b : i32, f32)``."""
        block = self.successor()
        if not self.accept("("):
            return block, []
        uses = self.operands()
        self.require(":")
        types = self.types_list()
        values = self.resolve_all(uses, types)
        self.require(")")
        return block, values

    def optional_argument(self, types: bool = True, attributes: bool = False) -> Argument | None:
        """``%name : type {attributes} loc(…)``."""
        found = _VALUE.match(self.text, self.at)
        if found is None:
            return None
        start = self.at
        if found.group(2) is not None:
            self.fail("result number not allowed in argument list", start)
        self.advance(found.end())
        type = None
        if types:
            self.require(":")
            type = self.type()
        extra = self.attr_dict() if attributes else {}
        return Argument(found.group(1), type, extra, self.optional_location(), start)

    def argument(self, types: bool = True, attributes: bool = False) -> Argument:
        """A block argument, or fail."""
        found = self.optional_argument(types, attributes)
        return found if found is not None else self.fail("expected SSA operand")

    def optional_region(
        self, arguments: Sequence[Argument] = (), isolated: bool | None = None
    ) -> Region | None:
        """A region in braces, whose first block may have arguments that were named before it."""
        opening = self.at
        if not self.text.startswith("{", opening):
            return None
        if isolated is None:
            isolated = self.kind(self._names[-1]).isolated if self._names else False
        outer = self._open_scope(isolated)
        self.advance(opening + 1)
        region = Region()
        if arguments:
            self._first_block(region, arguments)
        while self.text.startswith("^", self.at):
            self._block(region)
        if not self.accept("}"):
            if not region.blocks:
                self._first_block(region, ())
                while self.text.startswith("^", self.at):
                    self._block(region)
            self.require("}")
        self._close_scope(outer, isolated)
        return region

    def region(self, arguments: Sequence[Argument] = (), isolated: bool | None = None) -> Region:
        """A region in braces, or fail."""
        found = self.optional_region(arguments, isolated)
        return found if found is not None else self.fail("expected '{' to begin a region")

    def _open_scope(self, isolated: bool) -> tuple[Any, ...]:
        outer = self.blocks, self._block_uses, self._defined, self.ssa_values, self.forward_ssa_references
        self.blocks, self._block_uses, self._defined = {}, {}, []
        if isolated:
            self.ssa_values, self.forward_ssa_references = {}, {}
        return outer

    def _close_scope(self, outer: tuple[Any, ...], isolated: bool) -> None:
        for name, place in self._block_uses.items():
            if self.blocks[name][1] is None:
                self.fail(f"reference to an undefined block '^{name}'", place)
        if isolated:
            self.require_definitions(outer[3])
            self.ssa_values, self.forward_ssa_references = outer[3], outer[4]
        else:
            known = self.ssa_values
            for name in self._defined:
                known.pop(name, None)
        self.blocks, self._block_uses, self._defined = outer[:3]

    def require_definitions(self, outside: Mapping[str, Any] | None = None) -> None:
        """Every value that was used has been defined; else fail at its first use."""
        for name in self.forward_ssa_references:
            if outside and name in outside:
                hint = "it is defined outside of the function, which sees none of the values outside"
            else:
                near = did_you_mean(name, list(self._definitions))
                hint = near and near.replace("'", "'%", 1)
            self.fail(f"use of undeclared SSA value name '%{name}'", self._uses[name], hint)

    def _first_block(self, region: Region, arguments: Sequence[Argument]) -> None:
        if arguments and self.text.startswith("^", self.at):
            self.fail("invalid block name in region with named arguments")
        block = Block(arg_types=[argument.type for argument in arguments])  # pyright: ignore[reportArgumentType]
        region.add_block(block)
        for value, argument in zip(block.args, arguments, strict=True):
            value.location = argument.location or self.location_at(argument.at)
            if argument.name in self.forward_ssa_references:
                message = f"region entry argument '%{argument.name}' is already in use"
                first = self._uses.get(argument.name)
                self.fail_with_note(message, argument.at, "previously referenced here", first)
            self.define(argument.name, (value,), argument.at)
        self._body(block)

    def _block(self, region: Region) -> None:
        found = _BLOCK.match(self.text, self.at)
        if found is None:
            self.fail("expected block name")
        start, name = self.at, found.group(1)
        self.advance(found.end())
        known = self.blocks.get(name)
        if known is not None and known[1] is not None:
            self.fail(f"redefinition of block '^{name}'", start)
        block = known[0] if known is not None else Block()
        self.blocks[name] = (block, found)  # pyright: ignore[reportArgumentType]
        if Block.is_valid_name(name) and not Block.is_default_block_name(name):
            block.name_hint = name
        region.add_block(block)
        if self.accept("(") and not self.accept(")"):
            while True:
                argument = self.argument()
                value = block.insert_arg(argument.type, len(block.args), argument.location)  # pyright: ignore[reportArgumentType]
                if argument.location is None:
                    value.location = self.location_at(argument.at)
                self.define(argument.name, (value,), argument.at)
                if not self.accept(","):
                    break
            self.require(")")
        self.require(":")
        self._body(block)

    def _body(self, block: Block) -> None:
        """The operations of a block, linked without the checks that attached ops would need."""
        last: Operation | None = block.last_op
        while (op := self.optional_operation()) is not None:
            op.parent = block
            if last is None:
                block._first_op = op  # pyright: ignore[reportPrivateUsage]
            else:
                last._next_op, op._prev_op = op, last  # pyright: ignore[reportPrivateUsage]
            block._last_op = last = op  # pyright: ignore[reportPrivateUsage]


_set = object.__setattr__
_numbers: dict[int, IntAttr] = {}


def file_location(file: Any, line: int, column: int) -> FileLineColLoc:
    """A location, made without the checks that three known attributes do not need."""
    location = FileLineColLoc.__new__(FileLineColLoc)
    _set(location, "filename", file)
    _set(location, "line", _number(line))
    _set(location, "column", _number(column))
    return location


def _number(value: int) -> IntAttr:
    found = _numbers.get(value)
    if found is None:
        found = IntAttr(value)
        if len(_numbers) < 1 << 16:
            _numbers[value] = found
    return found


__all__ = ["Argument", "OperationReader", "Unresolved", "file_location"]
