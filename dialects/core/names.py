"""What to say about an operation that no dialect defines."""

from __future__ import annotations

from xdsl.context import Context

from lamina.dialects.core.diagnostics import did_you_mean
from lamina.dialects.core.ods.spec import has_table


def unknown_operation(context: Context, name: str, quoted: bool) -> tuple[str, str | None]:
    """Message and hint for an op name that was not found; ``quoted`` is the generic form ``"a.b"(…)``."""
    dialect, separator, _ = name.partition(".")
    if not separator:
        known = [op.name.split(".", 1)[1] for d in ("builtin", "func") for op in _operations(context, d)]
        hint = did_you_mean(name, known) or "operations are named dialect.operation, as func.func"
        return f"unknown operation '{name}'", hint
    if dialect not in context.registered_dialect_names:
        if context.allow_unregistered and not quoted:
            return _only_generic(name)
        hint = did_you_mean(dialect, sorted(context.registered_dialect_names))
        other = (
            "give its file with --load or install its package; "
            "`lamina-opt --allow-unregistered-dialect` accepts operations in the generic form"
        )
        return f"unknown dialect '{dialect}' of operation '{name}'", hint or other
    hint = did_you_mean(name, [op.name for op in _operations(context, dialect)])
    if context.allow_unregistered and not quoted and not hint and not has_table(dialect):
        return _only_generic(name)
    return f"dialect '{dialect}' has no operation '{name}'", hint


def _only_generic(name: str) -> tuple[str, str]:
    return f"unknown operation '{name}'", f'write it in the generic form: "{name}"(…) : (…) -> (…)'


def _operations(context: Context, dialect: str) -> list:
    found = context.get_optional_dialect(dialect)
    return list(found.operations) if found else []
