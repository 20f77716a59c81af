"""What all command lines share: errors as text and a status, output written whole or not at all.

Nothing heavy is imported until there is something to say, so that ``--help`` stays fast.
"""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from lamina.passes.framework.collection import rare_collections
from lamina.tools.output import OutputClosed, flush, silence
from lamina.tools.start import methods_on_demand

if TYPE_CHECKING:
    from lamina.dialects.core.diagnostics import Diagnostic

_sources: dict[str, str] = {}
_LARGE_FILE = 1 << 24


def read_text(path: str) -> tuple[str, str]:
    """The text of a file (``-`` is standard input) and the name that locations carry."""
    from lamina.dialects.core.diagnostics import Location, error

    name = "<stdin>" if path == "-" else path
    try:
        text = _standard_input() if path == "-" else _file_text(path)
    except UnicodeDecodeError as problem:
        line = problem.object.count(b"\n", 0, problem.start) + 1
        column = problem.start - problem.object.rfind(b"\n", 0, problem.start)
        hint = "`lamina-translate --import-onnx` reads ONNX models" if name.endswith(".onnx") else None
        place = Location(name, line, column)
        _sources[name] = ""  # bytes that are no text are not shown
        raise error("is not UTF-8 text", place, hint=hint or "is it a binary file?") from None
    except OSError as problem:
        raise error(f"cannot be read: {problem.strerror}", Location(name)) from problem
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if path == "-" or not Path(path).is_file():
        _sources[name] = text
    return text, name


def _file_text(path: str) -> str:
    with Path(path).open("rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size < _LARGE_FILE:
            return file.read().decode("utf-8")
        import mmap

        # The bytes are not copied before they become text.
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return str(cast(bytes, data), "utf-8")


def _standard_input() -> str:
    if sys.stdin is None:
        raise OSError(0, "standard input is closed")
    binary = getattr(sys.stdin, "buffer", None)
    return binary.read().decode("utf-8") if binary else sys.stdin.read()


def remember_source(name: str, text: str) -> None:
    """Let diagnostics show lines of a text that was not read from a file."""
    _sources[name] = text


def _source(name: str) -> str | None:
    """The text that a location's file name stands for: files are read again rather than kept."""
    if name not in _sources:
        with contextlib.suppress(OSError, ValueError):
            if Path(name).is_file():
                return Path(name).read_text(encoding="utf-8", errors="replace").removeprefix("\ufeff")
    return _sources.get(name)


def report(diagnostic: Diagnostic) -> None:
    """Write a diagnostic to stderr, with colours on a terminal."""
    from lamina.dialects.core.diagnostics import render

    if sys.stderr is not None:
        colour = sys.stderr.isatty() and "NO_COLOR" not in os.environ
        say(render(diagnostic, _source, colour=colour))


def say(text: str) -> None:
    """Write a line to stderr; that it cannot be written changes nothing."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):
            print(text, file=sys.stderr, flush=True)


def run_tool(body: Callable[[Sequence[str]], int], argv: Sequence[str] | None) -> int:
    """Run a command on its arguments and return its exit status.

    A user's mistake becomes text on stderr and status 1, a wrong use of options 2, Ctrl-C 130; a traceback
    is shown only with ``--debug``, before them.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    # IR text is UTF-8, whatever the locale.
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure:
        reconfigure(encoding="utf-8")
    try:
        with _signals_as_exceptions(), rare_collections(), methods_on_demand():
            status = body(arguments)
            flush()
            return status
    except SystemExit as stop:
        return _after_exit(stop)
    except OutputClosed:
        return 1
    except KeyboardInterrupt:
        silence()
        say("interrupted")
        return 130
    except Exception as problem:
        if "--debug" in arguments:
            show_traceback(problem)
        _explain(problem)
        return 1


def show_traceback(problem: Exception) -> None:
    """Write where in the code an error, and what caused it, was raised."""
    import traceback

    say("".join(traceback.format_exception(problem)).rstrip())


def _after_exit(stop: SystemExit) -> int:
    """The status of an exit that argparse asked for, once what it printed has been written."""
    status = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
    try:
        flush()
    except OutputClosed:
        return status or 1
    except Exception as problem:
        _explain(problem)
        return 1
    return status


def _explain(problem: Exception) -> None:
    if isinstance(problem, ImportError):
        say(f"error: a package that Lamina needs cannot be imported: {problem}")
        return
    from lamina.dialects.core.diagnostics import Diagnostic, LaminaError

    match problem:
        case LaminaError():
            for diagnostic in problem.diagnostics:
                report(diagnostic)
        case MemoryError():
            report(Diagnostic("out of memory"))
        case RecursionError():
            report(Diagnostic("the program is nested too deeply"))
        case _:
            hint = "this is a fault of Lamina; --debug shows where in it"
            report(Diagnostic(f"internal error: {type(problem).__name__}: {problem}", hint=hint))


@contextlib.contextmanager
def _signals_as_exceptions() -> Iterator[None]:
    """Let a request to end run the clean-up that an exception runs, so that no temporary file stays."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual = {
        signal.SIGTERM: signal.SIG_DFL,
        signal.SIGHUP: signal.SIG_DFL,
        signal.SIGINT: signal.default_int_handler,
    }
    # What the caller has set otherwise, as nohup does, stays.
    ours = [number for number, handler in usual.items() if signal.getsignal(number) is handler]
    for number in ours:
        signal.signal(number, _raise_for)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, usual[number])


class Interrupted(KeyboardInterrupt):
    """Ctrl-C. One of Python's own class that a C module let through would end the process by the signal."""


def _raise_for(number: int, frame: Any) -> None:
    if number == signal.SIGINT:
        raise Interrupted
    raise SystemExit(128 + number)


def wait_for(call: Callable[[], Any]) -> Any:
    """The result of a call into native code, during which Ctrl-C is heard.

    Python hears signals between its own instructions only, so the call runs in a thread of its own; on
    Ctrl-C the process ends at once, since native code cannot be stopped.
    """
    outcome: list[Any] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(call())
        except BaseException as problem:
            failure.append(problem)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.1)
    except KeyboardInterrupt:
        say("interrupted")
        os._exit(130)
    if failure:
        raise failure[0]
    return outcome[0]
