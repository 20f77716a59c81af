"""From the uses, types and traits of an op's form to the types of all its operands and results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.ir import Attribute

from lamina.dialects.core.ods.spec import SINGLE, OpSpec, table_of
from lamina.dialects.core.ods.syntax import inference_of
from lamina.dialects.core.ods.transformers import transformed
from lamina.dialects.core.ods.types_of import type_of_attribute

Source = Callable[[Any, Any], "Sequence[Attribute]"]
"""Gives the types of a group from the reader and the state of the op that is read."""


class TypePlan:
    """Where the types of each group of an op come from, decided once for its format.

    ``given`` names the groups whose types stand in the form.
    """

    def __init__(self, spec: OpSpec, given: set[str]) -> None:
        self.spec = spec
        self.sources: dict[str, Source] = {name: _given(name) for name in given}
        names = [group.name for group in (*spec.operands, *spec.results)]
        self._built_in([*spec.operands, *spec.results])
        while any([self._from_relations(name) for name in names if name not in self.sources]):
            pass
        self.infer = None
        if any(group.name not in self.sources for group in spec.results):
            self.infer = inference_of(spec.name)

    def _built_in(self, groups: Sequence[Any]) -> None:
        table = table_of(self.spec.name.partition(".")[0])
        assert table is not None
        counted = {group.name for group in self.spec.operands}
        for group in groups:
            kind = table.type_kinds.get(group.constraint)
            text = kind.buildable if kind else None
            if group.count != SINGLE and group.name not in counted:
                continue  # How many results there are is not known from the type.
            if text and group.name not in self.sources:
                self.sources[group.name] = _constant(group.name, text)

    def _from_relations(self, name: str) -> bool:
        found = self._source_of(name)
        if found is None:
            return False
        self.sources[name] = found
        return True

    def _source_of(self, name: str) -> Source | None:
        for relation in self.spec.relations:
            kind = relation[0]
            if kind == "AllTypesMatch" and name in relation[1:]:
                for other in relation[1:]:
                    if other in self.sources:
                        return _same(name, self.sources[other])
                    if other in self.spec.by_name:
                        return _of_attribute(other)
            elif kind.endswith("TypesMatchWith") and relation[2] == name:
                source = self.sources.get(relation[1]) or (
                    _of_attribute(relation[1]) if relation[1] in self.spec.by_name else None
                )
                function = transformed(relation[3])
                if source is not None and function is not None:
                    return _transformed(name, source, function, self._is_list(relation[1]))
        alike = "SameOperandsAndResultType" in self.spec.traits
        is_operand = any(group.name == name for group in self.spec.operands)
        if alike or (is_operand and "SameTypeOperands" in self.spec.traits):
            others = [g.name for g in (*self.spec.operands, *(self.spec.results if alike else ()))]
            for other in others:
                if other in self.sources and other != name:
                    return _same(name, self.sources[other])
        return None

    def _is_list(self, name: str) -> bool:
        return any(g.name == name and g.count != SINGLE for g in (*self.spec.operands, *self.spec.results))


def _given(name: str) -> Source:
    return lambda p, s: s.types[name]


def _constant(name: str, text: str) -> Source:
    found: list[Attribute] = []

    def source(p: Any, s: Any) -> Sequence[Attribute]:
        if not found:
            found.append(p.type_from_text(text))
        return found * _count(s, name)

    return source


def _count(s: Any, name: str) -> int:
    uses = s.operands.get(name)
    return 1 if uses is None else len(uses)


def _same(name: str, other: Source) -> Source:
    def source(p: Any, s: Any) -> Sequence[Attribute]:
        types = other(p, s)
        wanted = _count(s, name)
        return types if len(types) == wanted else (list(types[:1]) * wanted if types else ())

    return source


def _of_attribute(name: str) -> Source:
    def source(p: Any, s: Any) -> Sequence[Attribute]:
        value = s.attributes.get(name)
        if value is None:
            p.fail(f"expected the attribute '{name}', which gives the type", s.at)
        return [type_of_attribute(value)]

    return source


def _transformed(name: str, other: Source, function: Callable[[Any], Any], is_list: bool) -> Source:
    def source(p: Any, s: Any) -> Sequence[Attribute]:
        types = other(p, s)
        if not types:
            return ()
        try:
            made = function(types if is_list and len(types) != 1 else types[0])
        except (AttributeError, TypeError, ValueError, IndexError):
            return p.fail(f"the type of '{name}' cannot be derived from '{types[0]}'", s.at)
        if isinstance(made, list | tuple):
            return made
        return [made] * _count(s, name)

    return source
