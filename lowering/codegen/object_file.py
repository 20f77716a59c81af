"""The symbols that an object file leaves undefined, so that each can be resolved or named in a message."""

from __future__ import annotations

import struct
from collections.abc import Iterator

_SYMBOL_TABLE = 2
_SYMBOL = struct.Struct("<IBBHQQ")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")

LINKER_SYMBOLS = frozenset(("_GLOBAL_OFFSET_TABLE_",))
"""Undefined in position-independent objects; the linker itself defines them."""


def undefined_symbols(data: bytes) -> list[str]:
    """Names of the undefined symbols of a 64-bit little-endian ELF object; none for other formats."""
    if data[:6] != b"\x7fELF\x02\x01":
        return []
    return [name for name in _undefined(data) if name not in LINKER_SYMBOLS]


def _undefined(data: bytes) -> Iterator[str]:
    header = _HEADER.unpack_from(data)
    start, size, count = header[6], header[11], header[12]
    sections = [_SECTION.unpack_from(data, start + i * size) for i in range(count)]
    for section in sections:
        if section[1] != _SYMBOL_TABLE:
            continue
        offset, length, link = section[4], section[5], section[6]
        names = sections[link][4]
        for position in range(offset + _SYMBOL.size, offset + length, _SYMBOL.size):
            name, _, _, index, _, _ = _SYMBOL.unpack_from(data, position)
            if index == 0 and name:
                yield data[names + name : data.index(b"\0", names + name)].decode()
