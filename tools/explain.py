"""``lamina explain NAME``: the documentation of a pass, a named pipeline or an operation."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any, get_type_hints

from xdsl.ir import Operation

from lamina.dialects.core.context import make_context
from lamina.dialects.core.diagnostics import LaminaError, did_you_mean, error
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
        raise error(f"there is no pass, pipeline or operation '{name}'", hint=_meant(name)) from None


def _meant(name: str) -> str | None:
    """The op of that name in some dialect, else the nearest name."""
    context = make_context()
    if "." not in name:
        wanted = name.replace("-", "_")
        dialects = sorted(context.registered_dialect_names, key=lambda d: (d != "nn", d))
        found = [f"{d}.{wanted}" for d in dialects if _has_op(context, f"{d}.{wanted}")]
        if found:
            return f"did you mean {' or '.join(repr(op) for op in found)}?"
        return did_you_mean(name, [*pass_names(), *pipeline_names()])
    dialect = context.get_optional_dialect(name.split(".", 1)[0])
    if dialect is None:
        return did_you_mean(name.split(".", 1)[0], sorted(context.registered_dialect_names))
    return did_you_mean(name, [op.name for op in dialect.operations])


def _has_op(context: Any, name: str) -> bool:
    return context.get_optional_op(name) is not None


def operation_text(operation: type[Operation]) -> str:
    """The reference text of an operation: documentation, operands, results, attributes, passes."""
    lines = [operation.name, "", inspect.getdoc(operation) or "No documentation."]
    definition: Any = getattr(operation, "get_irdl_definition", lambda: None)()
    if definition is not None:
        for title, members in (("operands", definition.operands), ("results", definition.results)):
            if members:
                lines += ["", f"{title}: {', '.join(name for name, _ in members)}"]
        attributes = [*definition.properties, *definition.attributes]
        if attributes:
            lines += ["", f"attributes: {', '.join(attributes)}"]
    gone = [p.name for p in all_passes() if any(f"'{operation.name}'" in c.name for c in p.ensures)]
    dialect = operation.name.split(".", 1)[0]
    gone += [p.name for p in all_passes() if any(f"'{dialect}'" in c.name for c in p.ensures)]
    if gone:
        lines += ["", f"converted by: {', '.join(dict.fromkeys(gone))}"]
    return "\n".join(lines)


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
