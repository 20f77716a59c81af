"""Verification of a whole module: each op's own rules, and that every use is dominated by its definition."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from xdsl.dialects.builtin import ModuleOp, StringAttr, UnregisteredOp
from xdsl.ir import Operation, Region
from xdsl.irdl import IRDLOperation, VerificationContext
from xdsl.traits import NoTerminator, SymbolTable
from xdsl.utils.exceptions import VerifyException

from lamina.dialects.core.depth import room_for_nesting
from lamina.dialects.core.diagnostics import LaminaError, did_you_mean, error, note, op_name
from lamina.dialects.core.dominance import check_uses, immediate_dominators, isolated_from
from lamina.dialects.core.wording import in_plain_words

__all__ = ["cause_of", "immediate_dominators", "verify"]


def verify(root: Operation) -> None:
    """Verify an operation and everything in it. Raises :class:`LaminaError` at the first op that is wrong."""
    try:
        with room_for_nesting():
            for op in root.walk():
                _check_symbols(op)
                try:
                    op.verify(verify_nested_ops=False)
                except LaminaError:
                    raise
                except RecursionError:
                    raise
                except Exception as problem:
                    # Verifiers of malformed ops raise more than VerifyException.
                    raise _explained(problem, op) from problem
                _check_successors(op)
                for region in op.regions:
                    _check_blocks(op, region)
            check_uses(root)
    except RecursionError as problem:
        raise error("is nested too deeply to be verified", root) from problem


def cause_of(problem: BaseException) -> str:
    """The first line of the innermost cause of an exception, in plain words."""
    while problem.__cause__ is not None:
        problem = problem.__cause__
    text = str(problem).strip().split("\n", 1)[0]
    return in_plain_words(text)[0] if text else type(problem).__name__


_ARGUMENT = re.compile(
    r"(operand|result) '(\w+)' (?:expected )?at positions? (\d+)(?: to \d+)? does not verify"
)


def _explained(problem: Exception, op: Operation) -> LaminaError:
    """The error for what an op's verifier raised, with the operand or attribute that it is about."""
    outer = str(problem).strip().split("\n", 1)[0]
    if outer.startswith("Operation using value defined out of its IsolatedFromAbove parent"):
        for inner in op.walk():
            for operand in inner.operands:
                found = isolated_from(inner, operand)
                if found:
                    return found
    innermost: BaseException = problem
    while innermost.__cause__ is not None:
        innermost = innermost.__cause__
    text = str(innermost).strip().split("\n", 1)[0] or type(innermost).__name__
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
        near = get_close_matches(missing.group(1), list(op.attributes), n=1)
        hint = f"it has '{near[0]}'" if near else None
    if message.startswith("there is no function @"):
        hint = _nearest_symbol(op, message.split("@", 1)[1].split(" ", 1)[0])
    return error(message, op, hint=hint, notes=_notes(op, message))


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


def _notes(op: Operation, message: str) -> Sequence:
    if op_name(op).endswith(".return") and "is declared to return" in message:
        function = op.parent_op()
        return [note("the function is declared here", function)] if function else []
    return []


def _nearest_symbol(op: Operation, name: str) -> str | None:
    root = op
    while (parent := root.parent_op()) is not None:
        root = parent
    return did_you_mean(name, [symbol for _, symbol in _symbols(root)])


def _symbols(table: Operation) -> Iterator[tuple[Operation, str]]:
    for block in table.regions[0].blocks if table.regions else ():
        for op in block.ops:
            name = op.get_attr_or_prop("sym_name")
            if isinstance(name, StringAttr):
                yield op, name.data


def _check_symbols(op: Operation) -> None:
    if not op.has_trait(SymbolTable, value_if_unregistered=False):
        return
    first: dict[str, Operation] = {}
    for definition, name in _symbols(op):
        if name in first:
            notes = [note("it is first defined here", first[name])]
            raise error(f"@{name} is defined a second time", definition, notes=notes)
        first[name] = definition


_BRANCHES = {
    "cf.br": ("arguments",),
    "cf.cond_br": ("then_arguments", "else_arguments"),
    "llvm.br": ("arguments",),
    "llvm.cond_br": ("then_arguments", "else_arguments"),
}
"""The operands that each branch passes on, by successor."""


def _check_successors(op: Operation) -> None:
    """A branch passes what the blocks take."""
    for number, names in enumerate(_BRANCHES.get(op.name, ())):
        if number >= len(op.successors):
            return
        passed = [value.type for value in getattr(op, names)]
        taken = list(op.successors[number].arg_types)
        if passed != taken:
            shown = [f"({', '.join(map(str, types))})" for types in (passed, taken)]
            raise error(f"passes {shown[0]} to a block that takes {shown[1]}", op)


def _check_blocks(op: Operation, region: Region) -> None:
    for block in region.blocks:
        needs_terminator = not isinstance(op, UnregisteredOp) and not op.has_trait(NoTerminator)
        if block.is_empty and needs_terminator and not isinstance(op, ModuleOp):
            hint = "end the block with a terminator, such as 'return'"
            raise error("has a block without a terminator", op, hint=hint)
