"""The options of ``lamina-opt``: MLIR's names where ``mlir-opt`` has the option."""

from __future__ import annotations

from dataclasses import dataclass

from lamina.tools.command_line import flag, value, whole_number

_INPUT, _PASSES, _OUTPUT = "reading", "running passes", "printing the result"
_DUMPS, _TABLES, _FAULTS = "watching passes", "measuring passes", "finding faults"
_PLUGINS, _LISTS = "adding to Lamina", "telling what there is"

DEFAULT_MARKER = "// -----"


def _most_in_decimal(text: str) -> int | None:
    """A number of elements, or -1 for no limit."""
    return None if text == "-1" else whole_number(text)


@dataclass(init=False, repr=False, eq=False)  # methods that nobody needs take time to make
class OptArguments:
    """What a command line of ``lamina-opt`` asks for."""

    file: str = "-"

    allow_unregistered_dialect: bool = flag("Accept operations that no dialect defines", _INPUT)
    split_input_file: str | None = value(
        "Process the parts between lines '// -----' (or another marker) one by one",
        _INPUT,
        "MARKER",
        implied=DEFAULT_MARKER,
    )
    no_implicit_module: bool = flag("Do not put a module around a text that has none", _INPUT)
    verify_roundtrip: bool = flag("Check that what was read is the same after printing and reading", _INPUT)
    no_verify: bool = flag("Do not verify what was read", _INPUT)

    pass_pipeline: str | None = value(
        "Passes to run, as builtin.module(func.func(canonicalize,cse))", _PASSES, "TEXT"
    )
    verify_each: bool = flag("Verify after each pass", _PASSES, default=True)
    verify_diagnostics: str | None = value(
        "Check that diagnostics are those of the comments expected-error {{…}}, -warning, -remark, -note",
        _PASSES,
        "WHICH",
        choices=("all", "only-expected"),
        implied="all",
    )
    dump_pass_pipeline: bool = flag("Print the pipeline before it runs", _PASSES)
    mlir_disable_threading: bool = flag(
        "Accepted for mlir-opt's sake: passes run one after the other", _PASSES
    )

    output: str = value("File to write", _OUTPUT, "FILE", default="-", name="o", kind="file")
    output_split_marker: str | None = value("What stands between the parts of the result", _OUTPUT, "MARKER")
    mlir_print_op_generic: bool = flag("Print the generic form", _OUTPUT)
    mlir_print_debuginfo: bool = flag("Print locations", _OUTPUT)
    mlir_pretty_debuginfo: bool = flag("Print locations in a short form that is not read back", _OUTPUT)
    mlir_print_local_scope: bool = flag(
        "Print types, attributes and locations in place, not as aliases", _OUTPUT
    )
    mlir_elide_elementsattrs_if_larger: int | None = value(
        "Leave out constants of more elements", _OUTPUT, "N", convert=whole_number
    )
    mlir_print_elementsattrs_with_hex_if_larger: int | None = value(
        "Print constants of more elements as hexadecimal digits (-1: none)",
        _OUTPUT,
        "N",
        default=100,
        convert=_most_in_decimal,
    )
    mlir_elide_resource_strings_if_larger: int | None = value(
        "Leave out the data of resources of more characters", _OUTPUT, "N", convert=whole_number
    )

    mlir_print_ir_before: tuple[str, ...] = value(
        "Print the IR before these passes", _DUMPS, "PASS", repeated=True, kind="pass"
    )
    mlir_print_ir_before_all: bool = flag("Print the IR before each pass", _DUMPS)
    mlir_print_ir_after: tuple[str, ...] = value(
        "Print the IR after these passes", _DUMPS, "PASS", repeated=True, kind="pass"
    )
    mlir_print_ir_after_all: bool = flag("Print the IR after each pass", _DUMPS)
    mlir_print_ir_after_change: bool = flag("Print the IR after a pass only if it changed", _DUMPS)
    mlir_print_ir_after_failure: bool = flag("Print the IR after a pass only if the pass failed", _DUMPS)
    mlir_print_ir_module_scope: bool = flag("Print the whole module, not only the op of the pass", _DUMPS)
    mlir_print_ir_tree_dir: str | None = value(
        "Write the dumps to files in a tree of folders like the IR", _DUMPS, "FOLDER", kind="folder"
    )
    why_not: str | None = value(
        "Tell why the patterns of a pass did not match, everywhere or on a line",
        _DUMPS,
        "PASS[@LINE]",
        kind="pass",
    )
    print_diff: bool = flag("Print what each pass changed, as a diff", _DUMPS)

    mlir_timing: bool = flag("Print the time of each pass", _TABLES)
    mlir_timing_display: str = value(
        "Form of the times", _TABLES, "FORM", default="tree", choices=("list", "tree")
    )
    mlir_output_format: str = value(
        "Format of the times", _TABLES, "FORMAT", default="text", choices=("text", "json")
    )
    mlir_pass_statistics: bool = flag("Print what each pass counted", _TABLES)
    mlir_pass_statistics_display: str = value(
        "Form of the counts", _TABLES, "FORM", default="pipeline", choices=("list", "pipeline")
    )

    mlir_pass_pipeline_crash_reproducer: str | None = value(
        "Where a pass fails, write input and pipeline to a file that runs again", _FAULTS, "FILE", kind="file"
    )
    mlir_generate_reproducer: str | None = value(
        "Write input and pipeline to such a file in any case", _FAULTS, "FILE", kind="file"
    )
    run_reproducer: bool = flag("Run the pipeline that stands in the input", _FAULTS)
    check_patterns: bool = flag("Find patterns whose changes are not those they report", _FAULTS)
    debug: bool = flag("Show the traceback of an error", _FAULTS)

    load: tuple[str, ...] = value(
        "Load passes and dialects from a Python file or module",
        _PLUGINS,
        "FILE|MODULE",
        repeated=True,
        kind="file",
    )
    irdl_file: str | None = value("Register the dialects of an IRDL file", _PLUGINS, "FILE", kind="file")

    list_passes: bool = flag("List all passes and named pipelines", _LISTS)
    show_dialects: bool = flag("List the registered dialects", _LISTS)
    version: bool = flag("Print versions", _LISTS)
    help: bool = flag("Print this text", _LISTS)
    h: bool = flag("Print this text", _LISTS)


USAGE = """usage: lamina-opt [FILE] [--PASS[=OPTIONS] …] [OPTION …]

Run passes on MLIR text; FILE is - (standard input) if it is left out."""

EPILOG = """Each pass (--list-passes) and each named pipeline (--lower-to-linalg, --lower-to-loops,
--lower-to-llvm) is also an option, with its own options as value: --canonicalize="max-iterations=4". They
run in the order in which they stand. Dumps, tables and diagnostics go to standard error."""
