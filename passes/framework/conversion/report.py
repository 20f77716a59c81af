"""What a conversion left: which operations, how often, where first, and which pass converts them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import Diagnostic, LaminaError, error, note, op_name


def not_converted(left: Sequence[Operation], reasons: Mapping[Operation, str]) -> LaminaError:
    """The error for operations that should have gone, with the reasons that patterns gave."""
    by_name: dict[str, list[Operation]] = {}
    for op in left:
        by_name.setdefault(op_name(op), []).append(op)
    passes = {name: passes_that_convert(ops[0]) for name, ops in by_name.items()}
    notes: list[Diagnostic] = []
    for name, ops in by_name.items():
        told = [f"{len(ops)} of '{name}' {'are' if len(ops) > 1 else 'is'} left, first here"]
        why = next((reasons[op] for op in ops if op in reasons), None)
        told += [why] if why else []
        told += [f"`{'` or `'.join(passes[name])}` converts it"] if passes[name] else []
        notes.append(note("; ".join(told), ops[0]))
    reason = reasons.get(left[0])
    because = f": {reason}" if reason else ": no pattern converts it to what is legal"
    helpful = sorted({name for names in passes.values() for name in names})
    hint = f"run {' or '.join(f'`{name}`' for name in helpful)} as well" if helpful else None
    return error(f"failed to legalize{because}", left[0], notes=notes, hint=hint)


def passes_that_convert(op: Operation) -> list[str]:
    """The passes that promise to leave no operations of this name or dialect, or are for its dialect."""
    from lamina.passes.framework.registry import all_passes

    name = op_name(op)
    dialect = name.split(".", 1)[0]
    quoted = (f"'{name}'", f"'{dialect}'")
    return [
        declaration.name
        for declaration in all_passes()
        if declaration.name.startswith(f"convert-{dialect}-to-")
        or any(
            any(text in condition.name for text in quoted)
            and any(found is op for found in condition.first_violations(op, 1))
            for condition in declaration.ensures
        )
    ]
