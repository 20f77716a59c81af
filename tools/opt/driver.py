"""What ``lamina-opt`` does with a file: read, verify, run the passes, print, part by part."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from lamina.dialects.core.context import make_context
from lamina.dialects.core.diagnostics import LaminaError, Location, error, op_name
from lamina.dialects.core.text import parse
from lamina.dialects.core.verifier import verify
from lamina.passes.framework.pipeline import PIPELINE_NAME, Pipeline, parse_pipeline
from lamina.tools.console import read_text, remember_source, show_traceback
from lamina.tools.opt.arguments import DEFAULT_MARKER, OptArguments
from lamina.tools.opt.diagnostics import Reports, VerifiedReports
from lamina.tools.opt.parts import split_text, starts_with_module
from lamina.tools.opt.printing import Form
from lamina.tools.opt.watching import Watching
from lamina.tools.output import write_with


def transform(args: OptArguments, pipeline_text: str) -> int:
    """Run a pipeline on each part of a file; returns the exit status."""
    remember_source(PIPELINE_NAME, pipeline_text)
    pipeline = None if args.no_implicit_module else parse_pipeline(pipeline_text)
    watching = Watching(args)
    if pipeline is not None:
        watching.announce(pipeline)
    text, name = read_text(args.file)
    parts = split_text(text, args.split_input_file)
    del text
    results: list[Operation | None] = []
    well = True
    try:
        while parts:
            part = _Part(args, parts.pop(0), name, pipeline, pipeline_text, watching)
            results.append(part.process())
            well &= part.reports.finish()
        with watching.stage("Output"):
            _write(args, results, whole=well)
    finally:
        watching.finish()
    return 0 if well else 1


def _write(args: OptArguments, results: list[Operation | None], *, whole: bool) -> None:
    """Write the results; a file only if nothing failed, standard output as far as there is something."""
    if not whole and (args.output != "-" or len(results) == 1 or not any(results)):
        return
    form = Form.of(args)
    marker = args.output_split_marker
    if marker is None:
        marker = DEFAULT_MARKER if args.split_input_file is not None else ""

    def write(stream: IO[str]) -> None:
        for number, result in enumerate(results):
            if number:
                stream.write(marker + "\n")
            if result is not None:
                form.write(result, stream)

    write_with(args.output, write)


class _Part:
    """One part of the file on its way from text to result."""

    def __init__(
        self,
        args: OptArguments,
        text: str,
        name: str,
        pipeline: Pipeline | None,
        pipeline_text: str,
        watching: Watching,
    ) -> None:
        self._args = args
        self._text = text
        self._name = name
        self._pipeline = pipeline
        self._pipeline_text = pipeline_text
        self._watching = watching
        self._verify_each = args.verify_each
        mode = args.verify_diagnostics
        self.reports = (
            Reports() if mode is None else VerifiedReports(text, name, only_expected=mode == "only-expected")
        )

    def process(self) -> Operation | None:
        """The result, or None where an error was reported."""
        try:
            return self._processed()
        except LaminaError as problem:
            if self._args.debug:
                show_traceback(problem)
            self.reports.fail(problem)
            for diagnostic in self._watching.take_last_diagnostics():
                self.reports.emit(diagnostic)
            return None

    def _processed(self) -> Operation:
        args = self._args
        context = make_context(allow_unregistered=args.allow_unregistered_dialect)
        with self._watching.stage("Parser"):
            root = self._read(parse(self._text, self._name, context))
            if not args.no_verify:
                verify(root)
        if args.verify_roundtrip:
            from lamina.tools.opt.roundtrip import check_roundtrip

            check_roundtrip(root, context)
        pipelines = self._pipelines(root)
        if any(pipeline.items for pipeline in pipelines) or args.mlir_generate_reproducer:
            self._run(root, pipelines, context)
        return root

    def _run(self, root: Operation, pipelines: list[Pipeline], context: Context) -> None:
        """Run the passes."""
        from lamina.passes.framework.manager import PassManager

        self._watching.prepare_reproducer(self._text, pipelines, verify_each=self._verify_each)
        self._text = ""  # the text of large constants takes more memory than they do
        manager = PassManager(
            context,
            self._verify_each,
            self._watching.instrumentation,
            self._watching.statistics,
            emit=self.reports.emit,
            counts=self._watching.counts,
        )
        with self._checks():
            for pipeline in pipelines:
                manager.run(root, pipeline)

    def _checks(self) -> AbstractContextManager[None]:
        """What is checked of patterns while they run."""
        if not self._args.check_patterns:
            return nullcontext()
        from lamina.passes.framework.matching import CheckedPatterns, watching

        return watching(CheckedPatterns())

    def _read(self, module: ModuleOp) -> Operation:
        """What passes run on: the module, or without an implicit one the op of the text."""
        if not self._args.no_implicit_module or starts_with_module(self._text):
            return module
        found = list(module.body.block.ops)
        if len(found) != 1:
            message = f"source must contain a single top-level operation, found: {len(found)}"
            raise error(message, Location(self._name))
        found[0].detach()
        return found[0]

    def _pipelines(self, root: Operation) -> list[Pipeline]:
        """What is to run on the op: the pipeline of the command line, then that of a reproducer."""
        first = self._pipeline
        if first is None:
            first = parse_pipeline(self._pipeline_text, op_name(root))
            self._watching.announce(first)
        if not self._args.run_reproducer:
            return [first]
        from lamina.tools.opt.reproducers import Reproducer

        made = Reproducer.of(self._text, self._name)
        self._verify_each = made.verify_each
        remember_source(PIPELINE_NAME, made.pipeline)
        second = parse_pipeline(made.pipeline, op_name(root))
        return [first, second] if first.items else [second]
