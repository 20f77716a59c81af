"""Verification of a whole module: each op's own rules, and that every use is dominated by its definition."""

from __future__ import annotations

import re

from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation, VerificationContext
from xdsl.utils.exceptions import VerifyException

from lamina.dialects.core.diagnostics import LaminaError, error
from lamina.dialects.core.dominance import immediate_dominators
from lamina.dialects.core.later import regex
from lamina.dialects.core.verifying.symbols import nearest_symbol
from lamina.dialects.core.verifying.walking import Walk
from lamina.dialects.core.wording import in_plain_words, innermost_message

__all__ = ["cause_of", "immediate_dominators", "verify"]


def verify(root: Operation) -> None:
    """Verify an operation and everything in it. Raises :class:`LaminaError` at the first op that is wrong."""
    Walk(root, _explained).run()


def cause_of(problem: BaseException) -> str:
    """The first line of the innermost cause of an exception, in plain words."""
    while problem.__cause__ is not None:
        problem = problem.__cause__
    text = str(problem).strip().split("\n", 1)[0]
    return in_plain_words(text)[0] if text else type(problem).__name__


_ARGUMENT = regex(r"(operand|result) '(\w+)' (?:expected )?at positions? (\d+)(?: to \d+)? does not verify")


def _explained(problem: Exception, op: Operation) -> LaminaError:
    """The error for what an op's verifier raised, with the operand or attribute that it is about."""
    outer = str(problem).strip().split("\n", 1)[0]
    text = innermost_message(problem)
    message, hint = in_plain_words(text)
    about = _ARGUMENT.match(outer)
    if about:
        message = f"{about.group(1)} #{about.group(3)} ('{about.group(2)}'): {message}"
    else:
        name = _wrong_attribute(op, text)
        if name:
            message = f"attribute '{name}': {message}"
    missing = re.fullmatch(r"needs the attribute '(\S+)'", message)
    if missing and not hint:
        from difflib import get_close_matches  # only for mistakes

        near = get_close_matches(missing.group(1), list(op.attributes), n=1)
        hint = f"it has '{near[0]}'" if near else None
    if message.startswith("there is no function @"):
        hint = nearest_symbol(op, message.split("@", 1)[1].split(" ", 1)[0])
    return error(message, op, hint=hint)


def _wrong_attribute(op: Operation, message: str) -> str | None:
    """The property whose own constraint says the message."""
    if not isinstance(op, IRDLOperation):
        return None
    for name, definition in op.get_irdl_definition().properties.items():
        value = op.properties.get(name)
        if value is None:
            continue
        try:
            definition.constr.verify(value, VerificationContext())
        except VerifyException as problem:
            if message in str(problem):
                return name
    return None
