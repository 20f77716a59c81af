"""``lamina-opt``: run passes on textual IR."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING

from lamina.tools.arguments import ToolParser, whole_number
from lamina.tools.console import read_text, remember_source, report, run_tool, say
from lamina.tools.output import show, write_with

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from lamina.dialects.core.diagnostics import Diagnostic
    from lamina.passes.framework.pipeline import Pipeline
    from lamina.tools.printing import Watching

_EPILOG = """passes: each pass (--list-passes) and each named pipeline (--lower-to-linalg, --lower-to-loops,
--lower-to-llvm) is also a flag, with its options as value: --canonicalize="max-rewrites=1000". Flags run in
the order in which they stand."""
_SEPARATOR = re.compile(r"^//[ \t]*-----[ \t]*\n", re.MULTILINE)


def build_parser() -> argparse.ArgumentParser:
    """The options of ``lamina-opt``, without the passes (which are not imported to show the help)."""
    parser = ToolParser("lamina-opt", "Run passes on MLIR text.", _EPILOG)
    add = parser.add_argument
    add("file", nargs="?", default="-", help="file to read (default: standard input)")
    add("-o", dest="output", metavar="FILE", help="file to write (default: standard output)")
    add(
        "--pass-pipeline",
        metavar="TEXT",
        help="passes to run, as builtin.module(func.func(canonicalize,cse))",
    )
    add("--allow-unregistered-dialect", action="store_true", help="accept operations that no dialect defines")
    add(
        "--split-input-file",
        action="store_true",
        help="process the parts between '// -----' lines one by one",
    )
    add(
        "--verify-each",
        metavar="BOOL",
        default="true",
        choices=["true", "false", "1", "0"],
        help="verify after each pass (default: true)",
    )
    add("--no-verify", action="store_true", help="do not verify the input either")
    add("--mlir-print-op-generic", action="store_true", help="print the generic form")
    add("--mlir-print-debuginfo", action="store_true", help="print locations")
    add(
        "--mlir-elide-elementsattrs-if-larger",
        metavar="N",
        type=whole_number(0),
        help="leave out constants of more elements",
    )
    add("--mlir-print-ir-before-all", action="store_true", help="print the IR before each pass, to stderr")
    add("--mlir-print-ir-after-all", action="store_true", help="print the IR after each pass, to stderr")
    add(
        "--mlir-print-ir-tree-dir",
        metavar="DIR",
        help="write the IR after each pass to a numbered file in DIR",
    )
    add("--mlir-timing", action="store_true", help="print the time of each pass to stderr")
    add("--mlir-pass-statistics", action="store_true", help="print the statistics of each pass to stderr")
    add("--dump-pass-pipeline", action="store_true", help="print the pipeline to stderr before it runs")
    add("--list-passes", action="store_true", help="list all passes and named pipelines")
    add("--show-dialects", action="store_true", help="list the registered dialects")
    add("--debug", action="store_true", help="show the traceback of an error")
    add("--version", action="store_true", help="print versions")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``lamina-opt``; returns the exit status."""
    return run_tool(_run, argv)


def _run(arguments: Sequence[str]) -> int:
    parser = build_parser()
    args, flags = parser.parse_known_intermixed_args(arguments)
    if args.version:
        from lamina.tools.doctor import version_text

        show(version_text())
    elif args.list_passes:
        show(_list_of_passes())
    elif args.show_dialects:
        from lamina.dialects.core.context import make_context

        show("\n".join(sorted(make_context().registered_dialect_names)))
    else:
        _check_flags(parser, args, flags)
        return _transform(args, _pipeline_of(args, flags))
    return 0


def _check_flags(parser: argparse.ArgumentParser, args: argparse.Namespace, flags: Sequence[str]) -> None:
    """What argparse did not know must be passes; anything else is a wrong use of the options."""
    for flag in flags:
        if not re.match(r"--?[A-Za-z]", flag):
            parser.error(f"unexpected argument '{flag}': one file is read")
        name = flag.lstrip("-").partition("=")[0]
        if not _is_pass(name):
            parser.error(f"there is no option or pass '{flag.partition('=')[0]}'{_suggestion(parser, name)}")
    if flags and args.pass_pipeline is not None:
        parser.error("give passes as flags or with --pass-pipeline, not both")


