"""``lamina-run``: run a model, compiled or interpreted, on arrays from a file or on random ones."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from lamina.tools.arguments import ToolParser, separate, whole_number
from lamina.tools.console import read_text, run_tool, say, wait_for
from lamina.tools.output import show, whole_file, write_text

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np

    from lamina.lowering.codegen.signature import ArrayInfo

    _Runnable: TypeAlias = tuple[Sequence[ArrayInfo], Sequence[ArrayInfo], Callable[[dict[str, Any]], Any]]

_HINTS = {
    False: "give --inputs FILE.npz or --random-inputs SEED",
    True: "the code depends on their shapes: give --shape NAME=1x2x3 for each that is open",
}
"""How a run, or code to write, comes by what the inputs are."""


def build_parser() -> argparse.ArgumentParser:
    """The options of ``lamina-run``."""
    parser = ToolParser("lamina-run", "Run a model.")
    add = parser.add_argument
    add("file", help="a model: .onnx or .mlir, at any level; - is IR text from standard input")
    add("--entry", default="main", help="the function to run (default: main)")
    given = parser.add_mutually_exclusive_group()
    given.add_argument("--inputs", metavar="FILE.npz", help="arrays by input name")
    given.add_argument(
        "--random-inputs", metavar="SEED", type=whole_number(0), help="random arrays from this seed"
    )
    add("--shape", action="append", default=[], metavar="NAME=1x2x3", help="the shape of a random input")
    add(
        "--outputs",
        metavar="FILE.npz",
        help="write the results, or the arguments of an entry without any, by name (default: print)",
    )
    add("--interpret", action="store_true", help="run the reference interpreter instead of compiled code")
    add(
        "--load",
        action="extend",
        type=separate,
        default=[],
        metavar="FILE|MODULE",
        help="load passes and dialects from a Python file or module",
    )
    add("--threads", type=whole_number(1), metavar="N", help="threads that a call may use")
    kept = parser.add_mutually_exclusive_group()
    kept.add_argument(
        "--cache",
        metavar="FOLDER",
        help="where compiled code is kept for the next start (default: $LAMINA_CACHE, or the user's)",
    )
    kept.add_argument("--no-cache", action="store_true", help="compile, and keep nothing")
    add("--benchmark", type=whole_number(1), metavar="N", help="time N calls and print the median")
    add("--profile", action="store_true", help="print time, GFLOP/s and GB/s of each kernel")
    add("--emit", choices=["llvm", "asm", "obj"], help="write the code instead of running it (see -o)")
    add("-o", dest="output", metavar="FILE", help="where --emit writes (default: standard output)")
    add("--debug", action="store_true", help="show the traceback of an error")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``lamina-run``; returns the exit status."""
    return run_tool(_run, argv)


def _run(arguments: Sequence[str]) -> int:
    parser = build_parser()
    args = parser.parse_args(arguments)
    _check(parser, args)

    from lamina.tools.arrays import summary, write_arrays

    if args.load:
        from lamina.tools.plugins import load

        load(args.load)
    args.model = _model(args.file)
    inputs, outputs, call = _interpreted(args) if args.interpret else _compiled(args)
    if args.emit:
        return 0
    arrays = _arrays(args, inputs)
    results = wait_for(lambda: call(arrays))
    if not outputs:  # what it did, it did to the buffers that it was given
        outputs, results = inputs, tuple(array.copy() for array in arrays.values())
    if args.benchmark:
        say(wait_for(lambda: _benchmark(lambda: call(arrays), args.benchmark)))
    if args.profile:
        say(str(wait_for(lambda: _profile(args, arrays))))
    if args.outputs:
        write_arrays(args.outputs, outputs, results)
    else:
        show(summary(outputs, results))
    return 0


def _check(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """Options that only go together; what argparse cannot say."""
    if args.shape and args.inputs:
        parser.error("argument --shape: not allowed with argument --inputs, which has its own shapes")
    if args.output and not args.emit:
        parser.error("argument -o: only --emit writes code; --outputs writes results")
    if args.emit == "obj" and args.output in (None, "-"):
        parser.error("argument --emit: an object needs -o FILE")
    if args.profile and (args.emit or args.interpret):
        parser.error(
            "argument --profile: not allowed with --emit or --interpret: it is of compiled code that runs"
        )
    if args.emit and args.interpret:
        parser.error("argument --emit: not allowed with argument --interpret")


def _model(file: str) -> Any:
    """What to compile: a file, which is read only where its code is not kept, or the text of a pipe."""
    if file != "-":
        return file
    from lamina.lowering.api import module_of

    return module_of(*read_text(file))


def _interpreted(args: argparse.Namespace) -> _Runnable:
    from lamina.lowering.api import interpret, load
    from lamina.lowering.signature import find_entry, signature_of

    module = load(args.model) if isinstance(args.model, str) else args.model
    signature = signature_of(find_entry(module, args.entry))

    def call(arrays: dict[str, Any]) -> Any:
        return interpret(module, *arrays.values(), entry=args.entry)

    return signature.inputs, signature.outputs, call


def _compiled(args: argparse.Namespace) -> _Runnable:
    executable = _executable(args)
    if args.emit:
        if isinstance(executable, _specialized()):
            executable = executable.executable_for(*_arrays(args, executable.inputs).values())
        _emit(executable, args)
    return executable.inputs, executable.outputs, executable.run


def _executable(args: argparse.Namespace) -> Any:
    from lamina.lowering.compilation import compile

    return compile(args.model, args.entry, args.threads, cache=False if args.no_cache else args.cache)


def _specialized() -> type:
    from lamina.lowering.specialized import Specialized

    return Specialized


def _profile(args: argparse.Namespace, arrays: dict[str, Any]) -> Any:
    return _executable(args).profile(*arrays.values())


def _emit(executable: Any, args: argparse.Namespace) -> None:
    if args.emit == "obj":
        with whole_file(args.output) as temporary:
            temporary.write_bytes(executable.object_bytes())
        return
    write_text(args.output, executable.llvm_ir() if args.emit == "llvm" else executable.asm())


def _arrays(args: argparse.Namespace, inputs: Sequence[ArrayInfo]) -> dict[str, np.ndarray]:
    from lamina.dialects.core.diagnostics import error
    from lamina.tools.arrays import random_arrays, read_arrays, read_shapes

    if args.inputs:
        return read_arrays(args.inputs, inputs)
    shapes_suffice = args.emit and args.shape
    if args.random_inputs is None and inputs and not shapes_suffice:
        names = ", ".join(map(str, inputs))
        raise error(f"the model needs inputs: {names}", hint=_HINTS[bool(args.emit)])
    return random_arrays(inputs, args.random_inputs or 0, read_shapes(args.shape, inputs))


def _benchmark(call: Callable[[], Any], rounds: int) -> str:
    import statistics

    seconds = []
    for _ in range(rounds):
        started = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - started)
    spread = f"fastest {1e3 * min(seconds):.3f} ms, slowest {1e3 * max(seconds):.3f} ms"
    return f"{len(seconds)} calls: median {1e3 * statistics.median(seconds):.3f} ms, {spread}"


if __name__ == "__main__":
    sys.exit(main())
