"""Writing results: to a file whole or not at all, to standard output with every failure noticed."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, cast


class OutputClosed(Exception):
    """The reader of standard output has gone: no error of the user's, but nothing more can be written."""


@contextlib.contextmanager
def whole_file(path: str) -> Iterator[Path]:
    """A temporary path beside ``path`` that replaces it only if the block ends well.

    Raises :class:`LaminaError` where the file or its temporary stand-in cannot be written.
    """
    import tempfile

    try:
        # A link stays, and what it leads to is replaced.
        target = Path(path).resolve() if Path(path).is_symlink() else Path(path)
        if target.exists() and not target.is_file():
            # A device, pipe or folder: nothing that could be replaced.
            yield target
            return
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(13, "Permission denied")
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            temporary.chmod(_mode_for(target))
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as problem:
        raise _cannot_write(path, problem) from problem


def _mode_for(target: Path) -> int:
    """The permissions of the file that is replaced, or those of a new file."""
    if target.exists():
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _cannot_write(path: str, problem: OSError) -> Exception:
    from lamina.dialects.core.diagnostics import Location, error

    return error(f"cannot be written: {problem.strerror or problem}", Location(path))


def write_with(path: str | None, write: Callable[[IO[str]], object]) -> None:
    """Let ``write`` fill a file, or standard output for ``-`` and None."""
    if path is not None and path != "-":
        with whole_file(path) as temporary, temporary.open("w", encoding="utf-8") as stream:
            write(stream)
        return
    if sys.stdout is None:
        raise _cannot_write("<stdout>", OSError(0, "standard output is closed"))
    with _noticing_failure():
        write(cast(IO[str], sys.stdout))
    flush()


def write_text(path: str | None, text: str) -> None:
    """Write text to a file, or to standard output for ``-`` and None; whole or not at all."""
    write_with(path, lambda stream: stream.write(text))


def show(text: str) -> None:
    """Write lines to standard output."""
    write_text(None, text if text.endswith("\n") else text + "\n")


def flush() -> None:
    """Make sure that all that was written to standard output has arrived."""
    if sys.stdout is not None:
        with _noticing_failure():
            sys.stdout.flush()


@contextlib.contextmanager
def _noticing_failure() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        silence()
        raise OutputClosed from None
    except OSError as problem:
        silence()
        raise _cannot_write("<stdout>", problem) from problem


def silence() -> None:
    """Drop what is still to be written, so that Python does not try again as it exits."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
