"""Shape rules of reductions."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType, i64
from xdsl.ir import Attribute

from lamina.dialects.nn.base import ShapeError, shape_rule
from lamina.dialects.nn.reduction import (
    ArgmaxOp,
    ArgminOp,
    ReduceMaxOp,
    ReduceMeanOp,
    ReduceMinOp,
    ReduceProdOp,
    ReduceSumOp,
)
from lamina.dialects.nn.shapes._checks import (
    axes_in,
    axis_in,
    expect_boolean,
    expect_number,
    flag,
    integer,
    same_element,
    shape_of,
)

ReducingOp = ReduceSumOp | ReduceMeanOp | ReduceProdOp | ReduceMaxOp | ReduceMinOp


def without(shape: Sequence[int], axes: Sequence[int], keepdims: bool) -> list[int]:
    """A shape after reduction over (non-negative) axes."""
    if keepdims:
        return [1 if i in axes else extent for i, extent in enumerate(shape)]
    return [extent for i, extent in enumerate(shape) if i not in axes]


@shape_rule("nn.reduce_sum", "nn.reduce_mean", "nn.reduce_prod", "nn.reduce_max", "nn.reduce_min")
def _(op: ReducingOp) -> Sequence[Attribute]:
    kind = same_element(op, op.operands)
    if not isinstance(op, ReduceMaxOp | ReduceMinOp):
        expect_number(kind)
    return [_reduced(op, kind)]


@shape_rule("nn.reduce_and", "nn.reduce_or")
def _(op: ReducingOp) -> Sequence[Attribute]:
    kind = same_element(op, op.operands)
    expect_boolean(kind)
    return [_reduced(op, kind)]


def _reduced(op: ReducingOp, kind: Attribute) -> Attribute:
    shape = shape_of(op.x)
    return TensorType(kind, without(shape, axes_in(op, len(shape)), flag(op, "keepdims")))


@shape_rule("nn.argmax", "nn.argmin")
def _(op: ArgmaxOp | ArgminOp) -> Sequence[Attribute]:
    shape = shape_of(op.x)
    axis = axis_in(integer(op, "axis"), len(shape))
    flag(op, "select_last_index")
    if shape[axis] == 0:
        raise ShapeError(f"axis {axis} has extent 0, expected at least one element")
    return [TensorType(i64, without(shape, (axis,), flag(op, "keepdims")))]
