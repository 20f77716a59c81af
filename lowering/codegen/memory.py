"""Memory that running code needs: addresses of arrays, and a pool of arenas.

An arena is the working memory of one call. Concurrent calls take different ones from the pool, so a
compiled function has no state of its own.
"""

from __future__ import annotations

import ctypes
import mmap
import sys

import numpy as np

HUGE_PAGE = 2 << 20
ALIGNMENT = 64

_HEAD_BYTES = object.__basicsize__


def _data_follows_head() -> bool:
    """Whether an array object's data pointer is the first field after the object head.

    It is so in every NumPy ABI to date; probed, not assumed.
    """
    if sys.implementation.name != "cpython":
        return False
    probes = (np.zeros(3), np.zeros((4, 5), np.int8)[1:, 2:], np.zeros(0, np.float16))
    return all(ctypes.c_void_p.from_address(id(a) + _HEAD_BYTES).value == a.ctypes.data for a in probes)


if _data_follows_head():

    def address_of(array: np.ndarray) -> int:
        """The address of an array's first element (an eighth of the time of ``array.ctypes.data``)."""
        return ctypes.c_void_p.from_address(id(array) + _HEAD_BYTES).value or 0

else:

    def address_of(array: np.ndarray) -> int:
        """The address of an array's first element."""
        return array.ctypes.data


class Arena:
    """Working memory of one call: anonymous private pages, 64-byte aligned, in huge pages where large.

    The pages are private, so they may become huge pages, and a forked child does not share them; the
    kernel provides each at its first use.
    """

    def __init__(self, size: int) -> None:
        huge = size >= HUGE_PAGE and hasattr(mmap, "MADV_HUGEPAGE")
        slack = HUGE_PAGE if huge else ALIGNMENT
        self._map = mmap.mmap(-1, size + slack, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        if huge:
            self._map.madvise(mmap.MADV_HUGEPAGE)
        self._bytes = np.frombuffer(self._map, np.uint8)
        start = address_of(self._bytes)
        self.address = start + -start % slack


MAX_FREE_ARENAS = 8


class ArenaPool:
    """Arenas of one size, as many as there are calls at the same time; a few free ones are kept."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._free: list[Arena] = []

    def take(self) -> Arena:
        """A free arena, or a new one. (``list.pop`` and ``append`` are atomic.)"""
        try:
            return self._free.pop()
        except IndexError:
            return Arena(self.size)

    def give_back(self, arena: Arena) -> None:
        """Make an arena free again."""
        if len(self._free) < MAX_FREE_ARENAS:
            self._free.append(arena)
