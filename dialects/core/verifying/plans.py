"""One plan for each op name: everything that is checked of such an op, compiled when one is first met.

What depends on types alone is decided once for each list of types: the plan remembers the lists that
were right, by identity, and types are few.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Attribute, Operation

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.later import regex
from lamina.dialects.core.ods.kinds import slots_of
from lamina.dialects.core.ods.spec import NESTED, OPTIONAL, SINGLE, VARIADIC, Group, OpSpec, table_of
from lamina.dialects.core.verifying.leaves import Condition
from lamina.dialects.core.verifying.predicates import attribute_predicate, type_predicate
from lamina.dialects.core.verifying.registry import Check, hand_written
from lamina.dialects.core.verifying.relations import relation_checks
from lamina.dialects.core.verifying.traits import trait_checks

_MOST_REMEMBERED = 1 << 14


class Plan:
    """The checks of the ops of one name."""

    __slots__ = (
        "_attributes",
        "_checks",
        "_operands",
        "_results",
        "_right",
        "_segments",
        "_types",
        "after_regions",
        "spec",
        "uses",
    )

    def __init__(self, spec: OpSpec, kind: type[Operation]) -> None:
        dialect = spec.name.partition(".")[0]
        self.spec = spec
        self._attributes = _attribute_checks(spec)
        self._operands = _Values("operand", spec.operands, dialect)
        self._results = _Values("result", spec.results, dialect)
        of_types, check, after_regions, self.uses = hand_written(spec.name)
        own = _own_check(spec, kind) if not (of_types or check or after_regions) else None
        by_types, others, later = trait_checks(spec)
        relations, more = relation_checks(spec)
        self._types = [*relations, *by_types, *([of_types] if of_types else [])]
        self._checks = [
            *more,
            *others,
            *_region_checks(spec),
            *(found for found in (check, own) if found),
        ]
        self.after_regions: list[Check] = [*later, *([after_regions] if after_regions else [])]
        self._segments = "AttrSizedOperandSegments" in spec.traits or "AttrSizedResultSegments" in spec.traits
        self._right: dict[Any, Any] = {}

    def check(self, op: Operation) -> None:
        """Check everything but what is inside the op's regions. Raises for the first thing that is wrong."""
        if self._attributes:
            properties = op.properties
            for name, optional, holds, seen, message in self._attributes:
                value = properties.get(name)
                if value is None:
                    value = op.attributes.get(name)
                    if value is None:
                        if optional:
                            continue
                        raise error(f"requires attribute '{name}'", op)
                if holds is not None and id(value) not in seen:
                    _check_attribute(op, value, holds, seen, message)
        types = [value._type for value in op._operands]  # pyright: ignore[reportPrivateUsage]
        types.extend([value._type for value in op.results])  # pyright: ignore[reportPrivateUsage]
        key: Any = (len(op.results), len(op.regions), len(op._successors), *map(id, types))  # pyright: ignore[reportPrivateUsage]
        if self._segments:
            key = (key, *_sizes_in(op))
        if key not in self._right:
            self._check_types(op)
            if len(self._right) > _MOST_REMEMBERED:
                self._right.clear()
            self._right[key] = types  # held, so that no other type gets the identity of one of them
        for check in self._checks:
            check(op)

    def _check_types(self, op: Operation) -> None:
        self._operands.check(op, op._operands)  # pyright: ignore[reportPrivateUsage]
        self._results.check(op, op.results)
        _check_counts(op, self.spec)
        for check in self._types:
            check(op)


def _check_attribute(
    op: Operation, value: Attribute, holds: Condition, seen: dict[int, Attribute], message: str
) -> None:
    if not holds(value):
        raise error(message, op)
    if len(seen) > _MOST_REMEMBERED:
        seen.clear()
    seen[id(value)] = value


def _sizes_in(op: Operation) -> list[bytes]:
    """The sizes of segments as they are stored."""
    found: list[bytes] = []
    for name in ("operandSegmentSizes", "resultSegmentSizes"):
        value = op.get_attr_or_prop(name)
        if isinstance(value, DenseArrayBase):
            found.append(value.data.data)
    return found


_AttributeCheck: TypeAlias = "tuple[str, bool, Condition | None, dict[int, Attribute], str]"


def _attribute_checks(spec: OpSpec) -> list[_AttributeCheck]:
    dialect = spec.name.partition(".")[0]
    table = table_of(dialect)
    assert table is not None
    checks: list[_AttributeCheck] = []
    for attribute in spec.attributes:
        kind = table.attr_kinds[attribute.kind]
        holds = attribute_predicate(dialect, attribute.kind)
        message = f"attribute '{attribute.name}' failed to satisfy constraint: {kind.summary}"
        optional = attribute.optional or attribute.default is not None
        if holds is not None or not optional:
            checks.append((attribute.name, optional, holds, {}, message))
    return checks


