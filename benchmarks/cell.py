"""A workload in one runtime: what is checked and timed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import numpy as np

Arrays = Mapping[str, np.ndarray]


def reason(failure: Exception) -> str:
    """Why a runtime has no cell: the first line of what it says, and the next where that announces it."""
    lines = [line for line in str(failure).splitlines() if line.strip()] or [type(failure).__name__]
    return f"fails: {' '.join(lines[: 2 if lines[0].endswith(':') else 1])}"


@dataclass(frozen=True)
class Cell:
    """A workload in one runtime with a number of threads."""

    peer: str
    threads: int | None
    """A number, or as many as the runtime chooses (None)."""
    call: Callable[[], object]
    results: Callable[[], list[np.ndarray]]
    """The arrays that the last call wrote."""
    around: Callable[[], AbstractContextManager[object]] = nullcontext
    """What calls run in (entered outside of the timed part)."""

    @property
    def name(self) -> str:
        """``lamina/1``, ``onnxruntime/default``, …"""
        return f"{self.peer}/{self.threads or 'default'}"
