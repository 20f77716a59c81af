"""Conversion of types, and the operations that stand between a value of the old and one of the new type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import FunctionType, UnrealizedConversionCastOp
from xdsl.ir import Attribute, Operation, Region, SSAValue

Rule: TypeAlias = Callable[[Attribute], "Attribute | Sequence[Attribute] | None"]
Materialisation: TypeAlias = Callable[[Attribute, Sequence[SSAValue]], "Operation | None"]
"""Makes the operation with one result of a type from values of other types, or None if it cannot."""


class TypeConverter:
    """Rules from types to types, the last added first; a type without a rule stays as it is.

    A rule gives a type, several types (a value becomes several), none (``()``: the value goes), or None where
    it is for other types.
    """

    def __init__(self, *rules: Rule) -> None:
        self._rules = list(rules)
        self._known: dict[Attribute, tuple[Attribute, ...]] = {}
        self._to_source: list[Materialisation] = []
        self._to_target: list[Materialisation] = []

    def add(self, rule: Rule) -> TypeConverter:
        """Add a rule that is asked before those there are."""
        self._rules.append(rule)
        self._known.clear()
        return self

    def add_source_materialisation(self, make: Materialisation) -> TypeConverter:
        """How a value of an old type is made from one of the new, for operations that stay."""
        self._to_source.append(make)
        return self

    def add_target_materialisation(self, make: Materialisation) -> TypeConverter:
        """How a value of a new type is made from one of the old, for operations that are converted."""
        self._to_target.append(make)
        return self

    def convert_all(self, type: Attribute) -> tuple[Attribute, ...]:
        """The types that stand for a type: one, but for types that become several or vanish."""
        known = self._known.get(type)
        if known is None:
            known = self._known[type] = self._converted(type)
        return known

    def convert(self, type: Attribute) -> Attribute:
        """The one type that stands for a type."""
        (found,) = self.convert_all(type)
        return found

    def convert_types(self, types: Iterable[Attribute]) -> list[Attribute]:
        """The types that stand for several, in order."""
        return [new for old in types for new in self.convert_all(old)]

    def convert_signature(self, type: FunctionType) -> FunctionType:
        """A function type with inputs and outputs converted."""
        return FunctionType.from_lists(
            self.convert_types(type.inputs.data), self.convert_types(type.outputs.data)
        )

    def is_legal(self, *types: Attribute) -> bool:
        """Whether types stand for themselves."""
        return all(self.convert_all(type) == (type,) for type in types)

    def is_legal_op(self, op: Operation) -> bool:
        """Whether the types of an operation's operands and results stand for themselves."""
        return self.is_legal(*(v.type for v in op.operands), *(v.type for v in op.results))

    def is_legal_signature(self, region: Region) -> bool:
        """Whether the types of the arguments of a region's blocks stand for themselves."""
        return all(self.is_legal(*block.arg_types) for block in region.blocks)

    def to_source(self, types: Sequence[Attribute], values: Sequence[SSAValue]) -> Operation:
        """An operation that makes a value of the old type from those that stand for it."""
        return _made(self._to_source, types, values)

    def to_target(self, types: Sequence[Attribute], values: Sequence[SSAValue]) -> Operation:
        """An operation that makes the values of the new types from one of the old."""
        return _made(self._to_target, types, values)

    def _converted(self, type: Attribute) -> tuple[Attribute, ...]:
        for rule in reversed(self._rules):
            found = rule(type)
            if found is not None:
                return (found,) if isinstance(found, Attribute) else tuple(found)
        return (type,)


def _made(
    ways: Sequence[Materialisation], types: Sequence[Attribute], values: Sequence[SSAValue]
) -> Operation:
    for make in reversed(ways) if len(types) == 1 else ():
        made = make(types[0], values)
        if made is not None:
            return made
    return UnrealizedConversionCastOp.create(operands=values, result_types=types)
