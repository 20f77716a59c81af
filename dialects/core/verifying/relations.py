"""Traits with parameters: types that have to match, and predicates over several operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.ods.spec import SINGLE, OpSpec
from lamina.dialects.core.ods.transformers import transformed
from lamina.dialects.core.ods.types_of import type_of_attribute
from lamina.dialects.core.verifying.groups import attribute, group
from lamina.dialects.core.verifying.operation_predicates import operation_predicate
from lamina.dialects.core.verifying.registry import Check
from lamina.dialects.core.verifying.shapes import RANKED, element_or_self, rank_of, shape_of

Getter = Callable[[Operation], Sequence[Attribute]]


def relation_checks(spec: OpSpec) -> tuple[list[Check], list[Check]]:
    """The checks of an op's relations: those of types alone, and those that also read attributes."""
    by_types: list[Check] = []
    others: list[Check] = []
    for relation in spec.relations:
        kind = relation[0]
        names = relation[1:] if kind.startswith("All") else relation[1:3]
        if kind in _ALIKE:
            check: Check | None = _alike(spec, kind, names)
        elif kind.endswith("TypesMatchWith"):
            check = _match_with(spec, kind, *relation[1:])
        elif kind == "PredOpTrait":
            check = _holds(relation)
            names = ()
            if relation[3] == "PredOpTrait" and "get" in str(relation[2]) and "$" not in str(relation[2]):
                names = (*spec.by_name,)
        else:
            continue
        if check is not None:
            (others if any(name in spec.by_name for name in names) else by_types).append(check)
    return by_types, others


_ALIKE: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "AllTypesMatch": ("type", lambda type: type),
    "AllElementTypesMatch": ("element type", element_or_self),
    "AllRanksMatch": ("rank", lambda type: rank_of(type) if isinstance(type, RANKED) else None),
    "AllShapesMatch": ("shape", lambda type: shape_of(type) if isinstance(type, RANKED) else None),
}


def _alike(spec: OpSpec, kind: str, names: Sequence[str]) -> Check:
    what, of = _ALIKE[kind]
    getters = [_types(spec, name) for name in names]
    message = f"failed to verify that all of {{{', '.join(names)}}} have same {what}"

    first, *others = getters

    def check(op: Operation) -> None:
        types = [*first(op), *(type for get in others for type in get(op))]
        alike = types[0] if types else None
        if all(type is alike for type in types):  # mostly; equal types are mostly one object
            return
        found = [of(type) for type in types]
        if any(other != found[0] for other in found[1:]):
            raise error(message, op)

    return check


def _types(spec: OpSpec, name: str) -> Getter:
    """The types of the values of a group; that of an attribute."""
    if name in spec.by_name:

        def of_attribute(op: Operation) -> Sequence[Attribute]:
            value = attribute(op, name)
            return (type_of_attribute(value),) if value is not None else ()

        return of_attribute
    for groups, values_of in ((spec.operands, _operands_of), (spec.results, _results_of)):
        place = next((i for i, declared in enumerate(groups) if declared.name == name), None)
        if place is not None and all(declared.count == SINGLE for declared in groups):
            return _at(values_of, place)
    return lambda op: [value.type for value in group(op, spec, name)]


def _operands_of(op: Operation) -> Sequence[SSAValue]:
    return op._operands  # pyright: ignore[reportPrivateUsage]


def _results_of(op: Operation) -> Sequence[SSAValue]:
    return op.results


def _at(values_of: Callable[[Operation], Sequence[SSAValue]], place: int) -> Getter:
    return lambda op: (values_of(op)[place].type,)


def _match_with(
    spec: OpSpec, kind: str, source: str, target: str, transformer: str, summary: str
) -> Check | None:
    function = transformed(transformer)
    if function is None:
        return None
    get_source, get_target = _types(spec, source), _types(spec, target)
    groups = {g.name: g.count for g in (*spec.operands, *spec.results)}
    lists = groups.get(target, SINGLE) != SINGLE and kind != "OptionalTypesMatchWith"
    many = groups.get(source, SINGLE) != SINGLE
    message = f"failed to verify that {summary}"

    def check(op: Operation) -> None:
        found, wanted = list(get_target(op)), get_source(op)
        if kind == "OptionalTypesMatchWith" and (not found or not wanted):
            return
        try:
            expected = function(list(wanted) if many else wanted[0])
        except (AttributeError, ValueError, IndexError):
            raise error(message, op) from None
        if found != (list(expected) if lists else [expected]):
            raise error(message, op)

    return check


def _holds(relation: Sequence[Any]) -> Check | None:
    _, summary, tree, name = relation
    holds = operation_predicate(tree, name)
    if holds is None:
        return None
    message = f"failed to verify that {summary}"

    def check(op: Operation) -> None:
        if not holds(op):
            raise error(message, op)

    return check
