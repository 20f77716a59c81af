"""Running pipelines: anchors, conditions, verification, errors that name the pass, and instrumentation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.traits import IsolatedFromAbove

from lamina.dialects.core.context import make_context
from lamina.dialects.core.depth import room_for_nesting
from lamina.dialects.core.diagnostics import Diagnostic, error, location_of, op_name
from lamina.passes.framework.analyses import AnalysisCache
from lamina.passes.framework.collection import collect_constants, rare_collections
from lamina.passes.framework.instrumentation import Instrumentation
from lamina.passes.framework.locations import fill_locations
from lamina.passes.framework.passes import ANY_OP, Pass, PassContext
from lamina.passes.framework.pipeline import Pipeline, PipelineItem, parse_pipeline

__all__ = ["Instrumentation", "PassManager", "RanOnNothing", "run_pipeline"]


class RanOnNothing(Diagnostic):
    """The warning that a pass found no operation to run on: about the pipeline, not about the program."""


@dataclass
class PassManager:
    """Runs pipelines on a module and collects statistics and diagnostics."""

    context: Context = field(default_factory=make_context)
    verify_each: bool = True
    instrumentation: list[Instrumentation] = field(default_factory=list)
    statistics: dict[str, Counter[str]] = field(default_factory=dict)
    """What the passes counted, by the name of the pass."""
    diagnostics: list[Diagnostic] = field(default_factory=list)
    """Warnings and remarks, in order."""
    emit: Callable[[Diagnostic], None] | None = None
    """Told of each warning and remark after the pass that made it, in place of collecting them."""
    counts: dict[int, Counter[str]] = field(default_factory=dict)
    """What each pass of the pipeline counted, by the identity of the pass."""
    _analyses: AnalysisCache = field(init=False)

    def __post_init__(self) -> None:
        self._analyses = AnalysisCache(self.instrumentation)

    def run(self, root: Operation, pipeline: str | Pipeline) -> None:
        """Run a pipeline on a module (or another op), in place.

        Raises :class:`LaminaError` where a pass fails, or where the pipeline is for another operation.
        """
        if isinstance(pipeline, str):
            pipeline = parse_pipeline(pipeline, op_name(root))
        if pipeline.anchor not in (ANY_OP, op_name(root)):
            raise error(
                f"can't run '{pipeline.anchor}' pass manager on '{op_name(root)}' op", location_of(root)
            )
        with room_for_nesting(), rare_collections():
            try:
                self._run_items(pipeline.items, root)
            finally:
                self._analyses.clear()

    def _run_items(self, items: list[PipelineItem], op: Operation) -> None:
        for item in _joined(items):
            if isinstance(item, Pass) and item.anchor in (ANY_OP, op_name(op)):
                self._run_pass(item, op)
                continue
            nested = item if isinstance(item, Pipeline) else Pipeline(item.anchor, [item])
            self._run_nested(nested, op, warn=isinstance(item, Pass))

    def _run_nested(self, pipeline: Pipeline, op: Operation, *, warn: bool) -> None:
        """Run a pipeline on each op of its anchor's name directly inside ``op``."""
        targets = _targets(op, pipeline.anchor)
        if not targets and (warn or pipeline.items):
            self._warn_of_nothing(pipeline, op)
        for hook in self.instrumentation:
            hook.before_pipeline(pipeline.anchor, op)
        try:
            for target in targets:
                self._run_items(pipeline.items, target)
        finally:
            for hook in reversed(self.instrumentation):
                hook.after_pipeline(pipeline.anchor, op)

    def _warn_of_nothing(self, pipeline: Pipeline, op: Operation) -> None:
        names = list(dict.fromkeys(item.name for item in pipeline.passes()))
        if not names:
            return
        told = " and ".join(f"'{name}'" for name in names)
        missing = f"anchored on '{pipeline.anchor}', '{op_name(op)}' holds none"
        one = len(names) == 1
        message = (
            f"{'pass' if one else 'passes'} {told} ran on nothing: {'it is' if one else 'they are'} {missing}"
        )
        self._tell([RanOnNothing(message, location_of(op), "warning")])

    def _tell(self, diagnostics: list[Diagnostic]) -> None:
        if self.emit is None:
            self.diagnostics.extend(diagnostics)
        else:
            for diagnostic in diagnostics:
                self.emit(diagnostic)

    def _run_pass(self, pass_: Pass, op: Operation) -> None:
        ctx = PassContext(
            self.context, pass_name=pass_.name, op=op, analyses=self._analyses, run_items=self._run_dynamic
        )
        for hook in self.instrumentation:
            hook.before(pass_, op)
        try:
            self._transform(pass_, op, ctx)
        except MemoryError:
            raise
        except Exception as problem:
            from lamina.passes.framework.failures import in_pass

            self._account(pass_, ctx)
            located = in_pass(problem, pass_, op)
            for hook in reversed(self.instrumentation):
                hook.failed(pass_, op, located)
            raise located from problem
        self._account(pass_, ctx)
        for hook in reversed(self.instrumentation):
            hook.after(pass_, op)
        collect_constants()

    def _transform(self, pass_: Pass, op: Operation, ctx: PassContext) -> None:
        """Run a pass and check what it needs before, and what it gives afterwards."""
        if pass_.requires:
            from lamina.passes.framework.failures import require

            for condition in pass_.requires:
                require(condition, pass_, op)
        changed = pass_.run(op, ctx)
        if changed is not False:
            fill_locations(op)
            self._analyses.invalidate(op, (*pass_.preserves, *ctx.preserved))
        if self.verify_each and changed is not False:
            from lamina.passes.framework.failures import check_result

            check_result(pass_, op)

    def _account(self, pass_: Pass, ctx: PassContext) -> None:
        self.statistics.setdefault(pass_.name, Counter()).update(ctx.statistics)
        self.counts.setdefault(id(pass_), Counter()).update(ctx.statistics)
        self._tell(ctx.diagnostics)

    def _run_dynamic(self, pipeline: Pipeline, op: Operation) -> None:
        """Run a pipeline that a pass has made, on an op inside its own."""
        self._run_items(pipeline.items, op)


def _joined(items: list[PipelineItem]) -> list[PipelineItem]:
    """The items with neighbouring pipelines on one anchor joined: an op takes all passes before the next."""
    found: list[PipelineItem] = []
    for item in items:
        last = found[-1] if found else None
        if isinstance(item, Pipeline) and isinstance(last, Pipeline) and last.anchor == item.anchor:
            found[-1] = Pipeline(item.anchor, [*last.items, *item.items])
        else:
            found.append(item)
    return found


def _targets(op: Operation, anchor: str) -> list[Operation]:
    """The ops directly in ``op`` that a pipeline runs on: by name, or all that passes may work on alone."""
    inside = [inner for region in op.regions for block in region.blocks for inner in block.ops]
    if anchor == ANY_OP:
        return [inner for inner in inside if inner.has_trait(IsolatedFromAbove, value_if_unregistered=False)]
    return [inner for inner in inside if op_name(inner) == anchor]


def run_pipeline(module: ModuleOp, pipeline: str | Pipeline, *, verify_each: bool = True) -> ModuleOp:
    """Run a textual pipeline on a module, in place, and return the module."""
    PassManager(verify_each=verify_each).run(module, pipeline)
    return module
