"""The generated pages: passes, pipelines, dialects, operations, and a model at every level.

python docs/generate.py            write them
python docs/generate.py --check    fail where one is not what the code says
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import get_type_hints

import lamina
from lamina.dialects.chlo import Chlo
from lamina.dialects.core.context import make_context
from lamina.dialects.core.ods.spec import has_table, spec_of, table_of
from lamina.dialects.nn import Nn
from lamina.dialects.nn.base import derivative, tangent
from lamina.dialects.nn.derivatives.not_differentiable import NOT_DIFFERENTIABLE
from lamina.dialects.onnx.table import operators
from lamina.dialects.stablehlo import Stablehlo
from lamina.lowering.onnx.conversion import OLDEST_OPSET
from lamina.lowering.onnx.rule_table import first_opset, supported_operators
from lamina.lowering.pipelines import LEVELS
from lamina.lowering.stablehlo.rules import stablehlo_rule
from lamina.passes.framework.options import option_name, type_text
from lamina.passes.framework.passes import Pass
from lamina.passes.framework.registry import all_passes, find_pipeline, pipeline_names
from lamina.passes.nn.nn_set_shapes import set_shapes
from lamina.tools.command_line import declared_options
from lamina.tools.explain import form_of
from lamina.tools.opt.arguments import OptArguments

HERE = Path(__file__).resolve().parent
MODEL = HERE.parent / "examples" / "digits_mlp.mlir"
NOTE = "<!-- made by `make docs`; change the declarations, not this page -->\n"
MAX_LINES = 70
"""Lines shown of a level; the rest is told in a comment."""


def passes_page() -> str:
    """Every pass with its anchor, conditions, options, statistics and example, then the pipelines."""
    parts = ["# Passes", NOTE, *(_pass_section(p) for p in all_passes()), "# Named pipelines\n"]
    for name in pipeline_names():
        named = find_pipeline(name)
        assert named is not None
        steps = "\n".join(f"1. `{step}`" for step in named.text.split(","))
        parts.append(f"## `--{name}`\n\n{named.summary}.\n\n{steps}\n")
    return "\n".join(parts)


def _pass_section(declaration: type[Pass]) -> str:
    lines = [f"## `{declaration.name}`\n", f"Runs on `{declaration.anchor}`.\n"]
    lines += [(inspect.getdoc(declaration) or "") + "\n"]
    for title, conditions in (("Requires", declaration.requires), ("Ensures", declaration.ensures)):
        if conditions:
            lines.append(f"{title}: {'; '.join(c.name for c in conditions)}.\n")
    hints = get_type_hints(declaration)
    for field in dataclasses.fields(declaration):
        kind, help_text = type_text(hints[field.name]), field.metadata.get("help", "")
        lines.append(f"* option `{option_name(field)}` ({kind}, default `{field.default}`): {help_text}")
    lines += [f"* statistic `{name}`: {what}" for name, what in declaration.statistics.items()]
    return "\n".join(lines) + "\n"


def ops_page() -> str:
    """Every op of ``nn`` with its documentation."""
    parts = ["# The `nn` dialect", NOTE]
    for op in sorted(Nn.operations, key=lambda op: op.name):
        parts.append(f"## `{op.name}`\n\n{inspect.getdoc(op) or ''}\n")
    return "\n".join(parts)


def dialects_page() -> str:
    """The dialects of MLIR that have an op table, each operation with its text form."""
    names = sorted(make_context().registered_dialect_names)
    parts = ["# Dialects", NOTE]
    parts.append(
        "The operations of MLIR's own dialects and their forms: `$name` is an operand or attribute, `( … )?` "
        "may be left out. Where it says 'by hand', the form is upstream's as well, written in code. "
        "[nn.md](nn.md) and [stablehlo-operations.md](stablehlo-operations.md) have Lamina's own and "
        "StableHLO's; `lamina explain OP` tells of every one.\n"
    )
    for name in names:
        table = table_of(name) if has_table(name) else None
        if table is not None:
            rows = "\n".join(f"| `{op}` | {_form(op)} |" for op in sorted(table.ops))
            parts.append(f"## {name}\n\n| operation | form |\n|---|---|\n{rows}\n")
    others = ", ".join(f"`{name}`" for name in names if not has_table(name))
    parts.append(f"## Others\n\n{others}\n")
    return "\n".join(parts)


def _form(op: str) -> str:
    spec = spec_of(op)
    form = form_of(op).replace("|", "\\|")
    return f"`{form}`" if spec and spec.format else form


def stablehlo_page() -> str:
    """Every operation of StableHLO and CHLO, and whether it is converted."""
    parts = ["# Operations of StableHLO and CHLO", NOTE]
    parts.append("What can be given to `lamina.from_stablehlo`; see [stablehlo.md](stablehlo.md).\n")
    for dialect in (Stablehlo, Chlo):
        rows = [f"## {dialect.name}\n", "| operation | | converted |", "|---|---|---|"]
        for op in sorted(dialect.operations, key=lambda op: op.name):
            summary = (inspect.getdoc(op) or "").split("\n")[0]
            rows.append(f"| `{op.name}` | {summary} | {'yes' if _is_converted(op.name) else 'no'} |")
        parts.append("\n".join(rows) + "\n")
    return "\n".join(parts)


def onnx_page() -> str:
    """Every operator of ONNX, and whether it is converted."""
    parts = ["# Operators of ONNX", NOTE]
    parts.append(
        "Which operators `lamina.load` and `convert-onnx-to-nn` convert. One without a conversion of its own "
        "is replaced by ONNX's definition of it in simpler operators, where it has one. A conversion is a "
        f"function under `@onnx_rule` in `lowering/onnx/rules/`. Models of operator set {OLDEST_OPSET} or "
        "newer can be read.\n"
    )
    supported = supported_operators()
    known = {(operator.domain, operator.name) for operator in operators().values()}
    for domain in sorted({domain for domain, _ in known | supported}):
        rows = [f"## {domain}\n", "| operator | conversion of its own |", "|---|---|"]
        for name in sorted(name for place, name in known | supported if place == domain):
            first = first_opset(name, domain)
            told = "no" if first is None else "yes" if first <= OLDEST_OPSET else f"from {first} on"
            rows.append(f"| `{name}` | {told} |")
        parts.append("\n".join(rows) + "\n")
    return "\n".join(parts)


def _is_converted(name: str) -> bool:
    return name in stablehlo_rule or name == "stablehlo.return"


def levels_page() -> str:
    """The digits MLP, for one image, at every level."""
    module = lamina.load(MODEL)
    set_shapes(module, "main", [(1, 64)])
    parts = ["# One model at every level", NOTE]
    parts.append(
        "`examples/digits_mlp.mlir` for one image; large constants are left out. Each step is "
        "`lamina-opt` with the passes named above the text.\n"
    )
    for level, passes in {"nn": (), **LEVELS}.items():
        lamina.run_pipeline(module, ",".join(passes))
        lines = lamina.to_text(module, elide=8).rstrip().split("\n")
        if len(lines) > MAX_LINES:
            lines = [*lines[:MAX_LINES], f"// … and {len(lines) - MAX_LINES} lines more"]
        names = " ".join(f"`{p}`" for p in passes) or "as the file says"
        parts.append(f"## {level}\n\n{names}\n\n```mlir\n" + "\n".join(lines) + "\n```\n")
    return "\n".join(parts)


def opt_page() -> str:
    """The options of ``lamina-opt``, as ``--help`` tells them."""
    parts = ["# `lamina-opt`", NOTE, (HERE / "parts" / "lamina-opt.md").read_text(encoding="utf-8")]
    groups: dict[str, list[str]] = {}
    for option, _ in declared_options(OptArguments).values():
        written = option.written.replace("|", "\\|")
        groups.setdefault(option.group, []).append(f"| `{written}` | {option.help} |")
    for group, rows in groups.items():
        table = "\n".join(rows)
        parts.append(f"## {group[0].upper()}{group[1:]}\n\n| option | effect |\n|---|---|\n{table}\n")
    return "\n".join(parts)


def derivatives_page() -> str:
    """For each op of ``nn`` how it is differentiated, from the tables of rules."""
    parts = ["# Derivatives of `nn` ops", NOTE]
    parts.append(
        "Made from the tables in `dialects/nn/derivatives/`. *rule*: an entry of that mode; *transposed*: "
        "forward mode transposes the rule of reverse mode; *expanded*: the simpler ops that it stands for "
        "are differentiated.\n"
    )
    parts.append("| op | reverse | forward | |\n|---|---|---|---|")
    for name in sorted(op.name for op in Nn.operations):
        if name in NOT_DIFFERENTIABLE:
            row = ("none", "none", NOT_DIFFERENTIABLE[name])
        elif name in derivative:
            row = ("rule", "rule" if name in tangent else "transposed", "")
        else:
            row = ("expanded", "expanded", "")
        parts.append(f"| `{name}` | " + " | ".join(row) + " |")
    return "\n".join(parts) + "\n"


PAGES: dict[str, Callable[[], str]] = {
    "passes.md": passes_page,
    "nn.md": ops_page,
    "dialects.md": dialects_page,
    "levels.md": levels_page,
    "derivative-rules.md": derivatives_page,
    "stablehlo-operations.md": stablehlo_page,
    "onnx-operators.md": onnx_page,
    "lamina-opt.md": opt_page,
}


def main() -> int:
    stale = []
    for name, page in PAGES.items():
        path, text = HERE / name, page()
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
    if stale:
        print(f"out of date: {', '.join(stale)}; run `make docs`", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
