"""``lamina explain NAME``: the documentation of a pass, a named pipeline or an operation."""

from __future__ import annotations

import dataclasses
import inspect
from typing import get_type_hints

from lamina.dialects.core.context import make_context
from lamina.dialects.core.diagnostics import LaminaError, did_you_mean, error
from lamina.passes.framework.options import option_name, type_text
from lamina.passes.framework.passes import Pass
from lamina.passes.framework.registry import find_pass, find_pipeline, pass_names, pipeline_names


def explain(name: str) -> str:
    """The text about a name; an unknown one is a :class:`LaminaError`."""
    named = find_pipeline(name)
    if named is not None:
        steps = "\n".join(f"  {step}" for step in named.text.split(","))
        return f"{name}: {named.summary}\n\n{steps}"
    operation = make_context().get_optional_op(name)
    if operation is not None:
        return f"{name}\n\n{inspect.getdoc(operation) or 'No documentation.'}"
    try:
        return pass_text(find_pass(name))
    except LaminaError:
        hint = did_you_mean(name, [*pass_names(), *pipeline_names()])
        raise error(f"there is no pass, pipeline or operation '{name}'", hint=hint) from None


def pass_text(declaration: type[Pass]) -> str:
    """The reference text of a pass: anchor, conditions, options, statistics, documentation."""
    lines = [f"{declaration.name}: runs on {declaration.anchor}", "", inspect.getdoc(declaration) or ""]
    for title, conditions in (("requires", declaration.requires), ("ensures", declaration.ensures)):
        if conditions:
            lines += ["", f"{title}: {'; '.join(c.name for c in conditions)}"]
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
    return "\n".join(lines)