class _Values:
    """The constraints of the groups of operands or of results of an op."""

    def __init__(self, what: str, groups: tuple[Group, ...], dialect: str) -> None:
        self.what, self.groups = what, groups
        table = table_of(dialect)
        assert table is not None
        self.kinds = [
            (type_predicate(dialect, g.constraint), table.type_kinds[g.constraint].summary) for g in groups
        ]
        self.counts = [group.count for group in groups]

    def check(self, op: Operation, values: Any) -> None:
        slices = self._slices(op, len(values))
        for group, (holds, summary), part in zip(self.groups, self.kinds, slices, strict=True):
            self._check_count(op, group, part)
            if holds is None:
                continue
            for number in range(part.start, part.stop):
                type = values[number].type
                if not holds(type):
                    prefix = "variadic of " if group.count in (VARIADIC, NESTED) else ""
                    raise error(f"{self.what} #{number} must be {prefix}{summary}, but got '{type}'", op)

    def _slices(self, op: Operation, total: int) -> list[slice]:
        sizes = self._sizes(op, total)
        found = slots_of(self.counts, total, sizes)
        if found is None:
            raise error(_wrong_count(self.what, self.counts, total), op)
        return found

    def _sizes(self, op: Operation, total: int) -> list[int] | None:
        if sum(1 for count in self.counts if count) < 2:
            return None
        name = f"{self.what}SegmentSizes"
        stored = op.get_attr_or_prop(name)
        if not isinstance(stored, DenseArrayBase):
            return None
        sizes = [int(size) for size in stored.get_values()]
        if len(sizes) != len(self.counts):
            raise error(
                f"'{name}' attribute for specifying {self.what} segments must have {len(self.counts)} "
                f"elements, but got {len(sizes)}",
                op,
            )
        if any(size < 0 for size in sizes):
            raise error(f"'{name}' attribute cannot have negative elements", op)
        if sum(sizes) != total:
            raise error(
                f"{self.what} count ({total}) does not match with the total size ({sum(sizes)}) specified in "
                f"attribute '{name}'",
                op,
            )
        return sizes

    def _check_count(self, op: Operation, group: Group, part: slice) -> None:
        size = part.stop - part.start
        if group.count == OPTIONAL and size > 1:
            wanted = "0 or 1 element"
        elif group.count == SINGLE and size != 1:
            wanted = "1 element"
        elif size < group.minimum:
            wanted = f"{group.minimum} or more element{'s' * (group.minimum > 1)}"
        else:
            return
        raise error(f"{self.what} group starting at #{part.start} requires {wanted}, but found {size}", op)


def _wrong_count(what: str, counts: list[int], total: int) -> str:
    single = sum(1 for count in counts if not count)
    if len(counts) > single:
        return f"expected {single} or more {what}s, but found {total}"
    if single == 0:
        return f"requires zero {what}s"
    if single == 1:
        return "requires a single operand" if what == "operand" else "requires one result"
    return f"expected {single} {what}s, but found {total}"


def _check_counts(op: Operation, spec: OpSpec) -> None:
    """The number of regions and successors."""
    for what, groups, found in (
        ("region", spec.regions, len(op.regions)),
        ("successor", spec.successors, len(op.successors)),
    ):
        fixed = sum(1 for group in groups if group.count == SINGLE)
        variadic = fixed < len(groups)
        if found == fixed or (variadic and found > fixed):
            continue
        if variadic:
            raise error(f"expected {fixed} or more {what}s, but found {found}", op)
        if what == "region":
            wanted = {0: "requires zero regions", 1: "requires one region"}
            raise error(wanted.get(fixed, f"expected {fixed} regions"), op)
        raise error(f"requires {fixed} successor{'s' * (fixed != 1)} but found {found}", op)


_SIZED = regex(r"region with (at most |at least )?(\d+) blocks")


def _region_checks(spec: OpSpec) -> list[Check]:
    """The check of the number of blocks in each region, if there is anything to check."""
    limits: list[tuple[Group, str | None, int]] = []
    for group in spec.regions:
        found = _SIZED.fullmatch(group.constraint)
        if found:
            limits.append((group, found.group(1), int(found.group(2))))
    if not limits:
        return []
    places = {group.name: i for i, group in enumerate(spec.regions)}

    def check(op: Operation) -> None:
        for group, kind, size in limits:
            first = places[group.name]
            last = len(op.regions) if group.count != SINGLE else first + 1
            for number in range(first, last):
                blocks = len(op.regions[number].blocks)
                if blocks > size if kind == "at most " else blocks < size if kind else blocks != size:
                    raise error(
                        f"region #{number} ('{group.name}') failed to verify constraint: {group.constraint}",
                        op,
                    )

    return [check]


def _own_check(spec: OpSpec, kind: type[Operation]) -> Check | None:
    """What the op's class verifies by hand, where upstream verifies by hand and nothing has been
    registered."""
    if not spec.verifier:
        return None
    found: Any = kind.verify_
    while "op_def" in found.__code__.co_freevars:  # xDSL's wrapper, which verifies its own constraints first
        cells = dict(zip(found.__code__.co_freevars, found.__closure__, strict=True))
        if "custom_verify" not in cells:
            return None
        found = cells["custom_verify"].cell_contents
    return None if found is Operation.verify_ else found
