"""The time that passes take: by pass, or as a tree of pipelines, passes and analyses."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import LaminaError
from lamina.passes.framework.display_names import display_name
from lamina.passes.framework.instrumentation import Instrumentation
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


@dataclass
class Timer:
    """A name with the seconds spent under it, on the clock and of the processor, and what they consist of."""

    name: str
    wall: float = 0.0
    user: float = 0.0
    parts: dict[object, Timer] = field(default_factory=dict)

    def part(self, key: object, name: str) -> Timer:
        """The part under a key, made if there is none."""
        if key not in self.parts:
            self.parts[key] = Timer(name)
        return self.parts[key]


class TimeTree(Instrumentation):
    """Times by pipeline, pass and analysis, as they nest; a pass that runs on many ops is one part."""

    def __init__(self) -> None:
        self.total = Timer("Total")
        self._open: list[tuple[Timer, float, float]] = []
        self._begin(self.total)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count what happens inside as a part of its own, as ``Parser`` and ``Output`` are."""
        self._enter(name, name)
        try:
            yield
        finally:
            self._leave()

    def finish(self) -> Timer:
        """The whole; what no part explains is its part ``Rest``."""
        while self._open:
            self._leave()
        rest = self.total.part("Rest", "Rest")
        others = [part for part in self.total.parts.values() if part is not rest]
        rest.wall = max(0.0, self.total.wall - sum(part.wall for part in others))
        rest.user = max(0.0, self.total.user - sum(part.user for part in others))
        return self.total

    def before_pipeline(self, anchors: str, op: Operation) -> None:
        # Pipelines that stand apart are apart: the last one goes on only while no other pass came between.
        current = self._open[-1][0]
        last = next(reversed(current.parts.values()), None)
        same = last is not None and last.name == f"'{anchors}' Pipeline"
        key = next(k for k, part in current.parts.items() if part is last) if same else object()
        self._enter(key, f"'{anchors}' Pipeline")

    def after_pipeline(self, anchors: str, op: Operation) -> None:
        self._leave()

    def before(self, pass_: Pass, op: Operation) -> None:
        self._enter(id(pass_), display_name(pass_))

    def after(self, pass_: Pass, op: Operation) -> None:
        self._leave()

    def failed(self, pass_: Pass, op: Operation, problem: LaminaError) -> None:
        self._leave()

    def before_analysis(self, name: str, op: Operation) -> None:
        self._enter(f"(A) {name}", f"(A) {name}")

    def after_analysis(self, name: str, op: Operation) -> None:
        self._leave()

    def _enter(self, key: object, name: str) -> None:
        self._begin(self._open[-1][0].part(key, name))

    def _begin(self, timer: Timer) -> None:
        self._open.append((timer, time.perf_counter(), time.process_time()))

    def _leave(self) -> None:
        timer, wall, user = self._open.pop()
        timer.wall += time.perf_counter() - wall
        timer.user += time.process_time() - user
