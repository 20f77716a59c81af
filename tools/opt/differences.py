"""``--print-diff``: what each pass changed, as a unified diff of its operation's text."""

from __future__ import annotations

import sys
from difflib import unified_diff

from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import LaminaError
from lamina.passes.framework.instrumentation import Instrumentation
from lamina.passes.framework.passes import Pass
from lamina.tools.console import say
from lamina.tools.opt.dumps import described
from lamina.tools.opt.printing import Form

_COLOURS = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}


class PrintDiff(Instrumentation):
    """Compares the text before and after each pass; a pass that changed nothing is not shown."""

    def __init__(self, form: Form) -> None:
        self._form = form
        self._texts: list[str] = []
        self._colour = sys.stderr is not None and sys.stderr.isatty()

    def before(self, pass_: Pass, op: Operation) -> None:
        self._texts.append(self._form.text(op))

    def after(self, pass_: Pass, op: Operation) -> None:
        before = self._texts.pop().splitlines()
        about = f"{pass_.name} ({described(op)})"
        diff = unified_diff(
            before, self._form.text(op).splitlines(), f"before {about}", f"after {about}", lineterm=""
        )
        lines = [self._painted(line) for line in diff]
        if lines:
            say("\n".join(lines))

    def failed(self, pass_: Pass, op: Operation, problem: LaminaError) -> None:
        self._texts.pop()

    def _painted(self, line: str) -> str:
        colour = _COLOURS.get(line[:1]) if self._colour else None
        return f"{colour}{line}\x1b[0m" if colour else line
