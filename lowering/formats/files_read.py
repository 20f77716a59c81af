"""Which files a reader reads besides the model's own: the tensors that lie beside it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

_noted: ContextVar[dict[Path, tuple[int, ...]] | None] = ContextVar("files read", default=None)


@contextmanager
def noting_files() -> Iterator[dict[Path, tuple[int, ...]]]:
    """Collects the files that are read in the block, and the state of each before it was read."""
    files: dict[Path, tuple[int, ...]] = {}
    token = _noted.set(files)
    try:
        yield files
    finally:
        _noted.reset(token)


def note_file(path: Path) -> None:
    """A file is going to be read."""
    files = _noted.get()
    if files is not None and path not in files:
        with suppress(OSError):
            files[path] = state_of(path.stat())


def state_of(about: os.stat_result) -> tuple[int, ...]:
    """What changes when a file's contents do."""
    return (about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
