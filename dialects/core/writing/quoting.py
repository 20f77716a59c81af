"""Strings, keywords and symbols as upstream writes them."""

from __future__ import annotations

import re
from functools import lru_cache

from lamina.dialects.core.later import regex

_KEYWORD = regex(r"[A-Za-z_][\w$.]*", re.ASCII)
_ESCAPES = {i: f"\\{i:02X}" for i in (*range(0x20), 0x22, *range(0x7F, 0x100))} | {0x5C: "\\\\"}
_PLAIN = regex(r"[ !#-\[\]-~]*+")


def quoted(text: str | bytes) -> str:
    """A string literal: printable ASCII as it is, every other byte as ``\\XX``.

    Text is written as UTF-8; surrogates stand for the bytes that were none.
    """
    if isinstance(text, str):
        if _PLAIN.fullmatch(text):
            return f'"{text}"'
        text = text.encode("utf-8", "surrogateescape")
    return f'"{text.decode("latin-1").translate(_ESCAPES)}"'


@lru_cache(4096)
def keyword(text: str) -> str:
    """A name as it is where it is a bare identifier, else as a string literal."""
    return text if _KEYWORD.fullmatch(text) else quoted(text)


@lru_cache(4096)
def symbol(name: str) -> str:
    """``@name``, with quotes where the name is no bare identifier."""
    return "@" + keyword(name)
