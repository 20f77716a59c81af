"""Reading constants: dense literals, splats, strings, arrays of numbers, resources."""

from __future__ import annotations

import math
from typing import Any

from xdsl.dialects.builtin import (
    ComplexType,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    IndexType,
    IntegerType,
    MemRefType,
    TensorType,
    UnrankedMemRefType,
    UnrankedTensorType,
    VectorType,
)
from xdsl.ir import Attribute

from lamina.dialects.core.hexadecimal import bytes_of_digits
from lamina.dialects.core.making import DYNAMIC_INDEX, array_of, bytes_attr, string_attr, unchecked
from lamina.dialects.core.reading.cursor import STRING, unescape
from lamina.dialects.core.reading.elements import Element, ElementReader, element_size, plain_bytes
from lamina.dialects.core.reading.types import FLOAT_CLASSES

_SHAPED = (TensorType, VectorType, MemRefType)
_UNRANKED = (UnrankedTensorType, UnrankedMemRefType)
_NUMBERS = frozenset({IntegerType, IndexType, ComplexType, *FLOAT_CLASSES})
_NO_HEX = "expected string containing hex digits starting with `0x`"


class ConstantReader(ElementReader):
    """Reads the attributes that hold the elements of a constant."""

    resources: dict[str, str]
    """The key in the process-wide table for each key that the text gives data for."""

    def start(self, text: str, name: str) -> None:
        super().start(text, name)
        if not hasattr(self, "resources"):
            self.resources = {}

    def dense(self, kind: Attribute | None, start: int) -> Attribute:
        """``<…> : type``, after ``dense`` (which stands at ``start``); no type where ``kind`` gives it."""
        if not self.accept("<"):
            self.fail("expected '<' after 'dense'")
        opening = self.at
        if self.accept(">"):
            return self.from_elements(self.elements_type(kind, start), [], [], start)
        if self.text.startswith('"', self.at):
            return self._string_or_hex(kind, opening, start)
        plain = self._plain(kind, start) if self.text.startswith("[", self.at) else None
        if plain is not None:
            return plain
        elements, shape = self.nested_elements()
        if not self.accept(">"):
            self.fail("expected '>'")
        return self.from_elements(self.elements_type(kind, start), elements, shape, start)

    def _plain(self, kind: Any, start: int) -> Attribute | None:
        """A list of plain numbers, read at once; None (and nothing taken) where that does not apply."""
        listed = self.plain_list()
        if listed is None:
            return None
        # The type decides how the numbers are read, and stands behind them.
        back = self.at
        self.advance(back + len(listed) + 1)
        if kind is None:
            kind = self.optional_type() if self.accept(":") else None
        plain = plain_bytes(listed, kind.element_type) if kind.__class__ in _SHAPED else None
        if plain is None or tuple(plain[1]) != kind.get_shape():
            self.at = back
            return None
        return self._dense_attribute(kind, plain[0], [], start)

    def elements_type(self, kind: Any, start: int) -> Any:
        """The type of a literal: ``kind``, else what stands after the colon; it has a static shape."""
        if kind is None:
            if not self.accept(":"):
                self.fail("expected ':'")
            kind = self.type()
        if kind.__class__ in _UNRANKED:
            self.fail("elements literal type must have static shape", start)
        if kind.__class__ not in _SHAPED:
            self.fail("elements literal must be a shaped type", start)
        if DYNAMIC_INDEX in kind.get_shape():
            self.fail("elements literal type must have static shape", start)
        return kind

    def from_elements(
        self, kind: Any, elements: list[Element], shape: list[int] | None, start: int
    ) -> Attribute:
        """A dense attribute; ``shape`` None for a splat, [] for a literal without anything in it."""
        count = math.prod(kind.get_shape())
        if shape and tuple(shape) != kind.get_shape():
            self._wrong_shape(kind, shape, start)
        if not elements and count:
            self.fail(f"parsed zero elements, but type ('{kind}') expected at least 1", start)
        element = kind.element_type
        if element.__class__ not in _NUMBERS:
            return self._strings(kind, elements, start)
        if element.__class__ is ComplexType:
            self._check_parts(kind, elements, shape, count, start)
        elif len(elements) != (1 if shape is None else math.prod(shape) if shape else 0):
            self.fail(f"complex elements are no values of '{element}'", start)
        return self._dense_attribute(kind, self.packed(elements, element), shape or [], start)

    def _wrong_shape(self, kind: Any, shape: list[int], start: int) -> None:
        literal, needed = (", ".join(map(str, s)) for s in (shape, kind.get_shape()))
        self.fail(f"inferred shape of elements literal ([{literal}]) does not match type ([{needed}])", start)

    def _check_parts(
        self, kind: Any, elements: list[Element], shape: list[int] | None, count: int, start: int
    ) -> None:
        parsed = len(elements)
        if shape is None and count and parsed != 2:
            expected = f"type ('{kind.element_type}') expected 2 elements"
            self.fail(f"parsed {parsed} elements, but {expected}", start)
        if shape and parsed != 2 * count:
            self.fail(f"parsed {parsed} elements, but type ('{kind}') expected {2 * count} elements", start)

    def _dense_attribute(self, kind: Any, data: bytes, shape: list[int], start: int) -> Attribute:
        if shape and tuple(shape) != kind.get_shape():
            self._wrong_shape(kind, shape, start)
        return unchecked(DenseIntOrFPElementsAttr, type=kind, data=bytes_attr(_without_copies(data, kind)))

    def _strings(self, kind: Any, elements: list[Element], start: int) -> Attribute:
        from lamina.dialects.builtin.attributes import DenseStringAttr

        for element in elements:
            if not element.text.startswith('"'):
                self.fail(f"expected string token, got {element.text}", start)
        values = [string_attr(self.decoded(unescape(e.text[1:-1]), e.at)) for e in elements]
        if values and all(value == values[0] for value in values):
            values = values[:1]
        return unchecked(DenseStringAttr, type=kind, values=array_of(values))

    def _string_or_hex(self, kind: Attribute | None, opening: int, start: int) -> Attribute:
        """``"0x…"``, the bytes of all elements, or a string that is each element."""
        digits = self._hexadecimal_digits(opening)
        found = STRING.match(self.text, opening) if digits is None else None
        literal = found[1] if found is not None else ""
        if (digits is None and self.optional_string() is None) or not self.accept(">"):
            self.fail("expected '>'")
        shaped = self.elements_type(kind, start)
        if shaped.element_type.__class__ not in _NUMBERS:
            if digits is not None:
                literal = self.text[opening + 1 : self.text.index('"', opening + 1)]
            return self._strings(shaped, [Element(f'"{literal}"', False, opening)], start)
        if digits is None:
            self.fail(_NO_HEX, opening)
        return self._dense_attribute(shaped, self._bytes_of_hex(digits, shaped, start), [], start)

    def _hexadecimal_digits(self, opening: int) -> bytes | None:
        """The bytes of ``"0x…"``, which stands before us then; found without a look at each character."""
        if not self.text.startswith('"0x', opening):
            return None
        last = self.text.find('"', opening + 1)
        data = bytes_of_digits(self.text, opening + 3, last) if last >= 0 else None
        if data is not None:
            self.advance(last + 1)
        return data

    def _bytes_of_hex(self, data: bytes, kind: Any, start: int) -> bytes:
        """Bytes as they are held from those in the text, which packs bits and odd widths more tightly."""
        count, element = math.prod(kind.get_shape()), kind.element_type
        parts = 2 if element.__class__ is ComplexType else 1
        scalar = element.element_type if parts == 2 else element
        bits = scalar.width.data if scalar.__class__ is IntegerType else 8 * element_size(scalar)
        if bits == 1 and parts == 1:
            if data in (b"\x00", b"\xff"):
                return b"\x01" if data == b"\xff" else data
            if len(data) == (count + 7) // 8:
                return bytes(data[i >> 3] >> (i & 7) & 1 for i in range(count))
        else:
            size = (bits + 7) // 8 * parts
            if len(data) in (size, size * count):
                held = element_size(scalar)
                return data if held * parts == size else _widened(data, size // parts, held)
        return self.fail(f"elements hex data size is invalid for provided type: '{kind}'", start)

    def dense_array(self, start: int) -> Attribute:
        """``<i32: 1, 2>``, after ``array``."""
        if not self.accept("<"):
            self.fail("expected '<' after 'array'")
        type_start = self.at
        kind = self.type()
        if kind.__class__ is not IntegerType and kind.__class__ not in FLOAT_CLASSES:
            self.fail(f"expected integer or float type, got: '{kind}'", type_start)
        bits = kind.bitwidth
        if bits != 1 and bits % 8:
            self.fail("element type bitwidth must be a multiple of 8", type_start)
        data = b""
        if not self.accept(">"):
            if not self.accept(":"):
                self.fail("expected ':' after dense array type")
            data = self._array_data(kind)
            if not self.accept(">"):
                self.fail("expected '>' to close an array attribute")
        return unchecked(DenseArrayBase, elt_type=kind, data=bytes_attr(data))

    def _array_data(self, kind: Any) -> bytes:
        elements: list[Element] = []
        is_integer = kind.__class__ is IntegerType
        while True:
            if self.text[self.at : self.at + 1] not in _NUMBER_STARTS or self.text.startswith('"', self.at):
                self.fail("expected integer literal" if is_integer else "expected floating point literal")
            self._scalar(elements)
            text = elements[-1].text
            if is_integer and "." in text:
                self.fail("expected integer literal", elements[-1].at)
            if is_integer and kind.width.data == 1 and text not in ("true", "false"):
                self.fail("expected 'true' or 'false' values for i1 type", elements[-1].at)
            if not self.accept(","):
                break
        if is_integer and kind.width.data == 1:
            # As xDSL's `DenseArrayBase.from_list` packs them.
            return b"".join(b"\xff" if element.text == "true" else b"\x00" for element in elements)
        return self.packed(elements, kind)

    def dense_resource(self, kind: Any) -> Attribute:
        """``<key> : type``, after ``dense_resource``."""
        if not self.accept("<"):
            self.fail("expected '<' after 'dense_resource'")
        start = self.at
        key = self.resource_key()
        if not self.accept(">"):
            self.fail("expected '>'")
        if kind is None:
            if not self.accept(":"):
                self.fail("expected ':'")
            type_start = self.at
            kind = self.type()
            if kind.__class__ not in (*_SHAPED, *_UNRANKED):
                self.fail("`dense_resource` expected a shaped type", type_start)
        self._check_resource(key, kind, start)
        return unchecked(DenseResourceAttr, resource_handle=string_attr(key), type=kind)

    def resource_key(self) -> str:
        """The key, in the process-wide table, of the resource that the text names."""
        start = self.at
        quoted = self.optional_string()
        key = self.decoded(quoted, start) if quoted is not None else self.optional_word()
        if not key:
            self.fail("expected identifier key for 'resource' entry")
        known = self.resources.get(key)
        if known is None:
            from lamina.dialects.core.constants import has_resource

            if has_resource(key):
                # The table holds another text's data under this key.
                self.fail(f"the text gives no data for the resource '{key}'", start)
            return key
        return known

    def _check_resource(self, key: str, kind: Any, start: int) -> None:
        """A resource whose data is known holds as many bytes as its type needs."""
        from lamina.dialects.core.constants import has_resource, resource

        if not has_resource(key):
            return
        if kind.__class__ in _UNRANKED or DYNAMIC_INDEX in kind.get_shape():
            self.fail(f"a resource needs a type of static shape, not {kind}", start)
        element = kind.element_type
        if element.__class__ not in _NUMBERS:
            self.fail(f"a resource cannot hold elements of type {element}", start)
        held, needed = resource(key).data.nbytes, math.prod(kind.get_shape()) * element_size(element)
        if held != needed:
            self.fail(f"the resource holds {held} bytes, its type {kind} needs {needed}", start)


_NUMBER_STARTS = frozenset("-0123456789tf")


def _without_copies(data: bytes, kind: Any) -> bytes:
    """One element, where all are the same bits; else the data."""
    size = element_size(kind.element_type)
    first = data[:size]
    if len(data) <= size or data[-size:] != first or data[: 64 * size] != first * min(64, len(data) // size):
        return data
    return first if data == first * (len(data) // size) else data


def _widened(data: bytes, size: int, held: int) -> bytes:
    """Elements of ``size`` bytes as ``held`` bytes, with their sign."""
    parts = (data[at : at + size] for at in range(0, len(data), size))
    return b"".join(
        int.from_bytes(p, "little", signed=True).to_bytes(held, "little", signed=True) for p in parts
    )
