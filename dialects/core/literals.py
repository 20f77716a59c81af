"""Reading constants in IR text: dense literals, splats, resources and numbers, with errors at their place."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    AnyDenseElement,
    AnyFloat,
    BytesAttr,
    ComplexType,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    RankedStructure,
    ShapedType,
    i1,
)
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Span
from xdsl.utils.mlir_lexer import MLIRTokenKind, StringLiteral

from lamina.dialects.core.constants import (
    RESOURCE_THRESHOLD,
    as_array,
    constant_attr,
    has_resource,
    resource,
)
from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.core.dtypes import numpy_dtype


class LiteralParser(Parser):
    """xDSL's parser, where a splat keeps one element and a large literal or resource is a buffer."""

    resources: dict[str, str]
    """The key in the process-wide table for each key that the text gives data for."""

    def _parse_builtin_dense_resource_attr(self) -> DenseResourceAttr:
        self.parse_characters("<", " in dense_resource attribute")
        start = self.pos
        key = self.parse_resource_handle()
        self.parse_characters(">", " in dense_resource attribute")
        self.parse_characters(":", " in dense_resource attribute")
        kind = self.parse_type()
        return self.resource_attribute(key, kind, start)

    def resource_attribute(self, key: str, kind: Any, start: int) -> DenseResourceAttr:
        """The attribute for a key of the table, whose data must be as long as the type needs."""
        if not isinstance(kind, ShapedType):
            self.raise_error(f"a resource needs a tensor, vector or memref type, not {kind}", start)
        if has_resource(key):
            held, needed = resource(key).data.nbytes, self._bytes_of(kind, start)
            if held != needed:
                self.raise_error(f"the resource holds {held} bytes, its type {kind} needs {needed}", start)
        return DenseResourceAttr.from_params(key, kind)

    def _bytes_of(self, kind: Any, start: int) -> int:
        if not kind.has_static_shape():
            self.raise_error(f"a resource needs a type of static shape, not {kind}", start)
        try:
            return math.prod(kind.get_shape()) * numpy_dtype(kind.get_element_type()).itemsize
        except LaminaError:
            self.raise_error(f"a resource cannot hold elements of type {kind.get_element_type()}", start)

    def parse_resource_handle(self) -> str:
        """The key, in the process-wide table, of the resource that the text names."""
        start = self.pos
        key = self.parse_optional_str_literal() or self.parse_optional_identifier()
        if not key:
            self.raise_error("expected the key of a resource")
        if key not in self.resources and has_resource(key):
            # The table holds another text's data under this key.
            self.raise_error(f"the text gives no data for the resource '{key}'", start)
        return self.resources.get(key, key)

    def parse_dense_int_or_fp_elements_attr(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, type: RankedStructure[AnyDenseElement] | None
    ) -> DenseIntOrFPElementsAttr | DenseResourceAttr:
        """A dense literal; a splat keeps one element, and a large literal becomes a resource."""
        self.parse_punctuation("<", " in dense attribute")
        start = self.pos
        elements, shape, data = self._dense_contents()
        if type is None:
            self.parse_punctuation(":", " in dense attribute")
            type = self._parse_dense_literal_type()
        count = math.prod(type.get_shape())
        if data is not None:
            return self._from_bytes(type, data, count, start)
        if shape and list(type.get_shape()) != shape:
            self.raise_error(
                f"the literal has shape {shape}, its type needs {list(type.get_shape())}", start, self.pos
            )
        if not elements and count:
            self.raise_error("the literal is empty, but its type is not", start, self.pos)
        values = [self._dense_value(value, type.element_type) for value in elements] if count else []
        return DenseIntOrFPElementsAttr(type, BytesAttr(self._packed(type.element_type, values)))

    def _from_bytes(
        self, type: RankedStructure[AnyDenseElement], data: bytes, count: int, start: int
    ) -> DenseIntOrFPElementsAttr | DenseResourceAttr:
        """The constant for the bytes of a hexadecimal literal."""
        if type.element_type == i1:
            data = self._from_bits(data, count, start)
        width = type.element_type.compile_time_size
        if len(data) != width * count and not (len(data) == width and count):
            self.raise_error(f"the literal has {len(data)} bytes, its type needs {width * count}", start)
        attribute = DenseIntOrFPElementsAttr(type, BytesAttr(data))
        if len(data) > RESOURCE_THRESHOLD and type.name == "tensor":
            return constant_attr(as_array(attribute), type)
        return attribute

    def _from_bits(self, data: bytes, count: int, start: int) -> bytes:
        """Elements of i1 from upstream's form: eight to a byte, the first in the lowest bit, or a splat."""
        if data in (b"\x00", b"\xff") and count:
            return b"\x01" if data == b"\xff" else data
        if len(data) != -(-count // 8):
            self.raise_error(f"the literal has {len(data)} bytes, its type needs {-(-count // 8)}", start)
        return np.unpackbits(np.frombuffer(data, np.uint8), count=count, bitorder="little").tobytes()

    def _dense_value(self, element: Any, kind: Any) -> Any:
        """An element of a literal; hexadecimal is the bits of a float (infinities and NaN print so)."""
        if isinstance(kind, AnyFloat) and element.span.text.lower().startswith("0x"):
            if element.value.bit_length() > 8 * kind.compile_time_size:
                self.raise_error(f"the hexadecimal number does not fit into {kind}", element.span)
            return next(kind.iter_unpack(element.value.to_bytes(kind.compile_time_size, "little")))
        if isinstance(element.value, tuple) != isinstance(kind, ComplexType):
            self.raise_error(f"{element.span.text} is no value of {kind}", element.span)
        value = element.to_type(self, kind)
        try:
            if isinstance(kind, IntegerType):
                kind.verify_value(value)
                value = kind.get_normalized_value(value)
            elif not isinstance(kind, ComplexType):
                kind.pack([value])
                if isinstance(value, float) and math.isinf(value):
                    self.raise_error(f"the number is too large for {kind}", element.span)
        except (VerifyException, ArithmeticError, ValueError) as problem:
            self.raise_error(str(problem), element.span)
        return value

    @staticmethod
    def _packed(element: Any, values: list[Any]) -> bytes:
        # xDSL packs `true` as 255, NumPy (and so every constant made from an array) as 1.
        return bytes(value != 0 for value in values) if element == i1 else element.pack(values)

    def _dense_contents(self) -> tuple[list, list[int], bytes | None]:
        """Elements and shape of a literal (shape [] for a splat), or the bytes of its hexadecimal form."""
        if self.parse_optional_punctuation(">") is not None:
            return [], [], None
        token = self._parse_optional_token(MLIRTokenKind.STRING_LIT)
        if token is None:
            elements, shape = self._parse_tensor_literal()
            self.parse_punctuation(">", " in dense attribute")
            return elements, shape, None
        self.parse_punctuation(">", " in dense attribute")
        digits = StringLiteral.from_span(token.span).string_contents
        try:
            return [], [], bytes.fromhex(digits.removeprefix("0x"))
        except ValueError:
            self.raise_error("the string is no hexadecimal number of whole bytes", token.span)

    def parse_optional_builtin_int_or_float_attr(self) -> IntegerAttr | FloatAttr | None:
        """A number with its type; one that the type cannot hold is an error at the number."""
        span = self._current_token.span
        try:
            number = super().parse_optional_builtin_int_or_float_attr()
            if isinstance(number, FloatAttr) and math.isinf(number.value.data) and "0x" not in span.text:
                self.raise_error(f"the number is too large for {number.type}", span)
            return number
        except (VerifyException, ArithmeticError, ValueError) as problem:
            self.raise_error(str(problem), span)
        except ParseError as problem:
            if "is not valid for" in problem.msg or "Invalid type given" in problem.msg:
                problem.span = Span(span.start, span.end, span.input)
            raise
