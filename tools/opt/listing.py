"""What ``lamina-opt`` tells of itself: passes, pipelines and dialects."""

from __future__ import annotations


def list_of_passes() -> str:
    """Every pass and named pipeline with its summary."""
    from lamina.passes.framework.registry import all_passes, find_pipeline, pipeline_names

    passes = all_passes()
    width = max(len(p.name) for p in passes) + 2
    lines = [f"{declaration.name:<{width}}{declaration.summary()}" for declaration in passes]
    lines += ["", "named pipelines:"]
    for name in pipeline_names():
        named = find_pipeline(name)
        if named is not None:  # one of a package may be broken
            lines.append(f"{name:<{width}}{named.summary}")
    return "\n".join(lines)


def list_of_dialects() -> str:
    """The names of the registered dialects, one a line."""
    from lamina.dialects.core.context import make_context

    return "\n".join(sorted(make_context().registered_dialect_names))
