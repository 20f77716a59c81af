"""Printing IR text: xDSL's printer with splats, shared resources, and elision of what people do not read."""

from __future__ import annotations

import re
from typing import IO, Any, cast

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr, i1
from xdsl.ir import Attribute, Operation
from xdsl.printer import Printer

from lamina.dialects.core.constants import as_array, has_resource, resource
from lamina.dialects.core.context import extended_class
from lamina.dialects.core.depth import room_for_nesting
from lamina.dialects.core.diagnostics import error

_IDENTIFIER = re.compile(r"[A-Za-z_][\w$.]*", re.ASCII)
_ALIGNMENT_HEADER = "40000000"
"""64 as a little-endian 32-bit number."""
_CHUNK = 1 << 20
HEXADECIMAL_ABOVE = 4096
"""Dense literals of more elements are written as the hexadecimal digits of their bytes."""
_ESCAPES = {i: f"\\{i:02X}" for i in (*range(0x20), 0x22, *range(0x7F, 0x100))} | {0x5C: "\\\\"}


class TextPrinter(Printer):
    """Prints MLIR text; ``elide`` is the number of elements above which constants are not written."""

    def __init__(self, stream: IO[str], *, generic: bool, locations: bool, elide: int | None) -> None:
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
        if isinstance(attribute, DenseIntOrFPElementsAttr | DenseResourceAttr):
            self.print_constant(attribute)
            self.print_string(" : ")
            self.print_attribute(attribute.get_type())
        else:
            super().print_attribute(attribute)

    def print_constant(self, attribute: DenseIntOrFPElementsAttr | DenseResourceAttr) -> None:
        """Print a constant without its type, as ``memref.global`` shows it."""
        if isinstance(attribute, DenseResourceAttr):
            self.print_string("dense_resource<")
            self.print_resource_handle("builtin", attribute.resource_handle.data)
            self.print_string(">")
        elif self._elide is not None and len(attribute) > self._elide:
            self.print_string("dense_resource<__elided__>")
        elif attribute.get_element_type() == i1 and len(attribute) > 100:
            # Upstream reads eight elements of i1 from a byte, the first in the lowest bit.
            bits = np.packbits(as_array(attribute).reshape(-1), bitorder="little")
            self.print_string(f'dense<"0x{bits.tobytes().hex().upper()}">')
        elif len(attribute) > HEXADECIMAL_ABOVE:
            self.print_string(f'dense<"0x{attribute.data.data.hex().upper()}">')
        else:
            attribute.print_without_type(self)

    def print_bytes_literal(self, bytestring: bytes) -> None:
        self.print_string(f'"{bytestring.decode("latin-1").translate(_ESCAPES)}"')

    def print_resource_handle(self, dialect: str, handle: str) -> None:
        if self._elide is None:
            self.resource_keys[handle] = None
        if _IDENTIFIER.fullmatch(handle):
            self.print_string(handle)
        else:
            self.print_string_literal(handle)

    def print_resources(self) -> None:
        """The data of the resources that were printed, as file metadata."""
        keys = [key for key in self.resource_keys if has_resource(key)]
        if not keys:
            return
        self.print_string("\n\n{-#\n  dialect_resources: {\n    builtin: {\n")
        for i, key in enumerate(keys):
            self.print_string("      ")
            self.print_resource_handle("builtin", key)
            self.print_string(f': "0x{_ALIGNMENT_HEADER}')
            data = resource(key).data
            for start in range(0, len(data), _CHUNK):
                self.print_string(data[start : start + _CHUNK].tobytes().hex().upper())
            self.print_string('",\n' if i + 1 < len(keys) else '"\n')
        self.print_string("    }\n  }\n#-}")


class _Pieces(list[str]):
    """A stream that only collects what is written."""

    write = list.append


def print_ir(
    op: Operation,
    stream: IO[str],
    generic: bool = False,
    locations: bool = False,
    elide: int | None = None,
) -> None:
    """Write MLIR text of an operation to a stream piece by piece, the data of its resources after it."""
    printer = TextPrinter(stream, generic=generic, locations=locations, elide=elide)
    try:
        with room_for_nesting():
            printer.print_op(op)
    except RecursionError as problem:
        raise error("is nested too deeply to be printed", op) from problem
    printer.print_resources()
    printer.print_string("\n")


def to_text(op: Operation, generic: bool = False, locations: bool = False, elide: int | None = None) -> str:
    """MLIR text of an operation, with the data of its resources after it.

    ``elide`` leaves out constants of more elements than that (and all resource data): such text is for
    people, and is refused where the data is needed.
    """
    pieces = _Pieces()
    print_ir(op, cast(IO[str], pieces), generic, locations, elide)
    return "".join(pieces)
