"""``vector.contract`` and ``vector.outerproduct``."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr, VectorType
from xdsl.ir import Attribute, Operation

from lamina.dialects.core.ods.syntax import syntax
from lamina.dialects.core.verifying.groups import attribute
from lamina.dialects.core.verifying.shapes import scalable_dims_of, shape_of
from lamina.dialects.vector.contraction import ADD, IteratorKind, IteratorTypeAttr
from lamina.dialects.vector.transfers import scalable_flags

_TRAIT = ("indexing_maps", "iterator_types", "kind", "fastmath")
"""What stands in the braces before the operands of a contraction."""


@syntax("vector.contract")
class Contract:
    """``vector.contract {trait} %a, %b, %c : t, t into t``; the trait may be an alias."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        start = p.at
        trait = p.attribute()
        if not isinstance(trait, DictionaryAttr):
            p.fail("expected a dictionary of indexing_maps and iterator_types", start)
        uses = [p.operand()]
        for _ in range(2):
            p.require(",")
            uses.append(p.operand())
        attributes = {**p.attr_dict(), **trait.data}
        p.require(":")
        types = p.types_list()
        p.require("into")
        types.append(p.type())
        iterators = attributes.get("iterator_types")
        if not isinstance(iterators, ArrayAttr):
            raise p.fail('expected "iterator_types" array attribute', start)
        attributes["iterator_types"] = ArrayAttr([_iterator(p, kind, start) for kind in iterators.data])
        attributes.setdefault("kind", ADD)
        return p.build(name, p.resolve_all(uses, types), types[-1:], attributes)

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        shown: dict[str, Attribute] = {}
        for name in _TRAIT:
            value = attribute(op, name)
            if value is not None:
                shown[name] = value
        kinds: ArrayAttr[IteratorTypeAttr] = attribute(op, "iterator_types")
        shown["iterator_types"] = ArrayAttr([StringAttr(str(kind.data)) for kind in kinds.data])
        w.dictionary(shown)
        w.put(" ")
        w.values(op.operands)
        w.attr_dict(op, _TRAIT)
        w.put(" : ")
        w.types([op.operands[0].type, op.operands[1].type])
        w.put(" into ")
        w.type(op.results[0].type)


def _iterator(p: Any, kind: Attribute, start: int) -> Attribute:
    if not isinstance(kind, StringAttr):
        return kind
    if kind.data not in ("parallel", "reduction"):
        p.fail(f"unexpected iterator_type ({kind.data})", start)
    return IteratorTypeAttr(IteratorKind(kind.data))


@syntax("vector.outerproduct")
class OuterProduct:
    """``vector.outerproduct %a, %b, %acc {…} : t, t``."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        start = p.at
        uses = p.operands()
        attributes = p.attr_dict()
        p.require(":")
        left = p.type()
        p.require(",")
        right = p.type()
        if len(uses) < 2:
            p.fail("expected at least 2 operands", start)
        if not isinstance(left, VectorType):
            p.fail("expected vector type for operand #1", start)
        attributes.setdefault("kind", ADD)
        factors = [left, right] if isinstance(right, VectorType) else [left]
        for number, factor in enumerate(factors):
            if len(shape_of(factor)) != 1:
                p.fail(f"expected 1-d vector for operand #{number + 1}", start)
        result = VectorType(
            left.element_type,
            [shape_of(factor)[0] for factor in factors],
            scalable_flags([scalable_dims_of(factor)[0] for factor in factors]),
        )
        return p.build(name, p.resolve_all(uses, [left, right, result][: len(uses)]), [result], attributes)

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        w.put(" ")
        w.values(op.operands)
        w.attr_dict(op, () if len(op.operands) > 2 else ("kind",) * (attribute(op, "kind") == ADD))
        w.put(" : ")
        w.types([op.operands[0].type, op.operands[1].type])
