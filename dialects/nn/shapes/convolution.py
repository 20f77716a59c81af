"""Shape rules of convolutions."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute

from lamina.dialects.nn.base import DYNAMIC, ShapeError, shape_rule
from lamina.dialects.nn.convolution import Conv2dOp
from lamina.dialects.nn.shapes._checks import expect_number, integer, same_element, same_extent, shape_of
from lamina.dialects.nn.shapes._windows import channels_last, windows


@shape_rule("nn.conv2d")
def _(op: Conv2dOp) -> Sequence[Attribute]:
    x, w = shape_of(op.x, "the input"), shape_of(op.w, "the filter")
    for name, shape in (("the input", x), ("the filter", w)):
        if len(shape) != 4:
            raise ShapeError(f"{name} has rank {len(shape)}, expected 4")
    kind = same_element(op, op.operands)
    expect_number(kind)
    if channels_last(op):
        n, height, width, channels = x
        kernel_height, kernel_width, depth, filters = w
    else:
        n, channels, height, width = x
        filters, depth, kernel_height, kernel_width = w
    _check_groups(integer(op, "groups", minimum=1), channels, depth, filters)
    _check_bias(op, filters)
    if 0 in (kernel_height, kernel_width):
        raise ShapeError(f"the filter has a {kernel_height}x{kernel_width} window, expected at least 1x1")
    rows, columns = windows(op, (kernel_height, kernel_width))
    spatial = [rows.count(height, "rows"), columns.count(width, "columns")]
    return [TensorType(kind, [n, *spatial, filters] if channels_last(op) else [n, filters, *spatial])]


def _check_groups(groups: int, channels: int, depth: int, filters: int) -> None:
    if DYNAMIC not in (channels, depth) and channels != groups * depth:
        raise ShapeError(
            f"the input has {channels} channels, expected {groups * depth} "
            f"(groups = {groups} times {depth} channels of the filter)"
        )
    if filters != DYNAMIC and filters % groups:
        raise ShapeError(f"groups = {groups} does not divide the filter's {filters} output channels")


def _check_bias(op: Conv2dOp, filters: int) -> None:
    if op.bias is None:
        return
    bias = shape_of(op.bias, "the bias")
    if len(bias) != 1:
        raise ShapeError(f"the bias has rank {len(bias)}, expected 1")
    same_extent(bias[0], filters, "the bias and the filter's output channels")
