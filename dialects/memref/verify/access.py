"""Loads, stores and atomic updates."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation
from xdsl.traits import is_side_effect_free

from lamina.dialects.core.diagnostics import error, location_of
from lamina.dialects.core.ods.spec import spec_of, table_of
from lamina.dialects.core.verifying.groups import attribute
from lamina.dialects.core.verifying.registry import verifies
from lamina.dialects.core.verifying.shapes import rank_of


@verifies("memref.load", types_only=True)
def _load(op: Operation) -> None:
    wanted, found = rank_of(op.operands[0].type), len(op.operands) - 1
    if wanted != found:
        raise error(f"incorrect number of indices for load, expected {wanted} but got {found}", op)


@verifies("memref.store", types_only=True)
def _store(op: Operation) -> None:
    if len(op.operands) != 2 + rank_of(op.operands[1].type):
        raise error("store index operand count not equal to memref rank", op)


@verifies("memref.prefetch", types_only=True)
def _prefetch(op: Operation) -> None:
    if len(op.operands) != 1 + rank_of(op.operands[0].type):
        raise error("too few indices", op)


_FLOATS = ("addf", "maximumf", "minimumf", "mulf")
_INTEGERS = ("addi", "maxs", "maxu", "mins", "minu", "muli", "ori", "xori", "andi")


@verifies("memref.atomic_rmw")
def _atomic(op: Operation) -> None:
    if rank_of(op.operands[1].type) != len(op.operands) - 2:
        raise error("expects the number of subscripts to be equal to memref rank", op)
    table = table_of("memref")
    assert table is not None
    cases = {number: name for name, number in table.enums["AtomicRMWKind"].cases.items()}
    kind = cases[attribute(op, "kind").value.data]
    integer = isinstance(op.operands[0].type, IntegerType)
    if kind in _FLOATS and integer:
        raise error(f"with kind '{kind}' expects a floating-point type", op)
    if kind in _INTEGERS and not integer:
        raise error(f"with kind '{kind}' expects an integer type", op)


@verifies("memref.generic_atomic_rmw")
def _generic_atomic(op: Operation) -> None:
    body = op.regions[0]
    arguments = body.blocks[0].args if body.first_block is not None else ()
    if len(arguments) != 1:
        raise error("expected single number of entry block arguments", op)
    if arguments[0].type != op.results[0].type:
        raise error("expected block argument of the same type result type", op)
    for inner in body.walk():
        if not _is_free_of_effects(inner):
            raise error(
                "body of 'memref.generic_atomic_rmw' should contain only operations with no side effects",
                location_of(inner),
            )


def _is_free_of_effects(op: Operation) -> bool:
    spec = spec_of(op.name)
    if spec is not None and spec.traits & {"Pure", "NoMemoryEffect", "RecursiveMemoryEffects"}:
        return True
    return is_side_effect_free(op)


@verifies("memref.atomic_yield")
def _atomic_yield(op: Operation) -> None:
    parent: Any = op.parent_op()
    wanted, found = parent.results[0].type, op.operands[0].type
    if wanted != found:
        raise error(f"types mismatch between yield op: '{found}' and its parent: '{wanted}'", op)
