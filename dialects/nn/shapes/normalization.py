"""Shape rules of normalisations."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute

from lamina.dialects.nn.base import ShapeError, shape_rule
from lamina.dialects.nn.normalization import BatchNormOp, LayerNormOp
from lamina.dialects.nn.shapes._checks import (
    axis_in,
    expect_float,
    integer,
    same_element,
    same_extent,
    shape_of,
    text,
)
from lamina.dialects.nn.shapes.movement import broadcast_extents


@shape_rule("nn.batch_norm")
def _(op: BatchNormOp) -> Sequence[Attribute]:
    kind = same_element(op, op.operands)
    expect_float(kind)
    shape = list(shape_of(op.x))
    axis = axis_in(integer(op, "axis"), len(shape))
    for name in ("scale", "bias", "mean", "variance"):
        parameter = shape_of(getattr(op, name), name)
        if len(parameter) != 1:
            raise ShapeError(
                f"{name} has shape {text(parameter)}, expected [{text(shape[axis : axis + 1])[1:-1]}]"
            )
        shape[axis] = same_extent(shape[axis], parameter[0], f"the channels of x and {name}")
    return [TensorType(kind, shape)]


@shape_rule("nn.layer_norm")
def _(op: LayerNormOp) -> Sequence[Attribute]:
    kind = same_element(op, op.operands)
    expect_float(kind)
    shape = shape_of(op.x)
    axis_in(integer(op, "axis"), len(shape))
    for name in ("scale", "bias"):
        parameter = getattr(op, name)
        if parameter is not None:
            try:
                broadcast_extents(shape_of(parameter, name), shape)
            except ShapeError as problem:
                raise ShapeError(f"{name}: {problem}") from None
    return [TensorType(kind, shape)]
