"""Converting operations by a table, one walk, in place.

A rule takes one operation to its replacement values. Operands reach it converted: an operand that some
other pass still has to convert arrives through one ``builtin.unrealized_conversion_cast``, placed once behind
its definition, and a result that unconverted operations still use leaves through one. So every conversion
works alone, as upstream's do, and in a sequence the casts of one pass disappear in the next.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace

from xdsl.dialects.builtin import (
    MemRefType,
    UnrealizedConversionCastOp,
)
from xdsl.dialects.llvm import ConstantOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.traits import IsolatedFromAbove

from lamina.dialects.core.diagnostics import LaminaError, error, location_of
from lamina.lowering.llvm._descriptors import Descriptor
from lamina.lowering.llvm._types import INDEX, convert_type
from lamina.lowering.llvm._values import cast_source, is_cast_to, scalar_attribute
from lamina.passes.framework.walk import operations_named

Replacement = SSAValue | Descriptor
Maker = tuple[type[Operation], Attribute, dict[str, Attribute]]
"""Class, result type and properties of an operation without operands."""
Rule = Callable[["Conversion", Operation], "Replacement | Sequence[Replacement] | None"]
"""New values for an operation's results (one, or a sequence), or None to leave the operation as it is."""


class Conversion:
    """The state of one walk: where to insert, and which values stand for which."""

    op: Operation
    """The operation under conversion; new operations go before it."""

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        self.rules = rules
        self._types: dict[int, tuple[Attribute, Attribute]] = {}
        self._values: dict[SSAValue, SSAValue] = {}
        self._forwarded: dict[SSAValue, SSAValue] = {}
        self._descriptors: dict[SSAValue, Descriptor] = {}
        self._replaced: list[tuple[Operation, Sequence[Replacement]]] = []
        self._arguments: list[tuple[BlockArgument, Replacement]] = []
        self._shared: dict[tuple[Block, Hashable], SSAValue] = {}
        self._tops: dict[Block, Operation] = {}
        # The last operation put at the top of a block.
        self._entries: dict[Block, Block] = {}

    def run(self, root: Operation) -> int:
        """Convert all operations under ``root`` that the table knows; returns how many were."""
        count = 0
        for op in operations_named(root, self.rules):
            self.op = op
            new = self._apply(op)
            if new is None:
                continue
            count += 1
            self._retire(op, (new,) if isinstance(new, SSAValue | Descriptor) else new)
        self._finish()
        return count

    def _apply(self, op: Operation) -> Replacement | Sequence[Replacement] | None:
        """The rule for an operation; an error that names no place is at the operation."""
        try:
            return self.rules[op.name](self, op)
        except LaminaError as problem:
            place = location_of(op)
            raise LaminaError(
                *(replace(d, location=d.location or place) for d in problem.diagnostics)
            ) from problem

    # What rules use.

    def value(self, value: SSAValue) -> SSAValue:
        """The value of the converted type that stands for a value."""
        known = self._values.get(value)
        if known is not None:
            return self._current(known)
        if value in self._descriptors:
            known = self._descriptors[value].as_struct(self)
        else:
            wanted = self.converted_type(value.type)
            if wanted is value.type:
                return value
            known = cast_source(value, wanted) or self._cast_behind(value, wanted)
        self._values[value] = known
        return known

    def converted_type(self, type: Attribute) -> Attribute:
        """The converted type, the same object where nothing changes; by identity, as hashing is slow."""
        known = self._types.get(id(type))
        if known is None:
            converted = convert_type(type)
            known = self._types[id(type)] = (type, type if converted == type else converted)
        return known[1]

    def values(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        """The converted values of several."""
        return [self.value(value) for value in values]

    def descriptor(self, memref: SSAValue) -> Descriptor:
        """What is known of a memref: its pointers, offset, sizes and strides."""
        known = self._descriptors.get(memref)
        if known is None:
            if not isinstance(memref.type, MemRefType):
                raise error(f"works on {memref.type}, which is not lowered", self.op)
            known = self._descriptors[memref] = Descriptor.of_struct(memref.type, self.value(memref))
        return known

    def insert(self, op: Operation) -> Operation:
        """Put a new operation before the one under conversion, with its location."""
        op.location = self.op.location
        block = self.op.parent
        assert block is not None
        block.insert_op_before(op, self.op)
        return op

    def emit(
        self,
        kind: type[Operation],
        operands: Sequence[SSAValue],
        result_type: Attribute,
        properties: Mapping[str, Attribute] | None = None,
    ) -> SSAValue:
        """A new operation with one result, before the one under conversion."""
        op = kind.create(operands=operands, result_types=(result_type,), properties=properties or {})
        return self.insert(op).results[0]

    def constant(self, value: int | float, type: Attribute = INDEX) -> SSAValue:
        """A scalar constant, one for each value and type, at the top of the enclosing function."""
        return self.shared(
            (value, type), lambda: (ConstantOp, type, {"value": scalar_attribute(value, type)})
        )

    def shared(self, key: Hashable, make: Callable[[], Maker]) -> SSAValue:
        """The result of an operation without operands: one for each key, at the top of the function."""
        block = self.op.parent
        assert block is not None
        entry = self._entry(block)
        known = self._shared.get((entry, key))
        if known is None:
            kind, result_type, properties = make()
            op = kind.create(properties=properties, result_types=(result_type,), location=self.op.location)
            self.insert_at_top(entry, op)
            known = self._shared[entry, key] = op.results[0]
        return known

    def insert_at_top(self, block: Block, op: Operation) -> None:
        """Put an operation before all that were in the block, behind those put there before it."""
        last = self._tops.get(block)
        if last is not None:
            block.insert_op_after(op, last)
        elif block.first_op is not None:
            block.insert_op_before(op, block.first_op)
        else:
            block.add_op(op)
        self._tops[block] = op

    def insert_behind(self, value: SSAValue, op: Operation) -> None:
        """Put an operation right behind the definition of a value."""
        owner = value.owner
        if isinstance(owner, Block):
            self.insert_at_top(owner, op)
            return
        block = owner.parent
        assert block is not None
        block.insert_op_after(op, owner)

    def erase(self, op: Operation) -> None:
        """Remove an operation without uses."""
        block = op.parent
        assert block is not None
        if self._tops.get(block) is op:
            if op.prev_op is None:
                del self._tops[block]
            else:
                self._tops[block] = op.prev_op
        block.detach_op(op)
        op.drop_all_references()

    def replace_argument(self, argument: BlockArgument, new: Replacement) -> None:
        """Let other values stand for a block argument, which goes at the end of the walk."""
        if isinstance(new, Descriptor):
            new.place = lambda: self.below_top(argument.block)
            self._descriptors[argument] = new
        else:
            self._values[argument] = new
        self._arguments.append((argument, new))

    # How values are replaced.

    def _cast_behind(self, value: SSAValue, wanted: Attribute) -> SSAValue:
        cast = UnrealizedConversionCastOp.create(operands=(value,), result_types=(wanted,))
        cast.results[0]._name = value.name_hint  # pyright: ignore[reportPrivateUsage]
        cast.location = self.op.location
        self.insert_behind(value, cast)
        return cast.results[0]

    def below_top(self, block: Block) -> Operation:
        """The first operation of a block behind those put at its top."""
        last = self._tops.get(block)
        first = block.first_op if last is None else last.next_op
        assert first is not None
        return first

    def _entry(self, block: Block) -> Block:
        known = self._entries.get(block)
        if known is None:
            region = block.parent
            owner = region.parent if region is not None else None
            if (
                region is None
                or owner is None
                or owner.has_trait(IsolatedFromAbove)
                or owner.name == "llvm.func"
            ):
                known = region.first_block if region is not None and region.first_block is not None else block
            else:
                assert owner.parent is not None
                known = self._entry(owner.parent)
            self._entries[block] = known
        return known

    def _current(self, value: SSAValue) -> SSAValue:
        while (newer := self._forwarded.get(value)) is not None:
            value = newer
        return value

    def _retire(self, op: Operation, new: Sequence[Replacement]) -> None:
        """Take an operation out now where its results keep their types, at the end of the walk otherwise."""
        late = False
        for old, replacement in zip(op.results, new, strict=True):
            if isinstance(replacement, Descriptor):
                self._descriptors[old] = replacement
                if replacement.place is None:
                    replacement.place = lambda: op
                late = True
            elif replacement.type is not old.type and replacement.type != old.type:
                self._values[old] = replacement
                if replacement.name_hint is None:
                    replacement._name = old.name_hint  # pyright: ignore[reportPrivateUsage]
                late = True
            else:
                self._forwarded[old] = replacement
                old.replace_all_uses_with(replacement)
        if late:
            self._replaced.append((op, new))
        else:
            self.erase(op)

    def _finish(self) -> None:
        for op, _ in self._replaced:
            op.operands = ()
        for op, new in reversed(self._replaced):
            for old, replacement in zip(op.results, new, strict=True):
                if old.first_use is not None:
                    self.op = op
                    self._substitute(old, replacement)
            self.erase(op)
        for argument, replacement in self._arguments:
            block = argument.block
            self.op = self.below_top(block)
            self._substitute(argument, replacement)
            block.erase_arg(argument)

    def _substitute(self, old: SSAValue, new: Replacement) -> None:
        """Replace the uses of a value by one of another type: casts to it vanish, other uses get a cast."""
        if isinstance(new, Descriptor):
            new.replace_extractions(self, old)
            if old.first_use is None:
                return
            new = new.as_struct(self)
        new = self._current(new)
        if new.type == old.type:
            old.replace_all_uses_with(new)
            return
        for use in tuple(old.uses):
            if is_cast_to(use.operation, new.type):
                use.operation.results[0].replace_all_uses_with(new)
                self.erase(use.operation)
        if old.first_use is not None:
            cast = UnrealizedConversionCastOp.create(operands=(new,), result_types=(old.type,))
            cast.location = self.op.location
            self.insert_behind(new, cast)
            old.replace_all_uses_with(cast.results[0])


def convert(root: Operation, rules: Mapping[str, Rule]) -> int:
    """Apply a table of rules under ``root``; returns how many operations were converted."""
    return Conversion(rules).run(root)
