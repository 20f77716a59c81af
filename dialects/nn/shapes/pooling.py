"""Shape rules of pooling."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute

from lamina.dialects.nn.base import ShapeError, shape_rule
from lamina.dialects.nn.pooling import AvgPool2dGradientOp, AvgPool2dOp, MaxPool2dGradientOp, MaxPool2dOp
from lamina.dialects.nn.shapes._checks import (
    expect_float,
    flag,
    integers,
    same_element,
    same_extent,
    shape_of,
)
from lamina.dialects.nn.shapes._windows import Window, channels_last, windows


def pool_windows(
    op: MaxPool2dOp | AvgPool2dOp | MaxPool2dGradientOp | AvgPool2dGradientOp,
) -> tuple[Window, Window]:
    """The windows of a pooling op along height and width."""
    height, width = integers(op, "kernel", 2, minimum=1)
    return windows(op, (height, width), flag(op, "ceil_mode"))


@shape_rule("nn.max_pool2d", "nn.avg_pool2d")
def _(op: MaxPool2dOp | AvgPool2dOp) -> Sequence[Attribute]:
    x = shape_of(op.x, "the input")
    if len(x) != 4:
        raise ShapeError(f"the input has rank {len(x)}, expected 4")
    kind = same_element(op, op.operands)
    if isinstance(op, AvgPool2dOp):
        expect_float(kind)
        flag(op, "count_include_pad")
    first = 1 if channels_last(op) else 2
    rows, columns = pool_windows(op)
    spatial = [rows.count(x[first], "rows"), columns.count(x[first + 1], "columns")]
    return [TensorType(kind, [*x[:first], *spatial, *x[first + 2 :]])]


@shape_rule("nn.max_pool2d_gradient")
def _(op: MaxPool2dGradientOp) -> Sequence[Attribute]:
    x, grad = shape_of(op.x, "the input"), shape_of(op.grad, "the gradient")
    kind = same_element(op, op.operands)
    expect_float(kind)
    if len(x) != 4 or len(grad) != 4:
        raise ShapeError(f"the operands have ranks {len(x)} and {len(grad)}, expected 4")
    _check_places(op, x, grad)
    return [op.x.type]


@shape_rule("nn.avg_pool2d_gradient")
def _(op: AvgPool2dGradientOp) -> Sequence[Attribute]:
    grad = shape_of(op.grad, "the gradient")
    kind = same_element(op, op.operands)
    expect_float(kind)
    if len(grad) != 4:
        raise ShapeError(f"the gradient has rank {len(grad)}, expected 4")
    first = 1 if channels_last(op) else 2
    x = [*grad[:first], *integers(op, "size", 2, minimum=0), *grad[first + 2 :]]
    _check_places(op, x, grad)
    return [TensorType(kind, x)]


def _check_places(
    op: MaxPool2dGradientOp | AvgPool2dGradientOp, x: Sequence[int], grad: Sequence[int]
) -> None:
    """The pooling takes images of x's shape to ones of the gradient's."""
    first = 1 if channels_last(op) else 2
    rows, columns = pool_windows(op)
    expected = [rows.count(x[first], "rows"), columns.count(x[first + 1], "columns")]
    for a, b in zip([*x[:first], *expected, *x[first + 2 :]], grad, strict=True):
        same_extent(a, b, "the extents of the pooling's result and the gradient")
