"""What is watched and recorded while passes run, on all parts of the input, and shown at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from lamina.dialects.core.diagnostics import Diagnostic
from lamina.passes.framework.instrumentation import Instrumentation
from lamina.passes.framework.pipeline import Pipeline
from lamina.tools.console import say
from lamina.tools.opt.arguments import OptArguments
from lamina.tools.opt.crashes import CrashReproducer

if TYPE_CHECKING:
    from lamina.passes.framework.timing import TimeTree
    from lamina.tools.opt.why_not import WhyNot


class Watching:
    """The instrumentation that the options of ``lamina-opt`` ask for."""

    def __init__(self, args: OptArguments) -> None:
        self._args = args
        self._pipelines: list[Pipeline] = []
        self.statistics: dict[str, Counter[str]] = {}
        self.counts: dict[int, Counter[str]] = {}
        self._crashes = CrashReproducer(args)
        self._timing = _timing() if args.mlir_timing else None
        # The innermost is first: dumps and diffs take no part in the times of passes.
        self.instrumentation: list[Instrumentation] = [self._crashes, *_dumps(args)]
        self._why_not = _why_not(args)
        if self._why_not:
            self.instrumentation.append(self._why_not)
        if self._timing:
            self.instrumentation.append(self._timing)

    def announce(self, pipeline: Pipeline) -> None:
        """Check the options against a pipeline that will run, and show it if that is asked for."""
        self._pipelines.append(pipeline)
        if self._args.mlir_print_ir_before or self._args.mlir_print_ir_after:
            from lamina.tools.opt.dumps import check_names

            check_names(self._args, pipeline)
        if self._args.dump_pass_pipeline:
            count = len(pipeline.items)
            say(f"Pass Manager with {count} passes:\n{pipeline.lines()}\n")

    def stage(self, name: str) -> AbstractContextManager[None]:
        """Count the time of what happens inside under a name."""
        return self._timing.stage(name) if self._timing else nullcontext()

    def prepare_reproducer(self, text: str, pipelines: list[Pipeline], *, verify_each: bool) -> None:
        """Know what a reproducer would have to hold; write it where one is wanted in any case."""
        self._crashes.prepare(text, pipelines, verify_each=verify_each)

    def take_last_diagnostics(self) -> Iterable[Diagnostic]:
        """What is to be said after the error of a pass: where the reproducer is."""
        return self._crashes.take_diagnostics()

    def finish(self) -> None:
        """Show the tables that were asked for, and what was asked for in vain."""
        if self._why_not:
            self._why_not.finish()
        if not self._args.mlir_pass_statistics and not self._timing:
            return
        from lamina.tools.opt.tables import statistics_text, timing_json, timing_text

        if self._args.mlir_pass_statistics:
            as_list = self._args.mlir_pass_statistics_display == "list"
            for pipeline in self._pipelines:
                say(statistics_text(pipeline, self.counts, as_list=as_list))
        if self._timing:
            total = self._timing.finish()
            if self._args.mlir_output_format == "json":
                say(timing_json(total))
            else:
                say(timing_text(total, as_list=self._args.mlir_timing_display == "list"))


def _timing() -> TimeTree:
    from lamina.passes.framework.timing import TimeTree

    return TimeTree()


def _dumps(args: OptArguments) -> Iterable[Instrumentation]:
    from lamina.tools.opt.printing import Form

    form = Form.of(args).for_dumps
    if args.mlir_print_ir_tree_dir or _asks_for_dumps(args):
        from lamina.tools.opt.dumps import PrintIR

        yield PrintIR(args, form)
    if args.print_diff:
        from lamina.tools.opt.differences import PrintDiff

        yield PrintDiff(form)


def _why_not(args: OptArguments) -> WhyNot | None:
    if not args.why_not:
        return None
    from lamina.tools.opt.why_not import WhyNot

    return WhyNot(args.why_not)


def _asks_for_dumps(args: OptArguments) -> bool:
    return bool(
        args.mlir_print_ir_before
        or args.mlir_print_ir_before_all
        or args.mlir_print_ir_after
        or args.mlir_print_ir_after_all
        or args.mlir_print_ir_after_change
        or args.mlir_print_ir_after_failure
    )
