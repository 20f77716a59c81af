"""Errors of passes: what did not hold, in which pass and where, and what helps."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException, PassFailedException

from lamina.dialects.core.constants import NO_DATA_HINT
from lamina.dialects.core.diagnostics import Diagnostic, LaminaError, error, location_of, note, op_name
from lamina.dialects.core.resources import require_resources
from lamina.dialects.core.verifier import cause_of, verify
from lamina.passes.framework.conditions import Condition
from lamina.passes.framework.passes import Pass


class PassFault(LaminaError):
    """A pass ended by an exception that is no message to the user: the pass is wrong, not its input."""


def require(condition: Condition, pass_: Pass, op: Operation) -> None:
    """Raise unless a precondition holds; the error proposes passes that establish it."""
    left = condition.first_violations(op)
    if not left:
        return
    from lamina.passes.framework.registry import all_passes

    makers = [p.name for p in all_passes() if condition in p.ensures and p.name != pass_.name]
    hint = f"run {' or '.join(f'`{name}`' for name in makers)} before" if makers else None
    notes = [note(f"so is '{op_name(other)}' here", other) for other in left[1:]]
    raise error(f"is not allowed here: the pass needs {condition.name}", left[0], notes=notes, hint=hint)


def check_result(pass_: Pass, op: Operation) -> None:
    """Raise unless what a pass left is valid IR and keeps the pass's own promises."""
    try:
        verify(op)
    except LaminaError as problem:
        first = problem.diagnostics[0]
        raise LaminaError(
            Diagnostic(f"the pass left invalid IR: {first.message}", first.location, notes=first.notes)
        ) from problem
    for condition in pass_.ensures:
        left = condition.first_violations(op)
        if left:
            notes = [note(f"'{op_name(other)}' is left here", other) for other in left[1:]]
            raise error(f"breaks what the pass ensures: {condition.name}", left[0], notes=notes)


def in_pass(problem: Exception, pass_: Pass, op: Operation) -> LaminaError:
    """The error that tells the user of an exception that ended a pass."""
    place = location_of(op)
    if isinstance(problem, LaminaError):
        return _with_place(problem, op).in_pass(pass_.name, place)
    if isinstance(problem, PassFailedException | DiagnosticException):
        return LaminaError(Diagnostic(cause_of(problem), place, pass_name=pass_.name))
    if isinstance(problem, RecursionError):
        message = f"'{op_name(op)}' is nested too deeply for the pass"
        return LaminaError(Diagnostic(message, place, pass_name=pass_.name))
    return PassFault(
        Diagnostic(
            f"the pass failed on '{op_name(op)}': {type(problem).__name__}: {cause_of(problem)}",
            place,
            pass_name=pass_.name,
            hint="this is a fault of the pass; --debug shows where in it",
        )
    )


def _with_place(problem: LaminaError, op: Operation) -> LaminaError:
    """The error at the constant it is about, where that is one without data; else as it is."""
    if problem.diagnostics[0].hint == NO_DATA_HINT:
        try:
            require_resources(op)
        except LaminaError as located:
            return located
    return problem
