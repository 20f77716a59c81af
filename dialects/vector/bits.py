"""How many bits the elements of vectors have."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import IndexType, IntegerType


def bits_of(type: Any) -> int:
    """The width of a number, in bits (64 for ``index``)."""
    if isinstance(type, IntegerType):
        return type.width.data
    if isinstance(type, IndexType):
        return 64
    return int(getattr(type, "bitwidth", 64))
