"""The tables of folds and canonicalisation patterns, and what a pattern may do to a program.

A dialect's entries stand in ``dialects/<dialect>/simplify`` (a module, or a package of modules), which is
imported when the first op of the dialect is simplified. A fold says what the results of an op are, without
making ops::

    @fold("arith.addi")
    def add_zero(op: Operation) -> Folded:
        return op.operands[0] if is_zero(op.operands[1]) else None

A pattern changes the program through a :class:`Rewriter`, and says whether it did::

    @pattern("arith.subi")
    def subtract_constant(op: Operation, rewriter: Rewriter) -> bool: ...
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from lamina.dialects.core.building import make_op

Value: TypeAlias = "SSAValue | Attribute"
Folded: TypeAlias = "Value | Sequence[Value | None] | bool | None"
"""The value of the one result, or of each; True where the op was changed in place; None for no fold."""
Fold: TypeAlias = Callable[[Operation], Folded]


class Rewriter:
    """What a pattern does to a program; the driver learns which ops to look at again."""

    current: Operation
    """The op that the pattern was given."""

    def note_insertion(self, op: Operation) -> None:
        """An op (with all inside) has come into the program."""

    def note_change(self, op: Operation) -> None:
        """An op's operands, attributes or regions have changed in place."""

    def note_removal(self, op: Operation) -> None:
        """An op (with all inside) is about to leave the program."""

    def note_users(self, value: SSAValue) -> None:
        """The uses of a value are about to change."""

    def create(
        self,
        name: str,
        operands: Sequence[SSAValue] = (),
        result_types: Sequence[Attribute] = (),
        properties: Mapping[str, Attribute] | None = None,
        *,
        regions: Sequence[Region] = (),
        attributes: Mapping[str, Attribute] | None = None,
        successors: Sequence[Block] = (),
        before: Operation | None = None,
    ) -> Operation:
        """Make an op in front of ``before`` (by default of the current op), at the current op's location."""
        made = make_op(
            name,
            operands,
            result_types,
            properties,
            regions=regions,
            attributes=attributes,
            successors=successors,
        )
        return self.insert(made, before)

    def insert(self, op: Operation, before: Operation | None = None) -> Operation:
        """Put an op in front of ``before`` (by default of the current op)."""
        place = before or self.current
        op.location = self.current.location
        assert place.parent is not None
        place.parent.insert_op_before(op, place)
        self.note_insertion(op)
        return op

    def value(
        self,
        name: str,
        operands: Sequence[SSAValue],
        type: Attribute,
        properties: Mapping[str, Attribute] | None = None,
        before: Operation | None = None,
    ) -> SSAValue:
        """As :meth:`create` for an op of one result, which is returned."""
        return self.create(name, operands, [type], properties, before=before).results[0]

    def replace(self, op: Operation, values: SSAValue | Operation | Sequence[SSAValue]) -> bool:
        """Replace the results of an op and erase it; returns True, the answer of a pattern that applied."""
        if isinstance(values, Operation):
            values = values.results
        elif isinstance(values, SSAValue):
            values = (values,)
        for old, new in zip(op.results, values, strict=True):
            self.replace_uses(old, new)
        return self.erase(op)

    def replace_with(
        self,
        op: Operation,
        name: str,
        operands: Sequence[SSAValue],
        properties: Mapping[str, Attribute] | None = None,
        *,
        types: Sequence[Attribute] | None = None,
        regions: Sequence[Region] = (),
        attributes: Mapping[str, Attribute] | None = None,
    ) -> bool:
        """Replace an op by a new one, by default of the same result types; returns True."""
        kinds = [result.type for result in op.results] if types is None else types
        made = self.create(
            name, operands, kinds, properties, regions=regions, attributes=attributes, before=op
        )
        return self.replace(op, made)

    def replace_uses(self, old: SSAValue, new: SSAValue) -> None:
        """Let everybody who uses ``old`` use ``new``."""
        if old is not new:
            self.note_users(old)
            old.replace_all_uses_with(new)

    def replace_uses_if(self, old: SSAValue, new: SSAValue, chosen: Callable[[Operation], bool]) -> bool:
        """Let the chosen users of ``old`` use ``new``; returns whether there were any."""
        uses = [use for use in old.uses if chosen(use.operation)]
        for use in uses:
            use.operation.operands[use.index] = new
            self.note_change(use.operation)
        return bool(uses)

    def erase(self, op: Operation) -> bool:
        """Take an op without uses out of the program; returns True."""
        self.note_removal(op)
        assert op.parent is not None
        op.parent.erase_op(op)
        return True

    def set_operands(self, op: Operation, operands: Sequence[SSAValue]) -> bool:
        """Give an op other operands; returns True."""
        before = tuple(op.operands)
        op.operands = list(operands)
        for value in before:
            if isinstance(value.owner, Operation):
                self.note_change(value.owner)
        self.note_change(op)
        return True

    def set_property(self, op: Operation, name: str, value: Attribute | None) -> bool:
        """Set or remove an inherent attribute; returns True."""
        held = op.attributes if name in op.attributes else op.properties
        if value is None:
            held.pop(name, None)
        else:
            held[name] = value
        self.note_change(op)
        return True

    def move_before(self, op: Operation, place: Operation) -> None:
        """Move an op in front of another."""
        op.detach()
        assert place.parent is not None
        place.parent.insert_op_before(op, place)
        self.note_change(op)

    def inline_before(self, block: Block, place: Operation, values: Sequence[SSAValue] = ()) -> None:
        """Move the ops of a block in front of ``place``, with ``values`` for the block's arguments."""
        for argument, value in zip(block.args, values, strict=True):
            self.replace_uses(argument, value)
        assert place.parent is not None
        for op in tuple(block.ops):
            op.detach()
            place.parent.insert_op_before(op, place)
            self.note_change(op)

    def take_region(self, op: Operation, index: int = 0) -> Region:
        """Take a region away from an op, which is left an empty one."""
        region = Region()
        op.regions[index].move_blocks(region)
        return region

    def erase_argument(self, argument: BlockArgument) -> None:
        """Take an argument without uses from its block."""
        argument.block.erase_arg(argument)


