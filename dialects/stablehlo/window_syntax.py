"""The window of a convolution as text: ``{stride = [2, 2], pad = [[0, 1], [0, 1]], rhs_dilate = [1, 1]}``."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import DenseArrayBase, i1, i64
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.printer import Printer

from lamina.dialects.core.constants import as_array, constant_attr
from lamina.dialects.core.later import np
from lamina.dialects.stablehlo.syntax import parse_numbers

_PROPERTIES = {
    "stride": "window_strides",
    "pad": "padding",
    "lhs_dilate": "lhs_dilation",
    "rhs_dilate": "rhs_dilation",
    "reverse": "window_reversal",
}
"""The property for each keyword, in the order of the text."""


def parse_window(parser: Parser) -> dict[str, Attribute]:
    """The properties that a window gives."""
    properties: dict[str, Attribute] = {}

    def entry() -> None:
        keyword = parser.parse_keyword_in(tuple(_PROPERTIES))
        parser.parse_punctuation("=")
        properties[_PROPERTIES[keyword]] = _value(parser, keyword)

    parser.parse_comma_separated_list(parser.Delimiter.BRACES, entry)
    return properties


def _value(parser: Parser, keyword: str) -> Attribute:
    if keyword == "pad":
        pairs = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: parse_numbers(parser))
        return constant_attr(np.array(pairs, np.int64).reshape(-1, 2))
    if keyword == "reverse":
        flags = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_boolean)
        return DenseArrayBase.from_list(i1, [int(flag) for flag in flags])
    return DenseArrayBase.from_list(i64, parse_numbers(parser))


def print_window(printer: Printer, properties: Mapping[str, Attribute]) -> list[str]:
    """Write a window; returns the names of the properties that it shows."""
    shown = {keyword: name for keyword, name in _PROPERTIES.items() if name in properties}
    texts = [f"{keyword} = {_text(properties[name])}" for keyword, name in shown.items()]
    printer.print_string("{" + ", ".join(texts) + "}")
    return list(shown.values())


def _text(value: Attribute) -> str:
    if not isinstance(value, DenseArrayBase):
        return str(as_array(value).tolist())
    entries = value.get_values()
    if value.elt_type == i1:
        return "[" + ", ".join("true" if entry else "false" for entry in entries) + "]"
    return str(list(entries))
