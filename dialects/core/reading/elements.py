"""Reading the elements of dense and sparse literals: numbers, truth values and strings in nested brackets."""

from __future__ import annotations

import json
import re
import struct
from typing import Any, NamedTuple

from xdsl.dialects.builtin import ComplexType, IndexType, IntegerType

from lamina.dialects.core.floats import float_to_bits
from lamina.dialects.core.later import regex
from lamina.dialects.core.reading.numbers import NUMBER, NumberReader, parsed_integer
from lamina.dialects.core.reading.types import BLANK, FLOAT_CLASSES

_ELEMENT = regex(
    rf"(?:(-){BLANK})?(?:({NUMBER})|(true|false)(?![\w$.])|(\"(?:[^\"\\\n]++|\\.)*+\")){BLANK}", re.ASCII
)
_LONG = 2000
"""Characters from which on a literal is worth NumPy."""
_PLAIN = regex(r"[\[\]0-9eE+\-.,\s]*+>", re.ASCII)
_RANKS = "tensor literal is invalid; ranks are not consistent between elements"
_PLAIN_FORMATS = {"f16": "<f2", "f32": "<f4", "f64": "<f8"}
_FLOAT_CODES = {"f16": "e", "f32": "f", "f64": "d"}


class Element(NamedTuple):
    """A token of a literal: its text without the sign, and where that stands."""

    text: str
    negative: bool
    at: int


def element_size(kind: Any) -> int:
    """The bytes that an element of a dense constant takes, as xDSL's classes hold it."""
    if kind.__class__ is ComplexType:
        return 2 * element_size(kind.element_type)
    if kind.__class__ is IntegerType:
        size = (kind.width.data + 7) // 8
        return 1 if size == 0 else size if size > 8 else (1, 2, 4, 4, 8, 8, 8, 8)[size - 1]
    return 8 if kind.__class__ is IndexType else (kind.bitwidth + 7) // 8


class ElementReader(NumberReader):
    """Reads nested lists of elements, and makes bytes of them."""

    def nested_elements(self) -> tuple[list[Element], list[int] | None]:
        """The elements of ``[[1, 2], [3, 4]]`` and their shape; shape None for one that is not in brackets.

        A complex element ``(1, 2)`` counts once in the shape and gives two elements.
        """
        elements: list[Element] = []
        if not self.text.startswith("[", self.at):
            self._element(elements)
            return elements, None
        # Each open list: how many items it has, and their shape.
        lists: list[tuple[int, list[int] | None]] = []
        while True:
            shape: list[int] = []
            if self.text.startswith("[", self.at):
                self.advance(self.at + 1)
                lists.append((0, None))
                if not self.text.startswith("]", self.at):
                    continue
            else:
                self._element(elements)
                lists[-1] = self._with_item(lists[-1], shape)
            while not self.accept(","):
                if not self.accept("]"):
                    self.fail("expected ']'")
                count, inner = lists.pop()
                shape = [count, *(inner or [])]
                if not lists:
                    return elements, shape
                lists[-1] = self._with_item(lists[-1], shape)

    def _with_item(self, items: tuple[int, list[int] | None], shape: list[int]) -> tuple[int, list[int]]:
        count, known = items
        if known is not None and known != shape:
            self.fail(_RANKS)
        return count + 1, shape

    def _element(self, elements: list[Element]) -> None:
        if self.text.startswith("(", self.at):
            self.advance(self.at + 1)
            self._scalar(elements)
            if not self.accept(","):
                self.fail("expected ',' between complex elements")
            self._scalar(elements)
            if not self.accept(")"):
                self.fail("expected ')' after complex elements")
            return
        self._scalar(elements)

    def _scalar(self, elements: list[Element]) -> None:
        found = _ELEMENT.match(self.text, self.at)
        if found is None or (found[1] and not found[2]):
            if self.accept("-"):
                self.fail("expected integer or floating point literal")
            self.fail("expected element literal of primitive type")
        group = found.lastindex or 0
        elements.append(Element(found[group], found[1] is not None, found.start(group)))
        self.at = found.end()

    def plain_list(self) -> str | None:
        """The text of a list of plain decimal numbers up to ``>``, which stays; None for any other list."""
        found = _PLAIN.match(self.text, self.at)
        return self.text[self.at : found.end() - 1] if found is not None else None

    def packed(self, elements: list[Element], kind: Any) -> bytes:
        """The bytes of elements of an integer or float type (of both parts, for complex ones)."""
        if kind.__class__ is ComplexType:
            kind = kind.element_type
        size = element_size(kind)
        one = self._integer_element if kind.__class__ not in FLOAT_CLASSES else self._float_element
        known: dict[tuple[str, bool], bytes] = {}
        parts: list[bytes] = []
        for element in elements:
            key = element.text, element.negative
            data = known.get(key)
            if data is None:
                data = known[key] = one(element, kind, size)
            parts.append(data)
        return b"".join(parts)

    def _integer_element(self, element: Element, kind: Any, size: int) -> bytes:
        text, negative, at = element
        if negative and kind.__class__ is IntegerType and kind.signedness.data.value == 2:
            self.fail("expected unsigned integer elements, but parsed negative value", at)
        if text in ("true", "false"):
            if kind.__class__ is not IntegerType or kind.width.data != 1:
                self.fail("expected i1 type for 'true' or 'false' values", at)
            return b"\x01" if text == "true" else b"\x00"
        if "." in text or text.startswith('"'):
            self.fail("expected integer elements, but parsed floating-point", at)
        value = parsed_integer(text, negative, kind)
        if value is None:
            self.fail("integer constant out of range for type", at)
        if kind.__class__ is IntegerType and kind.width.data == 1:
            return b"\x01" if value else b"\x00"
        return value.to_bytes(size, "little", signed=value < 0)

    def _float_element(self, element: Element, kind: Any, size: int) -> bytes:
        text, negative, at = element
        if "." in text and not text.startswith('"'):
            value = -float(text) if negative else float(text)
            return float_to_bits(value, kind).to_bytes(size, "little")
        if not text[0].isdigit():
            self.fail("expected floating point literal", at)
        return self.bits_of_literal(text, negative, kind, at).to_bytes(size, "little")


