"""A folder of files that are read as code, so only its owner may write to it.

Every use opens the folder anew and looks at what was opened, not at a path: it has to be a folder (no link)
of this user or of root that nobody else can write to, and so has each file. Files are written under another
name and then renamed, so a reader sees all of a file or none, whoever writes at the same time. What cannot
be read or written, because the disk is full or the folder read-only, is as if it were not there.
"""

from __future__ import annotations

import mmap
import os
import secrets
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

SUFFIX, _TEMPORARY = ".lamina", ".tmp"
_STALE_SECONDS = 3600.0
"""After this time a file that was not finished is no longer being written."""
_OPEN = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class Unusable(Exception):
    """Why a folder is not used; the text goes on from its name."""


@dataclass(frozen=True)
class Entry:
    """A file of the folder."""

    name: str
    size: int
    used: float
    """When it was last read or written."""


class Folder:
    """Files by key, of at most ``limit`` bytes together; what was not used for longest goes first."""

    def __init__(self, path: Path, limit: int) -> None:
        self.path = path
        self.limit = limit

    def problem(self) -> str | None:
        """Why the folder is not used, or None; one that is not there yet is made at the first need."""
        try:
            with self._opened():
                return None
        except FileNotFoundError:
            return None
        except (Unusable, OSError) as problem:
            return _reason(problem)

    def read(self, key: str) -> memoryview | None:
        """The contents of the file of a key, mapped into memory; None where there is none to be trusted."""
        with suppress(Unusable, OSError, ValueError), self._opened() as folder:
            file = os.open(key + SUFFIX, os.O_RDONLY | _OPEN, dir_fd=folder)
            try:
                _check(os.fstat(file), stat.S_ISREG)
                mapped = mmap.mmap(file, 0, access=mmap.ACCESS_READ)
                with suppress(OSError):
                    os.utime(file)
                return memoryview(mapped)
            finally:
                os.close(file)
        return None

    def write(self, key: str, pieces: Sequence[bytes | memoryview]) -> bool:
        """Put a file in place, then drop old ones until the limit is kept; returns whether it could."""
        if sum(map(len, pieces)) > self.limit:
            return False
        with suppress(Unusable, OSError), self._opened(make=True) as folder:
            _write(folder, key, pieces)
            self._evict(folder, key + SUFFIX)
            return True
        return False

    def entries(self) -> list[Entry]:
        """The files, the one that was used last at the end."""
        with suppress(Unusable, OSError), self._opened() as folder:
            return _entries(folder, SUFFIX)
        return []

    def clear(self) -> list[Entry]:
        """Remove all files, also unfinished ones; returns the finished ones that are gone."""
        with self._opened() as folder:
            for entry in _entries(folder, _TEMPORARY):
                _remove(folder, entry)
            return [entry for entry in _entries(folder, SUFFIX) if _remove(folder, entry)]

    def _evict(self, folder: int, newest: str) -> None:
        for entry in _entries(folder, _TEMPORARY):
            if time.time() - entry.used > _STALE_SECONDS:
                _remove(folder, entry)
        entries = _entries(folder, SUFFIX)
        excess = sum(entry.size for entry in entries) - self.limit
        for entry in entries:
            if excess > 0 and entry.name != newest and _remove(folder, entry):
                excess -= entry.size

    @contextmanager
    def _opened(self, *, make: bool = False) -> Iterator[int]:
        """The checked folder, open; raises :class:`Unusable` or OSError."""
        if not hasattr(os, "geteuid") or os.open not in os.supports_dir_fd:
            raise Unusable("is not used on this system")
        if make:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError):
                self.path.mkdir(0o700)
        folder = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | _OPEN)
        try:
            _check(os.fstat(folder), stat.S_ISDIR)
            yield folder
        finally:
            os.close(folder)


def _check(found: os.stat_result, is_kind: Callable[[int], bool]) -> None:
    """Only who owns a file, and root, may be able to write to it."""
    if not is_kind(found.st_mode):
        raise Unusable("is of another kind than expected")
    if found.st_uid not in (os.geteuid(), 0):
        raise Unusable("belongs to another user")
    if found.st_mode & _OTHERS_WRITE:
        raise Unusable("can be written to by others (`chmod go-w` it)")


def _reason(problem: Exception) -> str:
    if isinstance(problem, OSError):
        # A link is no folder either, for an `open` that does not follow links.
        if isinstance(problem, NotADirectoryError):
            return "is no folder, or a link"
        return f"cannot be opened: {problem.strerror}"
    return str(problem)


def _write(folder: int, key: str, pieces: Sequence[bytes | memoryview]) -> None:
    temporary = f"{key}.{secrets.token_hex(8)}{_TEMPORARY}"
    file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _OPEN, 0o600, dir_fd=folder)
    try:
        with os.fdopen(file, "wb", buffering=0) as stream:
            for piece in pieces:
                rest = memoryview(piece).cast("B")
                while rest:
                    rest = rest[stream.write(rest) :]
        os.rename(temporary, key + SUFFIX, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


def _entries(folder: int, suffix: str) -> list[Entry]:
    """Files with a suffix, the one that was used last at the end."""
    found: list[Entry] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(suffix):
                with suppress(OSError):  # another process has removed it
                    about = entry.stat(follow_symlinks=False)
                    found.append(Entry(entry.name, about.st_size, about.st_mtime))
    return sorted(found, key=lambda entry: entry.used)


def _remove(folder: int, entry: Entry) -> bool:
    with suppress(OSError):
        os.unlink(entry.name, dir_fd=folder)
        return True
    return False
