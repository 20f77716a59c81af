"""Digests of long data, computed on all cores: of chunks, then of the chunks' digests."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from typing import Any

_CHUNK = 4 << 20


def digest_of(data: bytes | memoryview) -> str:
    """The digest of bytes in memory."""
    view = memoryview(data).cast("B")
    return _combined(lambda at: hashlib.sha256(view[at : at + _CHUNK]).digest(), len(view))


def file_digest(descriptor: int, size: int) -> str:
    """The digest of an open file of a size, the same as :func:`digest_of` gives for its bytes."""
    return _combined(lambda at: hashlib.sha256(_chunk(descriptor, at, size)).digest(), size)


def _chunk(descriptor: int, at: int, size: int) -> bytes:
    """A chunk of a file, read without moving its position, so that several threads read at the same time."""
    wanted = min(_CHUNK, size - at)
    data = os.pread(descriptor, wanted, at)
    while len(data) < wanted and (more := os.pread(descriptor, wanted - len(data), at + len(data))):
        data += more
    return data


def _combined(chunk_digest: Callable[[int], bytes], size: int) -> str:
    starts = range(0, max(size, 1), _CHUNK)
    return hashlib.sha256(b"".join(_mapped(chunk_digest, starts))).hexdigest()


def _mapped(function: Callable[[int], bytes], starts: range) -> Iterable[Any]:
    """The results in order, from threads where that is worth their start: hashing releases the lock."""
    if len(starts) < 4:
        return map(function, starts)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(8, len(starts), os.cpu_count() or 1)) as pool:
        return list(pool.map(function, starts))