def plain_bytes(listed: str, kind: Any) -> tuple[bytes, list[int]] | None:
    """Bytes and shape of a text of nested lists of plain numbers; None where it has to be read one by one."""
    is_float = kind.__class__ in FLOAT_CLASSES
    if is_float and (kind.name not in _PLAIN_FORMATS or listed.count(".") != listed.count(",") + 1):
        return None
    if not is_float and ("." in listed or not _is_plain_integer(kind)):
        return None
    try:
        nested = json.loads(listed)
    except (ValueError, RecursionError):
        return None
    return _bytes_of_many(nested, kind) if len(listed) > _LONG else _bytes_of_few(nested, kind)


def _is_plain_integer(kind: Any) -> bool:
    return kind.__class__ is IndexType or (kind.__class__ is IntegerType and 1 < kind.width.data <= 64)


def _fits(values: Any, kind: Any) -> bool:
    """Whether an integer type holds the least and the greatest of some values."""
    return all(
        parsed_integer(str(abs(n)), n < 0, kind) is not None for n in (int(min(values)), int(max(values)))
    )


def _bytes_of_few(nested: list[Any], kind: Any) -> tuple[bytes, list[int]] | None:
    """Bytes and shape of nested lists; None where the rows differ, or the numbers are not of one sort."""
    items, shape = nested, [len(nested)]
    while items and items[0].__class__ is list:
        width = len(items[0])
        if any(item.__class__ is not list or len(item) != width for item in items):
            return None
        shape.append(width)
        items = [inner for item in items for inner in item]
    count = len(items)
    if kind.__class__ in FLOAT_CLASSES:
        if any(item.__class__ is not float for item in items):
            return None
        try:
            return struct.pack(f"<{count}{_FLOAT_CODES[kind.name]}", *items), shape
        except OverflowError:
            return None
    if any(item.__class__ is not int for item in items) or (items and not _fits(items, kind)):
        return None
    size = element_size(kind)
    return b"".join([(n & (1 << 8 * size) - 1).to_bytes(size, "little") for n in items]), shape


def _bytes_of_many(nested: list[Any], kind: Any) -> tuple[bytes, list[int]] | None:
    """The same by NumPy."""
    import numpy as np

    try:
        array = np.array(nested)
    except ValueError:
        return None
    if kind.__class__ in FLOAT_CLASSES:
        if array.dtype != np.float64:
            return None
        with np.errstate(over="ignore"):
            array = array.astype(_PLAIN_FORMATS[kind.name])
    elif array.dtype != np.int64 or (array.size and not _fits((array.min(), array.max()), kind)):
        return None
    else:
        array = array.astype(f"<i{element_size(kind)}")
    return array.tobytes(), list(array.shape)
