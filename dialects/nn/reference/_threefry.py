"""Threefry2x32 with 20 rounds (Salmon, Moraes, Dror, Shaw: Parallel random numbers, as easy as 1, 2, 3)."""

from __future__ import annotations

import numpy as np

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
"""By how many bits each of four rounds rotates, in turns of four rounds."""
PARITY = 0x1BD11BDA
"""Combined with the key's words, it gives the third."""


def threefry2x32(key: np.ndarray, counter: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The two words of the blocks at counters, for a key of two words; everything in ``uint32``."""
    first, second = (np.uint32(k) for k in key)
    keys = (first, second, first ^ second ^ np.uint32(PARITY))
    with np.errstate(over="ignore"):
        a, b = counter[0] + keys[0], counter[1] + keys[1]
        for turn in range(5):
            for bits in ROTATIONS[turn % 2]:
                a = a + b
                b = ((b << np.uint32(bits)) | (b >> np.uint32(32 - bits))) ^ a
            a = a + keys[(turn + 1) % 3]
            b = b + keys[(turn + 2) % 3] + np.uint32(turn + 1)
    return a, b
