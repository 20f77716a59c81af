"""Simplifications of ops that exist for derivatives."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType

from lamina.dialects.nn.base import DYNAMIC, NnOp, make
from lamina.dialects.nn.canonicalize._simplification import Replacement, simplification
from lamina.dialects.nn.gradients import SumToOp


@simplification("nn.sum_to")
def sum_to_known_shape(op: SumToOp) -> Replacement:
    """A sum over known dimensions."""
    assert isinstance(op.x.type, TensorType) and isinstance(op.like.type, TensorType)
    x, like = op.x.type.get_shape(), op.like.type.get_shape()
    added = len(x) - len(like)
    pairs = list(zip(x[added:], like, strict=True))
    if any(DYNAMIC in (a, b) and b != 1 for a, b in pairs):
        return None
    axes = [*range(added), *(added + i for i, (a, b) in enumerate(pairs) if b == 1 and a != 1)]
    if not axes:
        return op.x
    ops: list[NnOp] = [make("nn.reduce_sum", [op.x], axes=axes)]
    if ops[0].results[0].type != op.result.type:
        ops.append(make("nn.reshape", [ops[0]], shape=list(like)))
    return ops
