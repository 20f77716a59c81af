"""Shape rules of operations whose shapes are values."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType, i64
from xdsl.ir import Attribute, SSAValue

from lamina.dialects.core.constants import constant_value
from lamina.dialects.nn.base import DYNAMIC, ShapeError, shape_rule
from lamina.dialects.nn.dynamic import DynamicBroadcastToOp, DynamicReshapeOp, ShapeOfOp
from lamina.dialects.nn.shapes._checks import broadcast, flag, same_element, shape_of, type_of
from lamina.dialects.nn.shapes.movement import reshaped


@shape_rule("nn.shape_of")
def _(op: ShapeOfOp) -> Sequence[Attribute]:
    return [TensorType(i64, [len(shape_of(op.x))])]


@shape_rule("nn.dynamic_reshape")
def _(op: DynamicReshapeOp) -> Sequence[Attribute]:
    shape, kind = shape_of(op.x), same_element(op, [op.x])
    rank = _length(op.shape)
    allowzero = flag(op, "allowzero")
    value = constant_value(op.shape)
    if value is None:
        return [TensorType(kind, [DYNAMIC] * rank)]
    wanted = requested_shape(value.tolist(), shape, allowzero)
    inferred = [-1 if extent == DYNAMIC else extent for extent in wanted]
    if inferred.count(-1) > 1:
        return [TensorType(kind, [DYNAMIC if extent == -1 else extent for extent in inferred])]
    return [TensorType(kind, reshaped(shape, inferred))]


@shape_rule("nn.dynamic_broadcast_to")
def _(op: DynamicBroadcastToOp) -> Sequence[Attribute]:
    shape, kind = shape_of(op.x), same_element(op, [op.x])
    rank = _length(op.shape)
    value = constant_value(op.shape)
    if value is not None:
        if min(value.tolist(), default=0) < 0:
            raise ShapeError(f"the shape is {value.tolist()}, expected no negative extents")
        return [TensorType(kind, broadcast(shape, value.tolist()))]
    aligned = [1] * (rank - len(shape)) + list(shape)
    leading = len(aligned) - rank
    return [TensorType(kind, [DYNAMIC if e == 1 and d >= leading else e for d, e in enumerate(aligned)])]


def requested_shape(wanted: Sequence[int], shape: Sequence[int], allowzero: bool) -> list[int]:
    """ONNX Reshape's shape with each 0 replaced by the extent of ``shape`` there, unless ``allowzero``."""
    if min(wanted, default=0) < -1 or list(wanted).count(-1) > 1:
        raise ShapeError(f"the shape is {list(wanted)}, expected extents and at most one -1")
    if allowzero:
        return list(wanted)
    for d, extent in enumerate(wanted):
        if extent == 0 and d >= len(shape):
            raise ShapeError(
                f"the shape {list(wanted)} copies dimension {d}, which the operand does not have"
            )
    return [shape[d] if extent == 0 else extent for d, extent in enumerate(wanted)]


def _length(shape: SSAValue) -> int:
    """The number of entries of a shape operand."""
    kind = type_of(shape, "the shape")
    if kind.get_element_type() != i64 or kind.get_num_dims() != 1 or not kind.has_static_shape():
        raise ShapeError(f"the shape has type {kind}, expected tensor<R x i64> with a static R")
    return kind.get_shape()[0]
