"""Attributes of the complex dialect that xDSL has no class for."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ComplexType
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.printer import Printer

from lamina.dialects.core.making import unchecked
from lamina.dialects.core.reading.extended import attribute_syntax
from lamina.dialects.core.reading.types import FLOAT_CLASSES


@irdl_attr_definition
class ComplexNumberAttr(ParametrizedAttribute):
    """``#complex.number<:f64 1.0, 2.0>``: a complex number; the parts are float attributes of one type."""

    name = "complex.number"
    real: Attribute
    imag: Attribute
    type: ComplexType

    def print_parameters(self, printer: Printer) -> None:
        element = self.type.element_type
        with printer.in_angle_brackets():
            printer.print_string(":")
            printer.print_attribute(element)
            for separator, part in ((" ", self.real), (", ", self.imag)):
                printer.print_string(separator)
                printer.print_float(part.value.data, element)  # pyright: ignore[reportAttributeAccessIssue,reportArgumentType]


@attribute_syntax("#complex.number")
def complex_number(p: Any, name: str) -> Attribute:
    """``<:f64 1.0, 2.0>``"""
    p.require("<")
    p.require(":")
    start = p.at
    element = p.type()
    if element.__class__ not in FLOAT_CLASSES:
        p.fail("expected a floating point type", start)
    real = p.number(element)
    p.require(",")
    imag = p.number(element)
    p.require(">")
    return unchecked(
        ComplexNumberAttr, real=real, imag=imag, type=unchecked(ComplexType, element_type=element)
    )
