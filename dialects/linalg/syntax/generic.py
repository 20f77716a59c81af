"""``linalg.generic`` and ``linalg.yield``."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.ir import Attribute, Operation

from lamina.dialects.core.ods.syntax import syntax
from lamina.dialects.linalg.syntax.parts import (
    SEGMENTS,
    inputs_and_outputs,
    read_parts,
    write_parts,
    write_results,
)

_TRAIT = ("indexing_maps", "iterator_types", "doc", "library_call")


@syntax("linalg.generic")
class Generic:
    """``linalg.generic {trait} ins(…) outs(…) attrs = {…} {body} -> types``; the trait may be an alias."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        start = p.at
        trait = p.attribute()
        if not isinstance(trait, DictionaryAttr):
            p.fail("expected a dictionary of indexing_maps and iterator_types", start)
        attributes = dict(trait.data)
        attributes["iterator_types"] = _iterators(p, attributes.get("iterator_types"), start)
        parts = read_parts(p)
        attributes.update(parts.attributes)
        if p.accept("attrs"):
            p.require("=")
            attributes.update(p.attr_dict())
        region = p.region()
        results = p.optional_arrow_types()
        return p.build(name, parts.operands, results, attributes, [region], segments=parts.sizes)

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        held = {**op.attributes, **op.properties}
        w.put(" {")
        for number, name in enumerate(name for name in _TRAIT if name in held):
            w.put(f"{', ' if number else ''}{name} = ")
            value = held[name]
            w.attribute(_strings(value) if name == "iterator_types" else value)
        w.put("}")
        write_parts(w, *inputs_and_outputs(op))
        if set(held) - set(_TRAIT) - SEGMENTS:
            w.put(" attrs =")
            w.attr_dict(op, SEGMENTS | set(_TRAIT))
        w.put(" ")
        w.region(op.regions[0])
        write_results(w, op)


_ITERATORS = frozenset(kind.value for kind in IteratorType)


def _iterators(p: Any, value: Attribute | None, place: int) -> Attribute:
    """The kinds of loops, which the text gives as strings."""
    if not isinstance(value, ArrayAttr):
        return p.fail("expected array attribute 'iterator_types'", place)
    found: list[Attribute] = []
    for one in value.data:
        if isinstance(one, StringAttr):
            if one.data not in _ITERATORS:
                p.fail(f"unexpected iterator_type ({one.data})", place)
            one = IteratorTypeAttr(IteratorType(one.data))
        found.append(one)
    return ArrayAttr(found)


def _strings(value: Any) -> ArrayAttr:
    return ArrayAttr([StringAttr(one.data.value) for one in value.data])


@syntax("linalg.yield")
class Yield:
    """``linalg.yield %a, %b : t, t``."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        uses = p.operands()
        place = p.at
        attributes = p.attr_dict()
        types = p.types_list() if uses and p.accept(":") else []
        return p.build(name, p.resolve_all(uses, types, place), (), attributes)

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        if op.operands:
            w.put(" ")
            w.values(op.operands)
        w.attr_dict(op, frozenset(), False)
        if op.operands:
            w.put(" : ")
            w.types([value.type for value in op.operands])
