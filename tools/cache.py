"""``lamina cache``: where compiled code is kept, how much there is, and how to be rid of it."""

from __future__ import annotations

from collections.abc import Sequence

from lamina.dialects.core.diagnostics import Location, error
from lamina.lowering.cache.folder import Entry, Unusable
from lamina.lowering.cache.settings import LIMIT, PLACE, cache_folder


def cache_text() -> str:
    """The report on the cache that the environment gives."""
    folder = cache_folder()
    if folder is None:
        return f"the cache is off ({PLACE}, or no home folder)"
    lines = [f"folder: {folder.path} ({PLACE})"]
    problem = folder.problem()
    if problem:
        lines.append(f"it is not used: it {problem}")
    entries = folder.entries()
    lines.append(f"entries: {_amount(entries)}")
    lines.append(f"limit: {_size(folder.limit)} ({LIMIT}); what was not used for longest goes first")
    return "\n".join(lines)


def clear_text() -> str:
    """Removes the entries, and says how many they were."""
    folder = cache_folder()
    if folder is None:
        return f"the cache is off ({PLACE}, or no home folder): nothing to remove"
    try:
        return f"removed from {folder.path}: {_amount(folder.clear())}"
    except FileNotFoundError:
        return f"removed from {folder.path}: {_amount(())}"
    except (Unusable, OSError):
        raise error(folder.problem() or "cannot be cleared", Location(str(folder.path))) from None


def _amount(entries: Sequence[Entry]) -> str:
    return f"{len(entries)}, {_size(sum(entry.size for entry in entries))}"


def _size(count: float) -> str:
    """Bytes for people."""
    for unit in ("bytes", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.4g} {unit}"
        count /= 1024
    return f"{count:.4g} GiB"
