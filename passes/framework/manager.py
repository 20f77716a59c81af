"""Running pipelines: anchors, conditions, verification, errors that name the pass, and instrumentation."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException, PassFailedException

from lamina.dialects.core.constants import NO_DATA_HINT
from lamina.dialects.core.context import make_context
from lamina.dialects.core.depth import room_for_nesting
from lamina.dialects.core.diagnostics import Diagnostic, LaminaError, error, location_of, note, op_name
from lamina.dialects.core.resources import require_resources
from lamina.dialects.core.verifier import cause_of, verify
from lamina.passes.framework.collection import rare_collections
from lamina.passes.framework.conditions import Condition
from lamina.passes.framework.locations import fill_locations
from lamina.passes.framework.passes import ANY_OP, Pass, PassContext
from lamina.passes.framework.pipeline import Pipeline, parse_pipeline
from lamina.passes.framework.registry import all_passes


class Instrumentation:
    """Hooks around each run of a pass on an operation. Subclasses override what they need."""

    def before(self, pass_: Pass, op: Operation) -> None:
        """The pass is about to run on the op."""

    def after(self, pass_: Pass, op: Operation) -> None:
        """The pass has run, and its result was verified."""

    def failed(self, pass_: Pass, op: Operation, problem: LaminaError) -> None:
        """The pass (or the check of its result) failed."""


@dataclass
class PassManager:
    """Runs pipelines on a module and collects statistics and diagnostics."""

    context: Context = field(default_factory=make_context)
    verify_each: bool = True
    instrumentation: list[Instrumentation] = field(default_factory=list)
    statistics: dict[str, Counter[str]] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    debug: bool = False
    """Let exceptions of a pass through as they are, with their traceback."""

    def run(self, module: ModuleOp, pipeline: str | Pipeline) -> None:
        """Run a pipeline on a module, in place. Raises :class:`LaminaError` where a pass fails."""
        if isinstance(pipeline, str):
            pipeline = parse_pipeline(pipeline)
        with room_for_nesting(), rare_collections():
            self._run_items(pipeline, module)

    def _run_items(self, pipeline: Pipeline, op: Operation) -> None:
        for item in pipeline.items:
            anchor = item.anchor
            targets = _targets(op, anchor)
            if not targets and isinstance(item, Pass):
                self._warn_of_nothing(item, op)
            for target in targets:
                if isinstance(item, Pass):
                    self._run_pass(item, target)
                else:
                    self._run_items(item, target)

    def _warn_of_nothing(self, pass_: Pass, op: Operation) -> None:
        missing = f"it is anchored on '{pass_.anchor}', '{op_name(op)}' holds none"
        message = f"pass '{pass_.name}' ran on nothing: {missing}"
        self.diagnostics.append(Diagnostic(message, location_of(op), "warning"))

    def _run_pass(self, pass_: Pass, op: Operation) -> None:
        ctx = PassContext(
            self.context, self.statistics.setdefault(pass_.name, Counter()), self.diagnostics, pass_.name
        )
        for hook in self.instrumentation:
            hook.before(pass_, op)
        try:
            for condition in pass_.requires:
                _require(condition, pass_, op)
            pass_.run(op, ctx)
            fill_locations(op)
            if self.verify_each:
                self._check_result(pass_, op)
        except LaminaError as problem:
            located = _with_place(problem, op).in_pass(pass_.name, location_of(op))
            self._failed(pass_, op, located)
            raise located from problem
        except MemoryError:
            raise
        except Exception as problem:
            if self.debug:
                raise
            located = _from_exception(problem, pass_, op)
            self._failed(pass_, op, located)
            raise located from problem
        for hook in self.instrumentation:
            hook.after(pass_, op)

    def _check_result(self, pass_: Pass, op: Operation) -> None:
        try:
            verify(op)
        except LaminaError as problem:
            first = problem.diagnostics[0]
            raise LaminaError(
                Diagnostic(f"the pass left invalid IR: {first.message}", first.location, notes=first.notes)
            ) from problem
        for condition in pass_.ensures:
            left = condition.first_violations(op)
            if left:
                notes = [note(f"'{op_name(other)}' is left here", other) for other in left[1:]]
                raise error(f"breaks what the pass ensures: {condition.name}", left[0], notes=notes)

    def _failed(self, pass_: Pass, op: Operation, problem: LaminaError) -> None:
        for hook in self.instrumentation:
            hook.failed(pass_, op, problem)


def _targets(op: Operation, anchor: str) -> list[Operation]:
    """The ops an item runs on: the op itself where the anchor fits, else the anchored ops directly in it."""
    if anchor in (ANY_OP, op_name(op)):
        return [op]
    return [
        inner
        for region in op.regions
        for block in region.blocks
        for inner in block.ops
        if op_name(inner) == anchor
    ]


def _require(condition: Condition, pass_: Pass, op: Operation) -> None:
    left = condition.first_violations(op)
    if not left:
        return
    makers = [p.name for p in all_passes() if condition in p.ensures and p.name != pass_.name]
    hint = f"run {' or '.join(f'`{name}`' for name in makers)} before" if makers else None
    notes = [note(f"so is '{op_name(other)}' here", other) for other in left[1:]]
    raise error(f"is not allowed here: the pass needs {condition.name}", left[0], notes=notes, hint=hint)


def _with_place(problem: LaminaError, op: Operation) -> LaminaError:
    """The error at the constant it is about, where that is one without data; else as it is."""
    if problem.diagnostics[0].hint == NO_DATA_HINT:
        try:
            require_resources(op)
        except LaminaError as located:
            return located
    return problem


def _from_exception(problem: Exception, pass_: Pass, op: Operation) -> LaminaError:
    place = location_of(op)
    if isinstance(problem, PassFailedException | DiagnosticException):
        return LaminaError(Diagnostic(cause_of(problem), place, pass_name=pass_.name))
    if isinstance(problem, RecursionError):
        message = f"'{op_name(op)}' is nested too deeply for the pass"
        return LaminaError(Diagnostic(message, place, pass_name=pass_.name))
    return LaminaError(
        Diagnostic(
            f"the pass failed on '{op_name(op)}': {type(problem).__name__}: {cause_of(problem)}",
            place,
            pass_name=pass_.name,
            hint="this is a fault of the pass; --debug shows where in it",
        )
    )


def run_pipeline(module: ModuleOp, pipeline: str | Pipeline, *, verify_each: bool = True) -> ModuleOp:
    """Run a textual pipeline on a module, in place, and return the module."""
    PassManager(verify_each=verify_each).run(module, pipeline)
    return module
