"""Bytes as hexadecimal digits and back, piece by piece: constants of hundreds of megabytes are usual."""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import cache

from lamina.dialects.core.later import np, regex

LARGE = 1 << 22
"""So many bytes are worth the import of NumPy."""
_PIECE = 1 << 14
"""Bytes whose digits stay in the processor's cache."""
_NO_DIGIT = regex(r"[^0-9A-Fa-f]")


def hexadecimal_pieces(data: bytes | memoryview) -> Iterator[str]:
    """The digits of bytes, in capitals."""
    view = memoryview(data)
    if len(view) > LARGE:
        yield from _pieces_by_table(view)
        return
    for start in range(0, len(view), _PIECE):
        yield view[start : start + _PIECE].hex().upper()


def _pieces_by_table(view: memoryview) -> Iterator[str]:
    """Two digits at a time: Python has no quick way to capital ones."""
    digits = np.frombuffer("".join(f"{byte:02X}" for byte in range(256)).encode(), np.uint16)
    for start in range(0, len(view), _PIECE):
        piece = np.frombuffer(view[start : start + _PIECE], np.uint8)
        yield str(digits.take(piece, mode="clip").data.cast("B"), "ascii")


def bytes_of_digits(text: str, first: int, last: int) -> bytes | None:
    """The bytes of the digits between two positions; None where something else stands among them."""
    if (last - first) % 2:
        return None
    if (last - first) // 2 <= LARGE:
        if _NO_DIGIT.search(text, first, last):
            return None
        return bytes.fromhex(text[first:last])
    # So that the bytes are not copied once more, they are written into the object that keeps them.
    held = io.BytesIO(bytes((last - first) // 2))
    with held.getbuffer() as view:
        if digits_into(text, first, last, np.frombuffer(view, np.uint8)) is not None:
            return None
    return held.getvalue()


def digits_into(text: str, first: int, last: int, target: np.ndarray) -> int | None:
    """Write the bytes of the digits between two positions into an array of bytes.

    Returns the position of a character that is no digit, where there is one.
    """
    table = _values()
    for at in range(first, last, 2 * _PIECE):
        piece = text[at : min(at + 2 * _PIECE, last)]
        # A character outside of ASCII becomes one that is no digit.
        values = table.take(np.frombuffer(piece.encode("ascii", "replace"), np.uint16), mode="clip")
        if values.max() > 255:
            wrong = _NO_DIGIT.search(text, at, last)
            return wrong.start() if wrong else at
        start = (at - first) // 2
        target[start : start + len(values)] = values
    return None


@cache
def _values() -> np.ndarray:
    """The byte for each pair of characters, as a 16-bit number in the order of this machine; else 256."""
    table = np.full(1 << 16, 256, np.uint16)
    digits = "0123456789abcdefABCDEF"
    pairs = [high + low for high in digits for low in digits]
    table[np.frombuffer("".join(pairs).encode(), np.uint16)] = [int(pair, 16) for pair in pairs]
    return table
