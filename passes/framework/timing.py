"""The time that passes take."""

from __future__ import annotations

import time

from xdsl.ir import Operation

from lamina.passes.framework.manager import Instrumentation
from lamina.passes.framework.passes import Pass


class TimePasses(Instrumentation):
    """Wall-clock seconds by pass, in the order of first run."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._started = 0.0

    def before(self, pass_: Pass, op: Operation) -> None:
        self._started = time.perf_counter()

    def after(self, pass_: Pass, op: Operation) -> None:
        elapsed = time.perf_counter() - self._started
        self.seconds[pass_.name] = self.seconds.get(pass_.name, 0.0) + elapsed
