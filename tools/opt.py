"""``lamina-opt``: run passes on textual IR."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from lamina.dialects.core.context import make_context
from lamina.dialects.core.text import parse, to_text
from lamina.dialects.core.verifier import verify
from lamina.passes.framework.manager import PassManager
from lamina.passes.framework.pipeline import PIPELINE_NAME, Pipeline, parse_pipeline
from lamina.passes.framework.timing import TimePasses
from lamina.tools.console import read_text, remember_source, report, run_tool, write_text
from lamina.tools.printing import PrintIR, print_statistics, print_timing

_EPILOG = """passes: each pass (--list-passes) and each named pipeline (--lower-to-linalg, --lower-to-loops,
--lower-to-llvm) is also a flag, with its options as value: --canonicalize="max-rewrites=1000". Flags run in
the order in which they stand."""


def build_parser() -> argparse.ArgumentParser:
    """The options of ``lamina-opt``, without the passes (which are not imported to show the help)."""
    parser = argparse.ArgumentParser(
        "lamina-opt", description="Run passes on MLIR text.", epilog=_EPILOG, allow_abbrev=False
    )
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
        type=int,
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
    parser = build_parser()
    known, rest = parser.parse_known_intermixed_args(list(sys.argv[1:] if argv is None else argv))
    return run_tool(lambda: _run(parser, known, rest), debug=known.debug)


def _run(parser: argparse.ArgumentParser, args: argparse.Namespace, rest: list[str]) -> int:
    if args.version:
        from lamina.tools.doctor import version_text

        print(version_text())
        return 0
    if args.list_passes:
        return _list_passes()
    if args.show_dialects:
        print("\n".join(sorted(make_context().registered_dialect_names)))
        return 0
    pipeline = _pipeline_of(args, rest)
    if args.dump_pass_pipeline:
        print(f"Pass Manager with {len(pipeline.items)} passes:\n{pipeline.text()}", file=sys.stderr)
    text, name = read_text(args.file)
    if not args.split_input_file:
        write_text(args.output, _process(args, pipeline, text, name))
        return 0
    parts, line = [], 0
    for part in text.split("// -----\n"):
        # Lines are counted from the start of the whole file.
        parts.append(_process(args, pipeline, "\n" * line + part, name))
        line += part.count("\n") + 1
    write_text(args.output, "// -----\n".join(parts))
    return 0


def _pipeline_of(args: argparse.Namespace, rest: list[str]) -> Pipeline:
    """The pipeline of ``--pass-pipeline`` and the passes given as flags, in order."""
    items = [args.pass_pipeline] if args.pass_pipeline else []
    for flag in rest:
        name, _, options = flag.removeprefix("--").removeprefix("-").partition("=")
        items.append(f"{name}{{{options}}}" if options else name)
    text = ",".join(items)
    remember_source(PIPELINE_NAME, text)
    return parse_pipeline(text)


def _process(args: argparse.Namespace, pipeline: Pipeline, text: str, name: str) -> str:
    context = make_context(allow_unregistered=args.allow_unregistered_dialect)
    module = parse(text, name, context)
    if not args.no_verify:
        verify(module)
    manager = PassManager(context, args.verify_each in ("true", "1"), debug=args.debug)
    timing = TimePasses()
    manager.instrumentation.append(timing)
    elide = args.mlir_elide_elementsattrs_if_larger
    if args.mlir_print_ir_before_all or args.mlir_print_ir_after_all or args.mlir_print_ir_tree_dir:
        printing = PrintIR(
            args.mlir_print_ir_before_all, args.mlir_print_ir_after_all, args.mlir_print_ir_tree_dir, elide
        )
        manager.instrumentation.append(printing)
    try:
        manager.run(module, pipeline)
    finally:
        for diagnostic in manager.diagnostics:
            report(diagnostic)
        if args.mlir_timing:
            print_timing(timing)
        if args.mlir_pass_statistics:
            print_statistics(manager.statistics)
    return to_text(module, args.mlir_print_op_generic, args.mlir_print_debuginfo, elide)


def _list_passes() -> int:
    from lamina.passes.framework.registry import all_passes, find_pipeline, pipeline_names

    width = max(len(p.name) for p in all_passes()) + 2
    for declaration in all_passes():
        print(f"{declaration.name:<{width}}{declaration.summary()}")
    print("\nnamed pipelines:")
    for name in pipeline_names():
        named = find_pipeline(name)
        assert named is not None
        print(f"{name:<{width}}{named.summary}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