Pattern: TypeAlias = Callable[[Operation, Rewriter], "bool | None"]


_folds: dict[str, list[Fold]] = {}
_patterns: dict[str, list[Pattern]] = {}
_imported: set[str] = set()


def fold(*names: str) -> Callable[[Fold], Fold]:
    """Register a fold for ops; of several of one op the first that has an answer counts."""

    def register(rule: Fold) -> Fold:
        for name in names:
            _folds.setdefault(name, []).append(rule)
        return rule

    return register


def pattern(*names: str) -> Callable[[Pattern], Pattern]:
    """Register a canonicalisation pattern for ops. Its name is the function's."""

    def register(rule: Pattern) -> Pattern:
        for name in names:
            _patterns.setdefault(name, []).append(rule)
        return rule

    return register


def folds_of(name: str) -> Sequence[Fold]:
    """The folds of an op, in their order."""
    _import_rules(name.partition(".")[0])
    return _folds.get(name, ())


def patterns_of(name: str) -> Sequence[Pattern]:
    """The patterns of an op, in their order."""
    _import_rules(name.partition(".")[0])
    return _patterns.get(name, ())


_ALSO = {
    "memref": ("tensor", "bufferization", "vector"),
    "tensor": ("linalg", "bufferization"),
    "linalg": ("tensor",),
    "vector": ("memref",),
    "arith": ("tensor",),
    "affine": ("memref",),
}
"""Dialects whose rules hold for ops of another one too: they are read with it."""


def _import_rules(dialect: str) -> None:
    if dialect in _imported:
        return
    _imported.add(dialect)
    home = Path(__file__).parent.parent / dialect
    if not dialect.isidentifier() or not any((home / n).exists() for n in ("simplify", "simplify.py")):
        return
    module = importlib.import_module(f"lamina.dialects.{dialect}.simplify")
    for part in pkgutil.iter_modules(getattr(module, "__path__", ())):
        importlib.import_module(f"{module.__name__}.{part.name}")
    for other in _ALSO.get(dialect, ()):
        _import_rules(other)
