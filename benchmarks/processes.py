"""A process for each number of threads, on as many cores: not every runtime can change its number later."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
_COUNTS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
_KEEP_MEMORY = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40)}
"""For glibc: what is freed stays with the process, so that a runtime that allocates its results at each call
does not pay the system for new pages each time."""


class Ended(SystemExit):
    """A process that gave no answer; the message says how it ended."""


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0))


def keep_to(cores: int) -> None:
    """Let this process and its threads use no more cores than a number. Called before a runtime starts."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])


def answer(found: Any) -> None:
    """What a process tells the one that started it."""
    print(json.dumps(found))


def ask(module: str, arguments: Sequence[str], threads: int | None) -> Any:
    """The answer of a process that runs a module; None leaves it all cores and every runtime its default."""
    settings = _KEEP_MEMORY | (dict.fromkeys(_COUNTS, str(threads)) if threads else {})
    command = [sys.executable, "-m", module, *arguments]
    options: dict[str, Any] = {"cwd": ROOT, "env": os.environ | settings, "stdout": subprocess.PIPE}
    done = subprocess.run(command, text=True, check=False, **options)
    if done.returncode:
        raise Ended(f"python -m {module} {' '.join(arguments)}: ended with status {done.returncode}")
    return json.loads(done.stdout.splitlines()[-1])
