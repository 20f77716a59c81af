"""Python's garbage collector while passes run."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from lamina.dialects.core.memory import many_bytes_came

_THRESHOLD = 50_000
"""New containers between two collections. IR is full of cycles but dies late: looking often finds nothing."""

_lock = threading.Lock()
_active = 0
_outside = (0, 0, 0)


@contextmanager
def rare_collections() -> Iterator[None]:
    """Collect garbage seldom; a collector that is switched off, or set to collect less, stays as it is."""
    global _active, _outside
    with _lock:
        if _active == 0:
            _outside = gc.get_threshold()
            if 0 < _outside[0] < _THRESHOLD:
                gc.set_threshold(_THRESHOLD, *_outside[1:])
        _active += 1
    try:
        yield
    finally:
        with _lock:
            _active -= 1
            if _active == 0:
                gc.set_threshold(*_outside)


def collect_constants() -> None:
    """Collect garbage where many bytes of constants came: what they replaced is held by erased operations,
    which the collector has to find, since they and their results know each other."""
    if many_bytes_came() and gc.isenabled():
        gc.collect()
