"""``lamina explain NAME``: the documentation of a pass, a named pipeline, a dialect or an operation."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterable
from typing import Any, get_type_hints

from xdsl.ir import Operation

from lamina.dialects.core.context import make_context
from lamina.dialects.core.diagnostics import LaminaError, did_you_mean, error
from lamina.dialects.core.ods.spec import spec_of
from lamina.passes.framework.options import option_name, type_text
from lamina.passes.framework.passes import Pass
from lamina.passes.framework.registry import all_passes, find_pass, find_pipeline, pass_names, pipeline_names


def explain(name: str) -> str:
    """The text about a name; an unknown one is a :class:`LaminaError` with the names that may be meant."""
    named = find_pipeline(name)
    if named is not None:
        steps = "\n".join(f"  {step}" for step in named.text.split(","))
        return f"{name}: {named.summary}\n\n{steps}"
    operation = make_context().get_optional_op(name) if "." in name else None
    if operation is not None:
        return operation_text(operation)
    try:
        return pass_text(find_pass(name))
    except LaminaError:
        if name in make_context().registered_dialect_names:
            return dialect_text(name)
        message = f"there is no pass, pipeline, dialect or operation '{name}'"
        raise error(message, hint=_meant(name)) from None


def _meant(name: str) -> str | None:
    """The op of that name in some dialect, else the nearest name."""
    context = make_context()
    if "." not in name:
        wanted = name.replace("-", "_")
        dialects = sorted(context.registered_dialect_names, key=lambda d: (d != "nn", d))
        found = [f"{d}.{wanted}" for d in dialects if _has_op(context, f"{d}.{wanted}")]
        if found:
            return f"did you mean {' or '.join(repr(op) for op in found)}?"
        return did_you_mean(name, [*pass_names(), *pipeline_names(), *dialects])
    dialect = context.get_optional_dialect(name.split(".", 1)[0])
    if dialect is None:
        return did_you_mean(name.split(".", 1)[0], sorted(context.registered_dialect_names))
    return did_you_mean(name, [op.name for op in dialect.operations])


def _has_op(context: Any, name: str) -> bool:
    return context.get_optional_op(name) is not None


def operation_text(operation: type[Operation]) -> str:
    """The reference text of an operation: documentation, operands, results, attributes, passes."""
    of_table = spec_of(operation.name) is not None
    untold = "As MLIR defines it." if of_table else "No documentation."
    lines = [operation.name, "", documentation(operation) or untold]
    if of_table:
        lines += ["", f"form: {form_of(operation.name)}"]
    definition: Any = getattr(operation, "get_irdl_definition", lambda: None)()
    if definition is not None:
        for title, members in (("operands", definition.operands), ("results", definition.results)):
            if members:
                lines += ["", f"{title}: {', '.join(name for name, _ in members)}"]
        attributes = [*definition.properties, *definition.attributes]
        if attributes:
            lines += ["", f"attributes: {', '.join(attributes)}"]
    dialect = operation.name.split(".", 1)[0]
    gone = [*_passes_that_remove(operation.name), *_passes_that_remove(dialect)]
    if gone:
        lines += ["", f"converted by: {', '.join(dict.fromkeys(p.name for p in gone))}"]
    return "\n".join(lines)


def documentation(operation: type[Operation]) -> str:
    """The docstring of an operation's class, or of one that it extends; not that of all operations."""
    of_it = (kind for kind in operation.__mro__ if getattr(kind, "name", None) == operation.name)
    return next((inspect.cleandoc(text) for kind in of_it if (text := vars(kind).get("__doc__"))), "")


def form_of(name: str) -> str:
    """The form in which an operation of the op tables is written, for people."""
    spec = spec_of(name)
    assert spec is not None
    if not spec.format:
        return "by hand" if spec.custom else "generic"
    # Without the signs of the format's own language that a reader of IR does not need.
    form = re.sub(r"[`^]", "", spec.format).replace("attr-dict", "[attributes]")
    form = re.sub(r"custom<(\w+)>\(([^\"]*?)(, \".*?)?\)", r"\1(\2)", form)
    return re.sub(r" ,", ",", " ".join(form.split()))


def dialect_text(name: str) -> str:
    """A dialect's operations and the passes about it, with a line each."""
    dialect = make_context().get_dialect(name)
    operations = {op.name: _line(op) for op in sorted(dialect.operations, key=lambda op: op.name)}
    about = [p for p in all_passes() if name in p.name.split("-")]
    passes = {p.name: p.summary() for p in (*_passes_that_remove(name), *about)}
    lines = [f"{name}: a dialect"]
    for title, rows in (("operations", operations), ("passes", passes)):
        if rows:
            width = max(map(len, rows)) + 2
            lines += ["", f"{title}:", *(f"  {row:<{width}}{told}".rstrip() for row, told in rows.items())]
    return "\n".join(lines)


def _line(operation: type[Operation]) -> str:
    """The first sentence about an operation, else its form."""
    paragraph = " ".join(documentation(operation).split("\n\n", 1)[0].split())
    told = re.split(r"(?<=\.) (?=[A-Z])", paragraph, maxsplit=1)[0]
    return told or (form_of(operation.name) if spec_of(operation.name) else "")


def _passes_that_remove(name: str) -> Iterable[type[Pass]]:
    """The passes after which no operation of a name, or of a dialect, is left."""
    return [p for p in all_passes() if any(f"'{name}'" in c.name for c in p.ensures)]


def pass_text(declaration: type[Pass]) -> str:
    """The reference text of a pass: anchor, documentation, conditions, options, statistics, example."""
    lines = [f"{declaration.name}: runs on {declaration.anchor}", "", declaration.description()]
    for title, conditions in (("requires", declaration.requires), ("ensures", declaration.ensures)):
        if conditions:
            lines += ["", f"{title}: {'; '.join(c.name for c in conditions)}"]
    makers = {
        p.name for p in all_passes() for condition in declaration.requires if condition in p.ensures
    } - {declaration.name}
    if makers:
        lines += [f"established by: {', '.join(sorted(makers))}"]
    fields = dataclasses.fields(declaration)
    if fields:
        hints = get_type_hints(declaration)
        lines += ["", "options:"]
        for f in fields:
            kind = type_text(hints[f.name])
            lines.append(f"  {option_name(f)} ({kind}, default {f.default}): {f.metadata.get('help', '')}")
    if declaration.statistics:
        lines += ["", "statistics:"]
        lines += [f"  {name}: {what}" for name, what in declaration.statistics.items()]
    for title, block in zip(("before", "after"), declaration.examples(), strict=False):
        lines += ["", f"{title}:", *(f"  {line}".rstrip() for line in block.rstrip().split("\n"))]
    return "\n".join(lines)
