"""Writing reproducers: where a pass fails by its own fault, or where an option asks for one."""

from __future__ import annotations

import os
from pathlib import Path

from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import Diagnostic, LaminaError, location_of, note, op_name
from lamina.passes.framework.instrumentation import Instrumentation
from lamina.passes.framework.passes import Pass
from lamina.passes.framework.pipeline import Pipeline
from lamina.tools.opt.arguments import OptArguments
from lamina.tools.output import write_text

_LARGEST_UNASKED = 16 << 20
"""Characters of a text above which a reproducer is only written where an option asks for it."""


class CrashReproducer(Instrumentation):
    """Keeps the text and the pipeline that run, and writes them to a file where a pass fails."""

    def __init__(self, args: OptArguments) -> None:
        self._args = args
        self._text: str | None = None
        self._pipelines: list[Pipeline] = []
        self._verify_each = True
        self._diagnostics: list[Diagnostic] = []

    def prepare(self, text: str, pipelines: list[Pipeline], *, verify_each: bool) -> None:
        """Know what would have to be reproduced; write it now for ``--mlir-generate-reproducer``."""
        asked = self._args.mlir_pass_pipeline_crash_reproducer or self._args.mlir_generate_reproducer
        self._text = text if asked or len(text) <= _LARGEST_UNASKED else None
        self._pipelines = pipelines
        self._verify_each = verify_each
        if self._args.mlir_generate_reproducer:
            self._write(self._args.mlir_generate_reproducer)

    def failed(self, pass_: Pass, op: Operation, problem: LaminaError) -> None:
        from lamina.passes.framework.failures import PassFault

        if self._diagnostics or self._text is None:
            return
        asked = self._args.mlir_pass_pipeline_crash_reproducer
        if asked:
            self._write(asked)
            self._diagnostics = [_mlir_message(pass_, op, asked)]
        elif isinstance(problem, PassFault) and not self._args.run_reproducer:
            import tempfile

            handle, path = tempfile.mkstemp(prefix=f"lamina-{pass_.name}-", suffix=".mlir")
            os.close(handle)
            command = " ".join(self._write(path))
            self._diagnostics = [Diagnostic(f"it can be reproduced by: {command}", severity="note")]

    def take_diagnostics(self) -> list[Diagnostic]:
        """What is to be said of the reproducer that was written, once."""
        taken, self._diagnostics = self._diagnostics, []
        return taken

    def _write(self, path: str) -> list[str]:
        """Write the reproducer; returns the command that runs it, which ends with the path."""
        from lamina.tools.opt.reproducers import Reproducer, reproducer_text

        assert self._text is not None
        first = self._pipelines[0]
        whole = Pipeline(first.anchor, [item for pipeline in self._pipelines for item in pipeline.items])
        made = Reproducer(whole.text(defaults=True), self._verify_each)
        command = ["lamina-opt", "--run-reproducer", *self._needed_options(), path]
        write_text(path, reproducer_text(self._text, made, command))
        return command

    def _needed_options(self) -> list[str]:
        args = self._args
        options = [f"--load={_from_anywhere(name)}" for name in args.load]
        if args.irdl_file:
            options.append(f"--irdl-file={_from_anywhere(args.irdl_file)}")
        if args.allow_unregistered_dialect:
            options.append("--allow-unregistered-dialect")
        if args.no_implicit_module:
            options.append("--no-implicit-module")
        return options


def _from_anywhere(name: str) -> str:
    """The path of a file as every working folder can use it; the name of a module stays."""
    return str(Path(name).resolve()) if Path(name).is_file() else name


def _mlir_message(pass_: Pass, op: Operation, path: str) -> Diagnostic:
    """What ``mlir-opt`` says of a reproducer that it has written."""
    from lamina.passes.framework.display_names import display_name

    name = op.get_attr_or_prop("sym_name")
    symbol = f": @{name.data}" if name is not None and hasattr(name, "data") else ""  # pyright: ignore[reportAttributeAccessIssue]
    executing = f"[`{display_name(pass_)}` on '{op_name(op)}' operation{symbol}]"
    return Diagnostic(
        "Failures have been detected while processing an MLIR pass pipeline",
        location_of(op),
        notes=(note(f"Pipeline failed while executing {executing}: reproducer generated at `{path}`", op),),
    )
