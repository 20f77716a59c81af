"""``--why-not=PASS[@LINE]``: why the patterns of a pass did not match what it left."""

from __future__ import annotations

from contextlib import ExitStack

from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import LaminaError, error, location_of, op_name
from lamina.passes.framework.instrumentation import Instrumentation
from lamina.passes.framework.matching import Misses, watching
from lamina.passes.framework.passes import Pass
from lamina.tools.console import say
from lamina.tools.opt.dumps import described


class WhyNot(Instrumentation):
    """Tells of each op that a pass left which patterns did not match, and why, the nearest first."""

    def __init__(self, text: str) -> None:
        self._name, separator, line = text.partition("@")
        if separator and not line.isdecimal():
            raise error(f"--why-not={text}: the line is a number: --why-not={self._name}@12")
        self._line = int(line) if separator else None
        self._misses = Misses()
        self._has_line = True
        self._ran = False
        self._stack = ExitStack()
        from lamina.passes.framework.registry import find_pass, find_pipeline

        named = find_pipeline(self._name)
        if named:
            hint = f"its passes are {named.text}"
            raise error(f"--why-not={text}: '{self._name}' is a pipeline, not a pass", hint=hint)
        find_pass(self._name)

    def before(self, pass_: Pass, op: Operation) -> None:
        if pass_.name == self._name:
            self._ran = True
            self._misses = Misses(self._line)
            self._has_line = self._line is None or any(_is_on(self._line, found) for found in op.walk())
            self._stack.enter_context(watching(self._misses))

    def after(self, pass_: Pass, op: Operation) -> None:
        if pass_.name == self._name:
            self._stack.close()
            say("\n".join(self._report(op)))

    def failed(self, pass_: Pass, op: Operation, problem: LaminaError) -> None:
        self.after(pass_, op)

    def _report(self, root: Operation) -> list[str]:
        where = "" if self._line is None else f" on line {self._line}"
        lines = [f"// -----// Why not {self._name}: {described(root)}{where} //----- //"]
        for op, misses in self._misses.by_op():
            place = location_of(op)
            lines.append(f"{place}: '{op_name(op)}'" if place else f"'{op_name(op)}'")
            lines += [f"  {miss.pattern}: {miss.reason}" for miss in misses]
        if len(lines) == 1:
            lines.append(self._nothing())
        return lines

    def _nothing(self) -> str:
        """Why there is nothing to tell."""
        if not self._has_line:
            return f"no operation that the pass was given is on line {self._line}"
        if not self._misses.tried:
            return "the pass tried no pattern on any operation"
        if not self._misses.tried_on_line:
            return f"the pass tried no pattern on an operation of line {self._line}"
        if self._misses.all_gone():
            return "patterns matched: no operation on which they were tried is still there"
        return "no pattern that was tried is for an operation that is still there"

    def finish(self) -> None:
        """After all parts of the input: say so where there was nothing to watch."""
        if not self._ran:
            say(f"// -----// Why not {self._name}: the pass did not run //----- //")


def _is_on(line: int, op: Operation) -> bool:
    place = location_of(op)
    return place is not None and place.line == line
