"""The inside of ``dense<…>`` and ``array<…>``: nested lists, one value for a splat, or bytes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from xdsl.dialects.builtin import ComplexType, IndexType, IntegerType, Signedness

from lamina.dialects.core.hexadecimal import hexadecimal_pieces
from lamina.dialects.core.writing.floats import FORMATS, float_text

_HEAD = 4096


def stored_size(element: Any) -> int:
    """The bytes that one element takes in a dense attribute."""
    if isinstance(element, ComplexType):
        return 2 * stored_size(element.element_type)
    try:
        return element.compile_time_size
    except NotImplementedError:
        return -(-bit_width(element) // 8)


def bit_width(element: Any) -> int:
    """The bits of an element type."""
    if isinstance(element, IndexType):
        return 64
    if isinstance(element, IntegerType):
        return element.width.data
    return FORMATS[element.name].width


def is_splat(data: bytes, size: int) -> bool:
    """Whether every element has the same bytes."""
    if len(data) <= size:
        return len(data) == size
    first, head = data[:size], data[: _HEAD * size]
    if head != first * (len(head) // size) or data[-size:] != first:
        return False
    return len(data) == len(head) or data == first * (len(data) // size)


def dense_text(shape: Sequence[int], element: Any, data: bytes, hexadecimal_above: int | None) -> str:
    """What stands between the angle brackets of ``dense<…>``."""
    return "".join(dense_pieces(shape, element, data, hexadecimal_above))


def dense_pieces(
    shape: Sequence[int], element: Any, data: bytes, hexadecimal_above: int | None
) -> Iterator[str]:
    """:func:`dense_text` in pieces, for text too large to be copied needlessly."""
    size, count = stored_size(element), math.prod(shape)
    if not data:
        return
    if is_splat(data, size):
        yield element_texts(element, data[:size])[0]
    elif hexadecimal_above is not None and count > hexadecimal_above:
        yield '"0x'
        yield from hexadecimal_pieces(_packed(element, data, size, count))
        yield '"'
    else:
        yield nested_text(element_texts(element, data), shape)


def nested_text(texts: list[str], shape: Sequence[int]) -> str:
    """A list of lists of the elements, by the shape."""
    for extent in reversed(shape):
        texts = [f"[{', '.join(texts[i : i + extent])}]" for i in range(0, len(texts), extent)]
    return texts[0]


def element_texts(element: Any, data: bytes) -> list[str]:
    """The text of each element."""
    size = stored_size(element)
    if isinstance(element, ComplexType):
        parts = element_texts(element.element_type, data)
        return [f"({parts[i]},{parts[i + 1]})" for i in range(0, len(parts), 2)]
    if isinstance(element, IntegerType) and element.width.data == 1:
        if element.signedness.data is Signedness.SIGNLESS:
            return ["true" if byte else "false" for byte in data]
        minus = "-1" if element.signedness.data is Signedness.SIGNED else "1"
        return [minus if byte else "0" for byte in data]
    if isinstance(element, IntegerType | IndexType):
        signed = isinstance(element, IndexType) or element.signedness.data is not Signedness.UNSIGNED
        values = [
            int.from_bytes(data[i : i + size], "little", signed=signed) for i in range(0, len(data), size)
        ]
        width = bit_width(element)
        if width != 8 * size:
            # The bits above the width say nothing.
            half, mask = (1 << width >> 1) if signed else 0, (1 << width) - 1
            values = [((value & mask) ^ half) - half for value in values]
        return [str(value) for value in values]
    mask = (1 << bit_width(element)) - 1
    return [
        float_text(int.from_bytes(data[i : i + size], "little") & mask, element.name)
        for i in range(0, len(data), size)
    ]


def _packed(element: Any, data: bytes, size: int, count: int) -> bytes:
    """The bytes as upstream keeps them: eight ``i1`` in one, else whole bytes an element."""
    if isinstance(element, IntegerType):
        width = element.width.data
        if width == 1:
            bits = int("".join(["1" if byte else "0" for byte in reversed(data)]), 2)
            data = bits.to_bytes(-(-count // 8), "little")
        elif width != 8 * size:
            kept, mask = -(-width // 8), (1 << width) - 1
            data = b"".join(
                (int.from_bytes(data[i : i + size], "little") & mask).to_bytes(kept, "little")
                for i in range(0, len(data), size)
            )
    return data
