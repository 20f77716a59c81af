"""``--mlir-print-ir-*``: the IR before and after passes, on standard error or in a tree of files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import LaminaError, Location, did_you_mean, error, op_name
from lamina.passes.framework.display_names import display_name
from lamina.passes.framework.fingerprint import fingerprint
from lamina.passes.framework.instrumentation import Instrumentation
from lamina.passes.framework.passes import Pass
from lamina.passes.framework.pipeline import Pipeline
from lamina.passes.framework.walk import root_of
from lamina.tools.console import say
from lamina.tools.opt.arguments import OptArguments
from lamina.tools.opt.printing import Form
from lamina.tools.output import write_text


class PrintIR(Instrumentation):
    """Dumps, with the headers that ``mlir-opt`` gives them."""

    def __init__(self, args: OptArguments, form: Form) -> None:
        self._before = None if args.mlir_print_ir_before_all else args.mlir_print_ir_before
        after_all = args.mlir_print_ir_after_all
        # Alone, a condition or a folder stands for the dumps after all passes.
        before = args.mlir_print_ir_before or args.mlir_print_ir_before_all
        chosen = args.mlir_print_ir_after_change or args.mlir_print_ir_after_failure
        alone = chosen or (args.mlir_print_ir_tree_dir is not None and not before)
        after_all |= alone and not args.mlir_print_ir_after
        self._after = None if after_all else args.mlir_print_ir_after
        self._only_changes = args.mlir_print_ir_after_change
        self._only_failures = args.mlir_print_ir_after_failure
        self._whole_module = args.mlir_print_ir_module_scope
        self._form = form
        self._tree = _Tree(Path(args.mlir_print_ir_tree_dir)) if args.mlir_print_ir_tree_dir else None
        self._fingerprints: list[int] = []

    def before(self, pass_: Pass, op: Operation) -> None:
        if _chosen(self._before, pass_):
            self._show("Before", pass_, op)
        if self._only_changes:
            self._fingerprints.append(fingerprint(op))

    def after(self, pass_: Pass, op: Operation) -> None:
        unchanged = self._only_changes and self._fingerprints.pop() == fingerprint(op)
        if not self._only_failures and not unchanged and _chosen(self._after, pass_):
            self._show("After", pass_, op)

    def failed(self, pass_: Pass, op: Operation, problem: LaminaError) -> None:
        if self._only_changes:
            self._fingerprints.pop()
        if _chosen(self._after, pass_):
            self._show("After", pass_, op, " Failed")

    def _show(self, when: str, pass_: Pass, op: Operation, ending: str = "") -> None:
        title = f"// -----// IR Dump {when} {display_name(pass_)}{ending} ({pass_.name})"
        if self._whole_module:
            title += f" ({described(op)})"
        shown = root_of(op) if self._whole_module else op
        text = f"{title} //----- //\n{self._form.text(shown)}"
        if self._tree:
            self._tree.write(pass_, op, text)
        else:
            say(text)


class _Tree:
    """A folder for each op on the way to the op of a pass, and a numbered file for each dump in it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers: dict[Path, int] = {}
        """The number of the last dump of each op, by its folder."""

    def write(self, pass_: Pass, op: Operation, text: str) -> None:
        """Write a dump to the next file of its op; the numbers of the ops around it come first."""
        path = [op]
        while (parent := path[-1].parent_op()) is not None:
            path.append(parent)
        folder, numbers = self._folder, []
        for step in reversed(path):
            folder /= f"{op_name(step).replace('.', '_')}_{_symbol(step) or 'no-symbol-name'}"
            if folder not in self._numbers:
                self._numbers[folder] = 0
            elif step is op:
                self._numbers[folder] += 1
            numbers.append(str(self._numbers[folder]))
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise error(f"cannot be made: {problem.strerror}", Location(str(folder))) from problem
        write_text(str(folder / f"{'_'.join(numbers)}_{pass_.name}.mlir"), text)


def _symbol(op: Operation) -> str | None:
    name = op.get_attr_or_prop("sym_name")
    return re.sub(r"[^\w.\-]", "_", name.data) if isinstance(name, StringAttr) else None


def described(op: Operation) -> str:
    """An operation as the headers of dumps name it: ``'func.func' operation: @f``."""
    name = op.get_attr_or_prop("sym_name")
    symbol = f": @{name.data}" if isinstance(name, StringAttr) else ""
    return f"'{op_name(op)}' operation{symbol}"


def _chosen(names: Sequence[str] | None, pass_: Pass) -> bool:
    return names is None or pass_.name in names


def check_names(args: OptArguments, pipeline: Pipeline) -> None:
    """Raise for a pass named in ``--mlir-print-ir-before`` or ``-after`` that does not exist."""
    from lamina.passes.framework.registry import find_pass, pass_names

    running = {pass_.name for pass_ in pipeline.passes()}
    for name in (*args.mlir_print_ir_before, *args.mlir_print_ir_after):
        if name not in running:
            try:
                find_pass(name)
            except LaminaError:
                hint = did_you_mean(name, pass_names())
                raise error(f"there is no pass '{name}' to print the IR before or after", hint=hint) from None
