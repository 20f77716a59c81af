"""How many bytes of constants came into memory, for those who decide when garbage is looked for."""

from __future__ import annotations

_LIMIT = 64 << 20
_added = 0


def note_bytes(count: int) -> None:
    """So many bytes more are held by attributes."""
    global _added
    _added += count


def many_bytes_came() -> bool:
    """Whether much came since this was last true: operations that hold what it replaced may be garbage."""
    global _added
    if _added < _LIMIT:
        return False
    _added = 0
    return True
