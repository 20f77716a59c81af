"""Folds of builtin."""

from __future__ import annotations

from xdsl.ir import Operation, OpResult

from lamina.dialects.core.folding import defining_op
from lamina.dialects.core.simplification import Folded, fold


@fold("builtin.unrealized_conversion_cast")
def cast_back(op: Operation) -> Folded:
    """The values that were cast, all of them, and are cast back."""
    first = op.operands[0] if op.operands else None
    inner = defining_op(first, op.name) if isinstance(first, OpResult) else None
    if inner is None or list(op.operands) != list(inner.results):
        return None
    types = [value.type for value in inner.operands]
    return list(inner.operands) if types == [result.type for result in op.results] else None
