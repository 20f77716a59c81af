"""Attributes and types of dialects that only an op table knows: their name, and their parameters as text.

Attributes and types within the text are held as such, so that they are seen and printed as any other.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import (
    Attribute,
    BuiltinAttribute,
    ParametrizedAttribute,
    SpacedOpaqueSyntaxAttribute,
    TypeAttribute,
)
from xdsl.irdl import irdl_attr_definition
from xdsl.printer import Printer


def body_text(body: ArrayAttr) -> str:
    """The parameters of an attribute as text, without the brackets around them."""
    return "".join(part.data if isinstance(part, StringAttr) else str(part) for part in body.data)


def _print(printer: Printer, sigil: str, name: StringAttr, body: ArrayAttr[Attribute]) -> None:
    printer.print_string(sigil + name.data)
    if not body.data:
        return
    with printer.in_angle_brackets():
        for part in body.data:
            if isinstance(part, StringAttr):
                printer.print_string(part.data)
            else:
                printer.print_attribute(part)


@irdl_attr_definition
class OdsAttribute(ParametrizedAttribute, BuiltinAttribute):
    """``#dialect.mnemonic<…>``; ``body`` is empty where there are no brackets.

    Its parts are strings, which are text, and attributes.
    """

    name = "builtin.ods_attribute"
    attr_name: StringAttr
    body: ArrayAttr[Attribute]

    @property
    def text(self) -> str:
        """The parameters as text."""
        return body_text(self.body)

    def print_builtin(self, printer: Printer) -> None:
        _print(printer, "#", self.attr_name, self.body)


@irdl_attr_definition
class SpacedOdsAttribute(ParametrizedAttribute, BuiltinAttribute, SpacedOpaqueSyntaxAttribute):
    """``#dialect<mnemonic …>``: one whose parameters are not in brackets of their own."""

    name = "builtin.spaced_ods_attribute"
    attr_name: StringAttr
    body: ArrayAttr[Attribute]

    @property
    def text(self) -> str:
        """The parameters as text."""
        return body_text(self.body)

    def print_builtin(self, printer: Printer) -> None:
        dialect, _, mnemonic = self.attr_name.data.partition(".")
        printer.print_string(f"#{dialect}<{mnemonic} {self.text}>")


@irdl_attr_definition
class OdsType(ParametrizedAttribute, BuiltinAttribute, TypeAttribute):
    """``!dialect.mnemonic<…>``, as :class:`OdsAttribute`."""

    name = "builtin.ods_type"
    attr_name: StringAttr
    body: ArrayAttr[Attribute]

    @property
    def text(self) -> str:
        """The parameters as text."""
        return body_text(self.body)

    def print_builtin(self, printer: Printer) -> None:
        _print(printer, "!", self.attr_name, self.body)
