"""Hooks into the running of pipelines: what dumps, timings, statistics and reproducers are made of."""

from __future__ import annotations

from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import LaminaError
from lamina.passes.framework.passes import Pass


class Instrumentation:
    """Hooks around each pipeline, pass and analysis. Subclasses override what they need.

    The hooks of several instrumentations nest: what starts last ends first.
    """

    def before_pipeline(self, anchors: str, op: Operation) -> None:
        """Passes anchored on ``anchors`` are about to run on the ops in ``op``."""

    def after_pipeline(self, anchors: str, op: Operation) -> None:
        """The passes have run on all of them, or one has failed."""

    def before(self, pass_: Pass, op: Operation) -> None:
        """The pass is about to run on the op."""

    def after(self, pass_: Pass, op: Operation) -> None:
        """The pass has run, and its result was verified."""

    def failed(self, pass_: Pass, op: Operation, problem: LaminaError) -> None:
        """The pass (or the check of its result) failed; comes in place of :meth:`after`."""

    def before_analysis(self, name: str, op: Operation) -> None:
        """An analysis is about to be computed; a cached one is not."""

    def after_analysis(self, name: str, op: Operation) -> None:
        """An analysis was computed."""