def _is_pass(name: str) -> bool:
    from lamina.dialects.core.diagnostics import LaminaError
    from lamina.passes.framework.registry import find_pass, find_pipeline

    if find_pipeline(name):
        return True
    try:
        find_pass(name)
    except LaminaError:
        return False
    return True


def _suggestion(parser: argparse.ArgumentParser, name: str) -> str:
    from lamina.dialects.core.diagnostics import did_you_mean
    from lamina.passes.framework.registry import pass_names, pipeline_names

    options = [s for action in parser._actions for s in action.option_strings]
    near = did_you_mean(f"--{name}", options + [f"--{n}" for n in (*pass_names(), *pipeline_names())])
    return f"; {near}" if near else ""


def _pipeline_of(args: argparse.Namespace, flags: Sequence[str]) -> Pipeline:
    """The pipeline of ``--pass-pipeline``, or of the passes given as flags, in order."""
    from lamina.passes.framework.pipeline import PIPELINE_NAME, parse_pipeline

    text = args.pass_pipeline or ""
    if flags:
        pairs = (flag.lstrip("-").partition("=") for flag in flags)
        text = ",".join(f"{name}{{{options}}}" if options else name for name, _, options in pairs)
    remember_source(PIPELINE_NAME, text)
    return parse_pipeline(text)


def _transform(args: argparse.Namespace, pipeline: Pipeline) -> int:
    """Read, run the pipeline on each part, and write all of them if none failed."""
    from lamina.dialects.core.diagnostics import LaminaError
    from lamina.dialects.core.printer import print_ir
    from lamina.tools.printing import Watching

    if args.dump_pass_pipeline:
        say(f"Pass Manager with {len(pipeline.items)} passes:\n{pipeline.text()}")
    text, name = read_text(args.file)
    watching = Watching.of(args)
    parts = _parts(text) if args.split_input_file else [text]
    del text
    modules: list[ModuleOp] = []
    failures: list[Diagnostic] = []
    try:
        while parts:
            try:
                modules.append(_process(args, pipeline, parts.pop(0), name, watching))
            except LaminaError as problem:
                if not args.split_input_file or args.debug:
                    raise
                failures += problem.diagnostics
    finally:
        watching.finish()
    if failures:
        raise LaminaError(*failures)

    def write(stream: IO[str]) -> None:
        for number, module in enumerate(modules):
            if number:
                stream.write("// -----\n")
            print_ir(
                module,
                stream,
                args.mlir_print_op_generic,
                args.mlir_print_debuginfo,
                args.mlir_elide_elementsattrs_if_larger,
            )

    write_with(args.output, write)
    return 0


def _parts(text: str) -> list[str]:
    """The parts of a text between separators, each at its line in the whole."""
    parts, line = [], 0
    for part in _SEPARATOR.split(text):
        parts.append("\n" * line + part)
        line += part.count("\n") + 1
    return parts


def _process(
    args: argparse.Namespace, pipeline: Pipeline, text: str, name: str, watching: Watching
) -> ModuleOp:
    from lamina.dialects.core.context import make_context
    from lamina.dialects.core.text import parse
    from lamina.dialects.core.verifier import verify
    from lamina.passes.framework.manager import PassManager

    context = make_context(allow_unregistered=args.allow_unregistered_dialect)
    module = parse(text, name, context)
    del text
    if not args.no_verify:
        verify(module)
    manager = PassManager(
        context,
        args.verify_each in ("true", "1"),
        watching.instrumentation,
        watching.statistics,
        debug=args.debug,
    )
    try:
        manager.run(module, pipeline)
    finally:
        for diagnostic in manager.diagnostics:
            report(diagnostic)
    return module


def _list_of_passes() -> str:
    from lamina.passes.framework.registry import all_passes, find_pipeline, pipeline_names

    width = max(len(p.name) for p in all_passes()) + 2
    lines = [f"{declaration.name:<{width}}{declaration.summary()}" for declaration in all_passes()]
    lines += ["", "named pipelines:"]
    for name in pipeline_names():
        named = find_pipeline(name)
        assert named is not None
        lines.append(f"{name:<{width}}{named.summary}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
