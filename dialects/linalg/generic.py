"""`linalg.generic` in all of upstream's forms: several results, and a `#trait` for its attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.parser import Parser


class GenericOp(linalg.GenericOp):
    """`linalg.generic {maps, iterators} ins(…) outs(…) {body} -> (tensor<2xf32>, tensor<2xi64>)`

    The attributes may stand in an alias, too: `linalg.generic #trait ins(…) …`. Results are those of the
    destinations that are tensors, as upstream's operation has them.
    """

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        start = parser.pos
        given = parser.parse_optional_attribute()
        if not isinstance(given, DictionaryAttr):
            parser.raise_error("expected the attributes of linalg.generic, or an alias of them", start)
        attributes = dict(given.data)
        maps, iterators = attributes.pop("indexing_maps", None), attributes.pop("iterator_types", None)
        if not isinstance(maps, ArrayAttr) or not isinstance(iterators, ArrayAttr):
            parser.raise_error("expected indexing_maps and iterator_types for linalg.generic", start)
        inputs, outputs = _operands(parser, "ins"), _operands(parser, "outs")
        if parser.parse_optional_keyword("attrs"):
            parser.parse_punctuation("=")
            attributes |= parser.parse_optional_attr_dict()
        body = parser.parse_region()
        doc, call = attributes.pop("doc", None), attributes.pop("library_call", None)
        op = cls(
            inputs,
            outputs,
            body,
            maps,
            ArrayAttr([_iterator(parser, item, start) for item in iterators]),
            _result_types(parser),
            doc if isinstance(doc, StringAttr) else None,
            call if isinstance(call, StringAttr) else None,
        )
        op.attributes |= attributes
        return op


def _operands(parser: Parser, keyword: str) -> Sequence[SSAValue]:
    """`ins(%a, %b : type, type)`, or nothing."""
    start = parser.pos
    if not parser.parse_optional_characters(keyword):
        return ()
    parser.parse_punctuation("(")
    if parser.parse_optional_punctuation(")"):
        return ()
    names = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_unresolved_operand)
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_type)
    parser.parse_punctuation(")")
    return parser.resolve_operands(names, types, start)


def _iterator(parser: Parser, item: Attribute, start: int) -> IteratorTypeAttr:
    """An iterator type from upstream's string or from xDSL's attribute."""
    if isinstance(item, IteratorTypeAttr):
        return item
    names = {
        "parallel": IteratorType.PARALLEL,
        "reduction": IteratorType.REDUCTION,
        "window": IteratorType.WINDOW,
    }
    if not isinstance(item, StringAttr) or item.data not in names:
        parser.raise_error(f"unknown iterator type {item}", start)
    return IteratorTypeAttr(names[item.data])


def _result_types(parser: Parser) -> Sequence[Attribute]:
    """`-> type`, `-> (type, type)`, or nothing."""
    if not parser.parse_optional_punctuation("->"):
        return ()
    several = parser.parse_optional_comma_separated_list(Parser.Delimiter.PAREN, parser.parse_type)
    if several is not None:
        return several
    return parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_type)
