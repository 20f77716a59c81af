"""What all command lines share: errors as text and exit status 1, output written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from lamina.dialects.core.diagnostics import Diagnostic, LaminaError, Location, error, render

_sources: dict[str, str] = {}


def read_text(path: str) -> tuple[str, str]:
    """The text of a file (``-`` is standard input) and the name that locations carry."""
    name = "<stdin>" if path == "-" else path
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as problem:
        raise error("is not UTF-8 text", Location(name), hint="is it a binary file?") from problem
    except OSError as problem:
        raise error(f"cannot be read: {problem.strerror}", Location(name)) from problem
    _sources[name] = text
    return text, name


def remember_source(name: str, text: str) -> None:
    """Let diagnostics show lines of a text that was not read from a file."""
    _sources[name] = text


def report(diagnostic: Diagnostic) -> None:
    """Write a diagnostic to stderr, with colours on a terminal."""
    print(
        render(diagnostic, _sources, colour=sys.stderr.isatty() and "NO_COLOR" not in os.environ),
        file=sys.stderr,
    )


@contextlib.contextmanager
def whole_file(path: str) -> Iterator[Path]:
    """A temporary path beside ``path`` that replaces it only if the block ends well."""
    target = Path(path)
    if target.exists() and not target.is_file():
        # A device or pipe: nothing to replace.
        yield target
        return
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        os.close(handle)
    except OSError as problem:
        raise error(f"cannot be written: {problem.strerror}", Location(path)) from problem
    temporary = Path(name)
    try:
        yield temporary
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(target)
    except OSError as problem:
        raise error(f"cannot be written: {problem.strerror}", Location(path)) from problem
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: str | None, text: str) -> None:
    """Write text to a file, or to standard output for ``-`` and None; whole or not at all."""
    if path in (None, "-"):
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader has gone: no error of ours, and nothing more may be written at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(1) from None
        except OSError as problem:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise error(f"cannot be written: {problem.strerror}", Location("<stdout>")) from problem
        return
    assert path is not None
    with whole_file(path) as temporary:
        try:
            temporary.write_text(text, encoding="utf-8")
        except OSError as problem:
            raise error(f"cannot be written: {problem.strerror}", Location(path)) from problem


def run_tool(body: Callable[[], int], *, debug: bool = False) -> int:
    """Run a command's body; a user's mistake becomes text on stderr and status 1, never a traceback."""
    try:
        return body()
    except LaminaError as problem:
        if debug:
            raise
        for diagnostic in problem.diagnostics:
            report(diagnostic)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except MemoryError:
        report(Diagnostic("out of memory"))
        return 1
    except Exception as problem:
        if debug:
            raise
        report(
            Diagnostic(
                f"internal error: {type(problem).__name__}: {problem}",
                hint="this is a fault of Lamina; --debug shows where in it",
            )
        )
        return 1
