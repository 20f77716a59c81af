"""Room for deeply nested IR: reading, verifying, rewriting and printing it are recursive."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator

FRAMES = 12_000
"""Python frames that nested IR may take: about a thousand nested regions, and well within 8 MiB of stack."""

_lock = threading.Lock()
_users = 0
_before = 0


@contextlib.contextmanager
def room_for_nesting() -> Iterator[None]:
    """Raise the interpreter's limit of recursion while any thread is inside; a no-op where it is higher."""
    global _users, _before
    with _lock:
        if _users == 0:
            _before = sys.getrecursionlimit()
            sys.setrecursionlimit(max(FRAMES, _before))
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            # A limit below the current depth is refused: then the next user resets it.
            if _users == 0:
                with contextlib.suppress(RecursionError):
                    sys.setrecursionlimit(_before)
