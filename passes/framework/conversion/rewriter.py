"""The changes of a conversion: made at once, undone if it fails, completed if it succeeds.

Operations that are replaced stay where they are until the end, so that patterns see the program as it was;
which values stand for their results is noted aside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from lamina.passes.framework.conversion.types import TypeConverter

_CastKey: TypeAlias = tuple[tuple[SSAValue, ...], tuple[Attribute, ...]]
_Make: TypeAlias = Callable[[Sequence[Attribute], Sequence[SSAValue]], Operation]


class ConversionRewriter:
    """What patterns change the program with."""

    def __init__(self, converter: TypeConverter) -> None:
        self.converter = converter
        self.op: Operation | None = None
        """The operation that is converted; new ones go before it."""
        self.inserted: list[Operation] = []
        """New operations that were not looked at yet."""
        self.replaced: dict[Operation, list[SSAValue]] = {}
        self.replaced_with_regions = 0
        """How many of the replaced operations hold others, which are gone as well."""
        self._values: dict[SSAValue, list[SSAValue]] = {}
        self._casts: dict[_CastKey, Operation] = {}
        self._arguments: list[BlockArgument] = []
        self._undo: list[Callable[[], None]] = []

    # What patterns use.

    def insert(self, op: Operation, before: Operation | None = None) -> Operation:
        """Put a new operation before the one under conversion, with its location."""
        place = before or self.op
        assert place is not None and place.parent is not None and self.op is not None
        op.location = self.op.location
        place.parent.insert_op_before(op, place)
        self.inserted.append(op)
        self._undo.append(lambda: _drop(op))
        return op

    def emit(self, op: Operation) -> SSAValue:
        """Put a new operation in and give its result."""
        return self.insert(op).results[0]

    def replace(self, op: Operation, values: Sequence[SSAValue]) -> None:
        """Let values stand for the results of an operation, which goes at the end."""
        if op in self.replaced:
            raise ValueError(f"'{op.name}' is replaced a second time")
        self.replaced[op] = list(values)
        self.replaced_with_regions += bool(op.regions)
        self._undo.append(lambda: self._forget(op))
        counts = [len(self.converter.convert_all(result.type)) for result in op.results]
        if sum(counts) != len(values):
            raise ValueError(
                f"'{op.name}' needs {sum(counts)} values in place of its results, not {len(values)}"
            )
        rest = list(values)
        for result, count in zip(op.results, counts, strict=True):
            self._values[result] = rest[:count]
            del rest[:count]
            for value in self._values[result]:
                if value.name_hint is None and value is not result:
                    value.name_hint = result.name_hint

    def erase(self, op: Operation) -> None:
        """Remove an operation whose results nobody uses at the end."""
        self.replaced[op] = []
        self.replaced_with_regions += bool(op.regions)
        self._undo.append(lambda: self._forget(op))

    @contextmanager
    def modify(self, op: Operation) -> Iterator[None]:
        """Change attributes, operands or successors of an operation in place, inside of the block."""
        before = (dict(op.attributes), dict(op.properties), tuple(op.operands), tuple(op.successors))

        def undo() -> None:
            op.attributes, op.properties = before[0], before[1]
            op.operands, op.successors = before[2], before[3]

        self._undo.append(undo)
        yield

    def convert_region_types(self, region: Region) -> None:
        """Give all blocks of a region arguments of converted types."""
        for block in region.blocks:
            self.convert_block_types(block)

    def convert_block_types(self, block: Block) -> None:
        """Give a block arguments of converted types; the old ones stand for them until the end."""
        old = block.args
        if self.converter.is_legal(*block.arg_types):
            return
        new: list[BlockArgument] = []
        for argument in old:
            types = self.converter.convert_all(argument.type)
            if types == (argument.type,):
                new.append(argument)
                continue
            added = [BlockArgument(type, block, 0, argument.location) for type in types]
            for value in added:
                value.name_hint = argument.name_hint
            self._values[argument] = list(added)
            new += added
        _set_arguments(block, new)
        changed = [argument for argument in old if argument not in new]
        self._arguments += changed
        self._undo.append(lambda: self._restore_arguments(block, old, changed))

    def inline_region_before(self, region: Region, block: Block) -> None:
        """Move the blocks of a region before a block of another region."""
        home = block.parent
        assert home is not None
        for inner in tuple(region.blocks):
            region.detach_block(inner)
            home.insert_block_before(inner, block)
            self._undo.append(lambda inner=inner: _move_back(inner, region))

    def split_block(self, before: Operation) -> Block:
        """Make an operation and those after it a block of their own, and give that block."""
        block = before.parent
        assert block is not None
        rest = block.split_before(before)
        self._undo.append(lambda: _join(block, rest))
        return rest

    def value(self, value: SSAValue) -> SSAValue:
        """The one value that stands for a value, of its converted type."""
        (found,) = self.values_for(value)
        return found

    def values(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        """The values that stand for several values, in order."""
        return [new for value in values for new in self.values_for(value)]

    def values_for(self, value: SSAValue) -> list[SSAValue]:
        """The values of converted types that stand for a value; casts are made where there are none."""
        wanted = self.converter.convert_all(value.type)
        known = self._current(value)
        if tuple(v.type for v in known) == wanted:
            return known
        if len(known) == 1 and (source := _cast_source(known[0], wanted)) is not None:
            return source
        return self._cast(known, wanted, self.converter.to_target)

    # How values find their successors.

    def _current(self, value: SSAValue) -> list[SSAValue]:
        newer = self._values.get(value)
        return [value] if newer is None else [last for one in newer for last in self._current(one)]

    def _cast(self, values: Sequence[SSAValue], types: Sequence[Attribute], make: _Make) -> list[SSAValue]:
        """Values of other types, one cast for each, right behind the definition of the last value."""
        key = (tuple(values), tuple(types))
        known = self._casts.get(key)
        if known is None:
            op = make(types, values)
            _place_behind(values[-1], op)
            known = self._casts[key] = op
            self._undo.append(lambda: self._drop_cast(key))
            if op.results[0].name_hint is None:
                op.results[0].name_hint = values[-1].name_hint
        return list(known.results)

    def _drop_cast(self, key: _CastKey) -> None:
        _drop(self._casts.pop(key))

    def _forget(self, op: Operation) -> None:
        del self.replaced[op]
        self.replaced_with_regions -= bool(op.regions)
        for result in op.results:
            self._values.pop(result, None)

    def _restore_arguments(
        self, block: Block, old: Sequence[BlockArgument], changed: Sequence[BlockArgument]
    ) -> None:
        _set_arguments(block, old)
        for argument in changed:
            del self._values[argument]
            self._arguments.remove(argument)

    # How a conversion ends.

    def mark(self) -> int:
        """A point to which :meth:`rollback` can return."""
        return len(self._undo)

    def rollback(self, mark: int = 0) -> None:
        """Undo all that was changed since a point: the program is as it was then."""
        while len(self._undo) > mark:
            self._undo.pop()()
        self.inserted = [op for op in self.inserted if op.parent is not None]

    def commit(self) -> None:
        """Complete the changes: uses of what was replaced get the new values, and it goes."""
        for op in self.replaced:
            for inner in op.walk():
                inner.operands = ()
        for (values, types), cast in list(self._casts.items()):
            current = [new for value in values for new in self._current(value)]
            if current != list(values) and tuple(v.type for v in current) == types:
                for old, new in zip(cast.results, current, strict=True):
                    old.replace_all_uses_with(new)
        self._drop_unused_casts()
        for op in self.replaced:
            for result in op.results:
                self._substitute(result)
        for argument in self._arguments:
            self._substitute(argument)
        for op in self.replaced:
            _drop(op)
        self._drop_unused_casts()

    def _substitute(self, old: SSAValue) -> None:
        """Replace the uses that are left of a value that goes: casts to its new type vanish."""
        if old.first_use is None:
            return
        current = self._current(old)
        types = tuple(value.type for value in current)
        for use in tuple(old.uses):
            if _is_cast(use.operation) and use.operation.result_types == types:
                for result, new in zip(use.operation.results, current, strict=True):
                    result.replace_all_uses_with(new)
                if use.operation not in self._casts.values():
                    _drop(use.operation)
        if old.first_use is not None:
            new = (
                current
                if types == (old.type,)
                else self._cast(current, (old.type,), self.converter.to_source)
            )
            old.replace_all_uses_with(new[0])

    def _drop_unused_casts(self) -> None:
        for key, cast in reversed(list(self._casts.items())):
            if all(result.first_use is None for result in cast.results):
                _drop(cast)
                del self._casts[key]


def _set_arguments(block: Block, arguments: Sequence[BlockArgument]) -> None:
    """Make values the arguments of a block; those it had keep their uses."""
    for index, argument in enumerate(arguments):
        argument.index = index
    block._args = tuple(arguments)  # pyright: ignore[reportPrivateUsage]


def _is_cast(op: Operation) -> bool:
    return isinstance(op, UnrealizedConversionCastOp)


def _cast_source(value: SSAValue, types: Sequence[Attribute]) -> list[SSAValue] | None:
    """What a value was cast from, if that has the types."""
    owner = value.owner
    if isinstance(owner, Operation) and _is_cast(owner) and len(owner.results) == 1:
        sources = list(owner.operands)
        if tuple(source.type for source in sources) == tuple(types):
            return sources
    return None


def _place_behind(value: SSAValue, op: Operation) -> None:
    owner = value.owner
    if isinstance(owner, Operation):
        op.location = owner.location
        assert owner.parent is not None
        owner.parent.insert_op_after(op, owner)
        return
    parent = owner.parent_op()
    if parent is not None:
        op.location = parent.location
    if owner.first_op is None:
        owner.add_op(op)
    else:
        owner.insert_op_before(op, owner.first_op)


def _move_back(block: Block, region: Region) -> None:
    """Undo the move of a block out of a region; the last one moved comes back first."""
    assert block.parent is not None
    block.parent.detach_block(block)
    if region.first_block is None:
        region.add_block(block)
    else:
        region.insert_block_before(block, region.first_block)


def _drop(op: Operation) -> None:
    if op.parent is not None:
        op.parent.detach_op(op)
    op.drop_all_references()


def _join(block: Block, rest: Block) -> None:
    while (op := rest.first_op) is not None:
        rest.detach_op(op)
        block.add_op(op)
    region = rest.parent
    assert region is not None
    region.detach_block(rest)
