"""What upstream verifies of func in C++."""

from __future__ import annotations

from typing import Any

from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error, location_of, note
from lamina.dialects.core.verifying.groups import attribute
from lamina.dialects.core.verifying.registry import verifies, verifies_uses
from lamina.dialects.core.verifying.symbols import nearest_symbol, symbol_from


@verifies("func.func")
def func(op: Operation) -> None:
    """A declaration is not public."""
    visibility: Any = attribute(op, "sym_visibility")
    if not op.regions[0].blocks and (visibility is None or visibility.data == "public"):
        hint = "write 'func.func private' for a function that is defined elsewhere"
        raise error("symbol declaration cannot have public visibility", op, hint=hint)


@verifies("func.return")
def return_(op: Operation) -> None:
    """The values are those that the function gives."""
    function: Any = op.parent_op()
    if function is None:
        return
    kind: Any = attribute(function, "function_type")
    if kind is None:
        return
    wanted, name = kind.outputs.data, attribute(function, "sym_name").data
    if len(op.operands) != len(wanted):
        raise error(
            f"has {len(op.operands)} operands, but enclosing function (@{name}) returns {len(wanted)}", op
        )
    for number, (value, type) in enumerate(zip(op.operands, wanted, strict=True)):
        if value.type is not type and value.type != type:
            raise error(
                f"type of return operand {number} ('{value.type}') doesn't match function result type "
                f"('{type}') in function @{name}",
                location_of(op),
            )


@verifies_uses("func.call")
def call(op: Operation) -> None:
    """The function is there, and takes and gives these types."""
    callee: Any = attribute(op, "callee")
    function = symbol_from(op, callee)
    if function is None or function.name != "func.func":
        name = callee.root_reference.data
        raise error(f"'{name}' does not reference a valid function", op, hint=nearest_symbol(op, name))
    kind: Any = attribute(function, "function_type")
    _check_operands(op, kind.inputs.data)
    _check_results(op, kind.outputs.data)


def _check_operands(op: Operation, wanted: Any) -> None:
    if len(op.operands) != len(wanted):
        raise error("incorrect number of operands for callee", op)
    for number, (value, type) in enumerate(zip(op.operands, wanted, strict=True)):
        if value.type is not type and value.type != type:
            raise error(
                f"operand type mismatch: expected operand type '{type}', but provided '{value.type}' "
                f"for operand number {number}",
                op,
            )


def _check_results(op: Operation, wanted: Any) -> None:
    if len(op.results) != len(wanted):
        raise error("incorrect number of results for callee", op)
    for number, (value, type) in enumerate(zip(op.results, wanted, strict=True)):
        if value.type is not type and value.type != type:
            given = ", ".join(f"'{result.type}'" for result in op.results)
            functions = ", ".join(f"'{type}'" for type in wanted)
            notes = (
                note(f"op result types: {given}", op),
                note(f"function result types: {functions}", op),
            )
            raise error(f"result type mismatch at index {number}", op, notes=notes)


@verifies_uses("func.constant")
def constant(op: Operation) -> None:
    """The function is there and of this type."""
    name: Any = attribute(op, "value")
    function = symbol_from(op, name)
    if function is None or function.name != "func.func":
        raise error(f"reference to undefined function '{name.root_reference.data}'", op)
    if attribute(function, "function_type") != op.results[0].type:
        raise error("reference to function with mismatched type", op)
