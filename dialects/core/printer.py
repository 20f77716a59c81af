"""Printing IR text: xDSL's printer with splats, shared resources, and elision of what people do not read."""

from __future__ import annotations

import re
from io import StringIO
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr, i1
from xdsl.ir import Attribute, Operation
from xdsl.printer import Printer

from lamina.dialects.core.constants import as_array, has_resource, resource
from lamina.dialects.core.context import extended_class

_IDENTIFIER = re.compile(r"[A-Za-z_][\w$.\-]*")
_ALIGNMENT_HEADER = "40000000"
"""64 as a little-endian 32-bit number."""


class TextPrinter(Printer):
    """Prints MLIR text; ``elide`` is the number of elements above which constants are not written."""

    def __init__(self, stream: StringIO, *, generic: bool, locations: bool, elide: int | None) -> None:
        super().__init__(stream, print_generic_format=generic, print_debuginfo=locations)
        self._elide = elide
        self.resource_keys: dict[str, None] = {}

    def print_op(self, op: Operation) -> None:
        form = extended_class(type(op))
        if self.print_generic_format or form.print is type(op).print:
            super().print_op(op)
            return
        self._print_results(op)
        self.print_string(op.name)
        form.print(cast(Any, op), self)
        if self.print_debuginfo:
            self.print_string(" ")
            self.print_attribute(op.location)

    def print_attribute(self, attribute: Attribute) -> None:
        match attribute:
            case DenseResourceAttr():
                self._print_resource(attribute)
            case DenseIntOrFPElementsAttr() if self._elide is not None and len(attribute) > self._elide:
                self.print_string("dense_resource<__elided__> : ")
                self.print_attribute(attribute.get_type())
            case DenseIntOrFPElementsAttr() if attribute.get_element_type() == i1 and len(attribute) > 100:
                # Upstream reads eight elements of i1 from a byte, the first in the lowest bit.
                bits = np.packbits(as_array(attribute).reshape(-1), bitorder="little")
                self.print_string(f'dense<"0x{bits.tobytes().hex().upper()}"> : ')
                self.print_attribute(attribute.get_type())
            case _:
                super().print_attribute(attribute)

    def _print_resource(self, attribute: DenseResourceAttr) -> None:
        self.print_string("dense_resource<")
        self.print_resource_handle("builtin", attribute.resource_handle.data)
        self.print_string("> : ")
        self.print_attribute(attribute.type)

    def print_resource_handle(self, dialect: str, handle: str) -> None:
        if self._elide is None:
            self.resource_keys[handle] = None
        self.print_string(handle if _IDENTIFIER.fullmatch(handle) else f'"{handle}"')

    def print_resources(self) -> None:
        """The data of the resources that were printed, as file metadata."""
        keys = [key for key in self.resource_keys if has_resource(key)]
        if not keys:
            return
        self.print_string("\n\n{-#\n  dialect_resources: {\n    builtin: {\n")
        for i, key in enumerate(keys):
            shown = key if _IDENTIFIER.fullmatch(key) else f'"{key}"'
            data = resource(key).data.tobytes().hex().upper()
            end = "," if i + 1 < len(keys) else ""
            self.print_string(f'      {shown}: "0x{_ALIGNMENT_HEADER}{data}"{end}\n')
        self.print_string("    }\n  }\n#-}")


def to_text(op: Operation, generic: bool = False, locations: bool = False, elide: int | None = None) -> str:
    """MLIR text of an operation, with the data of its resources after it.

    ``elide`` leaves out constants of more elements than that (and all resource data): such text is for
    people, and is refused where the data is needed.
    """
    stream = StringIO()
    printer = TextPrinter(stream, generic=generic, locations=locations, elide=elide)
    printer.print_op(op)
    printer.print_resources()
    return stream.getvalue() + "\n"
