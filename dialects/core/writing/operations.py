"""Operations as text: the form of their table or hand-written syntax, of their class, or the generic form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.traits import IsTerminator

from lamina.dialects.core.context import extended_class
from lamina.dialects.core.ods.spec import spec_of
from lamina.dialects.core.ods.syntax import writer_of
from lamina.dialects.core.writing.names import NameWriter
from lamina.dialects.core.writing.quoting import quoted

_LINES = ["\n" + "  " * depth for depth in range(64)]
_SEGMENTS = frozenset(("operandSegmentSizes", "resultSegmentSizes"))
_DEFAULT_DIALECTS = {"builtin.module": "builtin", "func.func": "func"}
"""The ops in whose regions the names of ops of a dialect are written without the dialect."""

Form = tuple[str, str, str, "Callable[[Any, Operation], None] | None"]
"""An op's name, its dialect, its name without the dialect, and what writes the rest of its own form."""

_forms: dict[type[Operation], Form] = {}


def form_of(kind: type[Operation]) -> Form:
    """How ops of a class are written."""
    found = _forms.get(kind)
    if found is None:
        name = kind.name
        dialect, _, short = name.partition(".")
        if "." in short:
            short = name
        write = None if issubclass(kind, UnregisteredOp) else writer_of(name) or _own_form(kind)
        found = _forms[kind] = (name, dialect, short, write)
    return found


def _own_form(kind: type[Operation]) -> Callable[[Any, Operation], None] | None:
    """The form that a class of xDSL's kind brings along."""
    form = extended_class(kind)
    if form.print is Operation.print:
        return None
    return lambda w, op: form.print(op, w)  # pyright: ignore[reportArgumentType]


@cache
def inherent_names(name: str) -> frozenset[str] | None:
    """The names of the inherent attributes of an op; None where no table knows the op."""
    spec = spec_of(name)
    return None if spec is None else frozenset(a.name for a in spec.attributes) | _SEGMENTS


