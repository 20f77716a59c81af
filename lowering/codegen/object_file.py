"""The symbols that object files leave undefined, so that each can be resolved or named in a message."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

_SYMBOL_TABLE = 2
_GLOBAL_BINDINGS = (1, 2)
_SYMBOL = struct.Struct("<IBBHQQ")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")

LINKER_SYMBOLS = frozenset(("_GLOBAL_OFFSET_TABLE_",))
"""Undefined in position-independent objects; the linker itself defines them."""


def unresolved_symbols(objects: Sequence[bytes]) -> list[str]:
    """Names that some of the objects use and none defines, in order of their first use.

    Objects are 64-bit little-endian ELF files; others have no symbols here.
    """
    used: dict[str, None] = {}
    defined: set[str] = set(LINKER_SYMBOLS)
    for data in objects:
        for name, is_defined in _symbols(data):
            if is_defined:
                defined.add(name)
            else:
                used[name] = None
    return [name for name in used if name not in defined]


def _symbols(data: bytes) -> Iterator[tuple[str, bool]]:
    """Global symbols and whether the object defines them."""
    if data[:6] != b"\x7fELF\x02\x01":
        return
    header = _HEADER.unpack_from(data)
    start, size, count = header[6], header[11], header[12]
    sections = [_SECTION.unpack_from(data, start + i * size) for i in range(count)]
    for section in sections:
        if section[1] != _SYMBOL_TABLE:
            continue
        offset, length, link = section[4], section[5], section[6]
        names = sections[link][4]
        for position in range(offset + _SYMBOL.size, offset + length, _SYMBOL.size):
            name, info, _, index, _, _ = _SYMBOL.unpack_from(data, position)
            if name and info >> 4 in _GLOBAL_BINDINGS:
                yield data[names + name : data.index(b"\0", names + name)].decode(), index != 0
