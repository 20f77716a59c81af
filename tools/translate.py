"""``lamina-translate``: between file formats and IR text, without changing what is said."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from lamina.tools.arguments import ToolParser
from lamina.tools.console import read_text, run_tool
from lamina.tools.output import write_text, write_with


def build_parser() -> argparse.ArgumentParser:
    """The options of ``lamina-translate``."""
    parser = ToolParser("lamina-translate", "Translate between file formats and IR text.")
    parser.add_argument("file", nargs="?", default="-", help="file to read (default: standard input)")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--import-onnx", action="store_true", help="an ONNX file to the onnx dialect")
    what.add_argument("--mlir-to-llvmir", action="store_true", help="the llvm dialect to LLVM IR")
    parser.add_argument("-o", dest="output", metavar="FILE", help="file to write (default: standard output)")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``lamina-translate``; returns the exit status."""
    return run_tool(_run, argv)


def _run(arguments: Sequence[str]) -> int:
    args = build_parser().parse_args(arguments)
    if args.import_onnx:
        _import_onnx(args.file, args.output)
    else:
        write_text(args.output, _llvm_ir_of(args.file))
    return 0


def _import_onnx(path: str, output: str | None) -> None:
    from lamina.dialects.core.printer import print_ir
    from lamina.lowering.formats.onnx_reader import load_onnx

    module = load_onnx(sys.stdin.buffer.read() if path == "-" else path)
    write_with(output, lambda stream: print_ir(module, stream))


def _llvm_ir_of(path: str) -> str:
    from lamina.lowering.api import parse
    from lamina.lowering.formats.llvm_ir import emit_llvm_ir

    text, name = read_text(path)
    return emit_llvm_ir(parse(text, name=name))


if __name__ == "__main__":
    sys.exit(main())
