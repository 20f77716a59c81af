"""The commands as processes of their own: what only a process that runs one command and ends may do."""

from __future__ import annotations

import atexit
import importlib
import os
import sys
import threading
from typing import NoReturn

from lamina.passes.framework.collection import rare_collections


def lamina() -> NoReturn:
    """The command ``lamina``."""
    _run("lamina.tools.main")


def lamina_opt() -> NoReturn:
    """The command ``lamina-opt``."""
    _run("lamina.tools.opt")


def lamina_run() -> NoReturn:
    """The command ``lamina-run``."""
    _run("lamina.tools.run")


def lamina_translate() -> NoReturn:
    """The command ``lamina-translate``."""
    _run("lamina.tools.translate")


def _run(module: str) -> NoReturn:
    # Importing makes containers that all stay: looking for garbage among them takes a tenth of a short run.
    with rare_collections():
        _leave(importlib.import_module(module).main())


def _leave(status: int) -> NoReturn:
    """End the process as Python does, but leave its memory to the operating system.

    Taking modules and IR apart object by object takes an eighth of a short run, and more of a long one.
    """
    threading._shutdown()  # pyright: ignore
    atexit._run_exitfuncs()  # pyright: ignore
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            try:
                stream.flush()
            except (OSError, ValueError):
                status = status or 1
    os._exit(status)
