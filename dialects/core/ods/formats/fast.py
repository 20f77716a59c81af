"""The common case of a form read by one regular expression: single operands, known types, no optional part.

What does not match (an attribute dictionary, a value that comes later, a type that was not met before) is
read step by step as every other form, so that both ways accept the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from xdsl.ir import Operation

from lamina.dialects.core.ods.formats.grammar import Choice, Directive, Element, Literal, Variable
from lamina.dialects.core.ods.formats.parsing import groups_named, types_given
from lamina.dialects.core.ods.formats.resolving import TypePlan
from lamina.dialects.core.ods.formats.state import State
from lamina.dialects.core.ods.spec import SINGLE, OpSpec
from lamina.dialects.core.ods.syntax import OpParser
from lamina.dialects.core.reading.making import create

_BLANKS = r"[ \t\r\n]*+"
_OPERAND = r"%([0-9]++|[A-Za-z$._\-][\w$.\-]*+)(?!#)"
_TYPE = r"(!?[A-Za-z][\w$.]*+(?:<(?:[^<>\"]|(?<=-)>|<(?:[^<>\"]|(?<=-)>)*+>)*>)?)"


def make_fast_parser(spec: OpSpec, elements: Sequence[Element], slow: OpParser) -> OpParser | None:
    """A parser that tries the regular expression first, or None where the form has no such common case."""
    made = _pattern(spec, elements)
    if made is None:
        return None
    text, names = made
    pattern = re.compile(text, re.ASCII)
    plan = TypePlan(spec, types_given(elements, spec))
    operand_slots = [names.index(group.name) + 1 for group in spec.operands]
    type_slots = [(name[1:], number + 1) for number, name in enumerate(names) if name.startswith(":")]
    only_type = type_slots[0][1] if len(type_slots) == 1 and _one_type(spec) else None
    if any(group.name not in plan.sources for group in spec.operands):
        return None
    if plan.infer is not None or any(group.name not in plan.sources for group in spec.results):
        return None
    operand_sources = [plan.sources[group.name] for group in spec.operands]
    result_sources = [plan.sources[group.name] for group in spec.results]

    def parse(p: Any, name: str) -> Operation:
        found = pattern.match(p.text, p.at)
        if found is None:
            return slow(p, name)
        known = p.ssa_values
        values = []
        for slot in operand_slots:
            value = known.get(found[slot])
            if value is None:
                return slow(p, name)
            values.append(value[0])
        cache = p.type_cache
        if only_type is not None:
            type = cache.get(found[only_type])
            if type is None:
                return slow(p, name)
            for value in values:
                if value.type is not type and value.type != type:
                    return slow(p, name)
            types = [type] * len(result_sources)
        else:
            state = State(p.at)
            for group, slot in type_slots:
                type = cache.get(found[slot])
                if type is None:
                    return slow(p, name)
                state.types[group] = [type]
            for value, source in zip(values, operand_sources, strict=True):
                (type,) = source(p, state)
                if value.type is not type and value.type != type:
                    return slow(p, name)
            types = [source(p, state)[0] for source in result_sources]
        p.advance(found.end())
        kind = p.kind(name)
        inherent, others = kind.split(None, None)
        return create(kind.type, values, types, inherent, others)

    return parse


def _one_type(spec: OpSpec) -> bool:
    """Whether all operands and results have the one type that stands in the form."""
    return "SameOperandsAndResultType" in spec.traits


def _absent(choice: Choice, elements: Sequence[Element]) -> str | None:
    """The expression for an optional group that is not there; None where that cannot be told."""
    if choice.absent:
        return None
    first = choice.present[0]
    if isinstance(first, Literal) and first.text.strip():
        return rf"(?!{re.escape(first.text.strip())})"
    following = elements[list(elements).index(choice) + 1 :]
    # What follows does not match where the group is there.
    return "" if any(isinstance(e, Literal) and e.text.strip() for e in following) else None


def _pattern(spec: OpSpec, elements: Sequence[Element]) -> tuple[str, list[str]] | None:
    """The expression and what its groups hold: the name of an operand, or ``:name`` for a type."""
    parts: list[str] = []
    names: list[str] = []
    groups = groups_named(spec)
    if spec.regions or spec.successors or any(g.count != SINGLE for g in (*spec.operands, *spec.results)):
        return None
    for element in elements:
        if isinstance(element, Literal):
            if element.text.strip():
                word = r"(?![\w$.])" if element.text[-1].isalnum() else ""
                parts.append(re.escape(element.text.strip()) + word + _BLANKS)
        elif isinstance(element, Choice):
            skipped = _absent(element, elements)
            if skipped is None:
                return None
            parts.append(skipped)
        elif isinstance(element, Variable):
            if element.name not in groups or groups[element.name][0] != "operands":
                return None
            parts.append(_OPERAND + _BLANKS)
            names.append(element.name)
        elif isinstance(element, Directive) and element.name == "attr-dict":
            parts.append(r"(?!\{)")
        elif (
            isinstance(element, Directive)
            and element.name == "type"
            and isinstance(element.arguments[0], Variable)
        ):
            parts.append(_TYPE + _BLANKS)
            names.append(":" + element.arguments[0].name)
        else:
            return None
    required = [a for a in spec.attributes if not a.optional and a.default is None]
    if required or {g.name for g in spec.operands} != {n for n in names if not n.startswith(":")}:
        return None
    return "".join(parts), names