class OperationWriter(NameWriter):
    """Writes operations, regions and blocks."""

    def start_operations(self) -> None:
        """No region is open, and ops of ``builtin`` are written without their dialect."""
        self.default_dialect = "builtin"

    def new_line(self) -> None:
        """Start a line at the present depth."""
        self.put(self.line_start())

    def line_start(self) -> str:
        """The end of a line and the blanks of the next."""
        depth = self._indent
        while depth >= len(_LINES):
            _LINES.append(_LINES[-1] + "  ")
        return _LINES[depth]

    def operation(self, op: Operation) -> None:
        """Write an operation with its results, in its own form where it has one."""
        put = self.put
        results = op.results
        if results:
            if len(results) == 1:
                (result,) = results
                put(self._names.get(id(result)) or self.value_name(result))
            else:
                put(self.result_list(op))
            put(" = ")
        kind = op.__class__
        name, dialect, short, write = _forms.get(kind) or form_of(kind)
        if write is None or self.options.generic:
            self.generic(op)
        else:
            put(short if dialect == self.default_dialect else name)
            write(self, op)
        if self.options.locations:
            self.location(op.location)

    def operation_without_results(self, op: Operation) -> None:
        """Write an operation without the names of its results and its location, for forms that hold one."""
        name, dialect, short, write = form_of(op.__class__)
        if write is None:
            self.generic(op)
        else:
            self.put(short if dialect == self.default_dialect else name)
            write(self, op)

    def generic(self, op: Operation) -> None:
        """Write an op in the generic form, without its results and location."""
        put, name = self.put, op.op_name.data if isinstance(op, UnregisteredOp) else op.name
        put(f"{quoted(name)}({', '.join([self.value_name(value) for value in op._operands])})")
        if op._successors:
            put(f"[{', '.join([self.block_name(block) for block in op._successors])}]")
        inherent, discardable = self._split(op, name)
        place = len(self.parts)
        if inherent:
            put("")
        if op.regions:
            self._generic_regions(op)
        # Aliases are numbered in the order in which upstream meets them: regions, types, attributes.
        types = self.function_type_text(
            [value.type for value in op._operands], [result.type for result in op.results]
        )
        if inherent:
            self.parts[place] = f" <{self.entries_text(inherent)}>"
        if discardable:
            put(f" {self.entries_text(discardable)}")
        put(f" : {types}")

    def _generic_regions(self, op: Operation) -> None:
        self.put(" (")
        for i, region in enumerate(op.regions):
            if i:
                self.put(", ")
            self.region(region, empty_block=True)
        self.put(")")

    @staticmethod
    def _split(op: Operation, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """Inherent and discardable attributes, wherever the op's class holds them."""
        if isinstance(op, UnregisteredOp):
            attributes = dict(op.attributes)
            del attributes["op_name__"]
            return op.properties, attributes
        names = inherent_names(name)
        if names is None or not (op.attributes and names.intersection(op.attributes)):
            return op.properties, op.attributes
        inherent = {key: value for key, value in op.attributes.items() if key in names}
        return op.properties | inherent, {k: v for k, v in op.attributes.items() if k not in names}

    def region(
        self, region: Region, entry_args: bool = True, terminator: bool = True, empty_block: bool = False
    ) -> None:
        """Write a region in braces.

        ``entry_args`` is false where the op itself writes the arguments of the first block, ``terminator``
        where the last op of the blocks goes without saying; ``empty_block`` keeps a block without ops apart
        from a region without blocks.
        """
        put, block = self.put, region._first_block
        put("{")
        if block is not None:
            outer = self.default_dialect
            parent = region.parent
            self.default_dialect = _DEFAULT_DIALECTS.get(parent.name, "") if parent else ""
            header = (empty_block and block._first_op is None) or (entry_args and bool(block._args))
            self.block(block, header, terminator)
            block = block._next_block
            while block is not None:
                self.block(block, True, terminator)
                block = block._next_block
            self.default_dialect = outer
        self.new_line()
        self.put("}")

    def block(self, block: Block, header: bool = True, terminator: bool = True) -> None:
        """Write a block on lines of its own."""
        if header:
            self._block_header(block)
        self._indent += 1
        start, put = self.line_start(), self.put
        last = None if terminator else self._terminator(block)
        op = block._first_op
        while op is not None:
            if op is not last:
                put(start)
                self.operation(op)
            op = op._next_op
        self._indent -= 1

    @staticmethod
    def _terminator(block: Block) -> Operation | None:
        last = block._last_op
        if last is not None and last.has_trait(IsTerminator, value_if_unregistered=False):
            return last
        return None

    def _block_header(self, block: Block) -> None:
        self.new_line()
        put = self.put
        put(self.block_name(block))
        if block._args:
            put("(")
            for i, argument in enumerate(block._args):
                if i:
                    put(", ")
                self.argument(argument)
            put(")")
        put(":")
        if block.parent is not None and block.parent._first_block is not block:
            put(self._predecessors(block))

    def successor_with(self, block: Block, values: Sequence[SSAValue]) -> None:
        """Write a successor with what is passed to it: ``^bb1(%a, %b : t, t)``."""
        self.successor(block)
        if values:
            self.put("(")
            self.values(values)
            self.put(" : ")
            self.types([value.type for value in values])
            self.put(")")

    def argument(self, argument: BlockArgument, with_type: bool = True) -> None:
        """Write an argument of a block: ``%name: type``."""
        self.value(argument)
        if with_type:
            self.put(": ")
            self.type(argument.type)
            if self.options.locations:
                self.argument_location(argument.location)

    def _predecessors(self, block: Block) -> str:
        """A comment that says from where control comes."""
        found = [use.operation.parent for use in block.uses]
        if not found:
            return "  // no predecessors"
        if len(found) == 1:
            return f"  // pred: {self.block_name(found[0])}" if found[0] is not None else ""
        places = self._block_places(block)
        known = sorted((b for b in found if b is not None), key=lambda b: places.get(id(b), 0))
        return f"  // {len(found)} preds: {', '.join([self.block_name(b) for b in known])}"

    def _block_places(self, block: Block) -> dict[int, int]:
        """The place of each block of a region by the block, computed once a region."""
        region = block.parent
        if self._placed_region is not region:
            self._placed_region, self._places = region, {}
            other = region._first_block if region is not None else None
            while other is not None:
                self._places[id(other)] = len(self._places)
                other = other._next_block
        return self._places

    _placed_region: Region | None = None
    _places: dict[int, int]
