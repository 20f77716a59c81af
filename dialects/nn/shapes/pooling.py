"""Shape rules of pooling."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute

from lamina.dialects.nn.base import ShapeError, shape_rule
from lamina.dialects.nn.pooling import AvgPool2dOp, MaxPool2dOp
from lamina.dialects.nn.shapes._checks import expect_float, flag, integers, same_element, shape_of
from lamina.dialects.nn.shapes._windows import Window, channels_last, windows


def pool_windows(op: MaxPool2dOp | AvgPool2dOp) -> tuple[Window, Window]:
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
