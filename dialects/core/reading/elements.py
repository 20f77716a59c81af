"""Reading the elements of dense and sparse literals: numbers, truth values and strings in nested brackets."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from xdsl.dialects.builtin import ComplexType, IndexType, IntegerType

from lamina.dialects.core.floats import float_to_bits
from lamina.dialects.core.reading.numbers import NUMBER, NumberReader, parsed_integer
from lamina.dialects.core.reading.types import BLANK, FLOAT_CLASSES

_ELEMENT = re.compile(
    rf"(?:(-){BLANK})?(?:({NUMBER})|(true|false)(?![\w$.])|(\"(?:[^\"\\\n]++|\\.)*+\")){BLANK}", re.ASCII
)
_LONG = 2000
"""Characters from which on a literal is worth NumPy."""
_PLAIN = re.compile(r"[\[\]0-9eE+\-.,\s]*+>", re.ASCII)
_RANKS = "tensor literal is invalid; ranks are not consistent between elements"
_PLAIN_FORMATS = {"f16": "<f2", "f32": "<f4", "f64": "<f8"}


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

    def plain_elements(self, kind: Any) -> tuple[bytes, list[int]] | None:
        """Bytes and shape of a long list of plain numbers up to ``>``; None where that does not apply."""
        found = _PLAIN.match(self.text, self.at)
        if found is None or found.end() - self.at < _LONG:
            return None
        listed = self.text[self.at : found.end() - 1]
        array = _as_array(listed, kind)
        if array is None:
            return None
        self.at = found.end() - 1
        return array.tobytes(), list(array.shape)

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


def _as_array(listed: str, kind: Any) -> Any:
    """A NumPy array of a text of nested lists, or None where it is irregular or not exact in one."""
    import json

    import numpy as np

    is_float = kind.__class__ in FLOAT_CLASSES
    if is_float and (kind.name not in _PLAIN_FORMATS or listed.count(".") != _count(listed)):
        return None
    if not is_float and ("." in listed or kind.__class__ not in (IntegerType, IndexType)):
        return None
    try:
        array = np.array(json.loads(listed))
    except (ValueError, RecursionError):
        return None
    if is_float:
        with np.errstate(over="ignore"):
            return array.astype(_PLAIN_FORMATS[kind.name]) if array.dtype == np.float64 else None
    size = element_size(kind)
    if array.dtype != np.int64 or size > 8 or (kind.__class__ is IntegerType and kind.width.data == 1):
        return None
    low, high = int(array.min(initial=0)), int(array.max(initial=0))
    if any(parsed_integer(str(abs(n)), n < 0, kind) is None for n in (low, high)):
        return None
    return array.astype(f"<i{size}")


def _count(listed: str) -> int:
    """How many numbers a regular nested list has."""
    return listed.count(",") + 1
