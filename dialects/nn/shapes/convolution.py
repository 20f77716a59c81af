"""Shape rules of convolutions."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue

from lamina.dialects.nn.base import DYNAMIC, NnOp, ShapeError, shape_rule
from lamina.dialects.nn.convolution import Conv2dFilterGradientOp, Conv2dOp, ConvTranspose2dOp
from lamina.dialects.nn.shapes._checks import (
    expect_number,
    integer,
    integers,
    same_element,
    same_extent,
    shape_of,
)
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


@shape_rule("nn.conv_transpose2d")
def _(op: ConvTranspose2dOp) -> Sequence[Attribute]:
    x, w = _rank_4(op.x, "the operand"), _rank_4(op.w, "the filter")
    kind = same_element(op, op.operands)
    expect_number(kind)
    height, width = integers(op, "size", 2, minimum=0)
    groups = integer(op, "groups", minimum=1)
    if channels_last(op):
        n, *spatial, filters = x
        kernel_height, kernel_width, depth, wanted = w
    else:
        n, filters, *spatial = x
        wanted, depth, kernel_height, kernel_width = w
    same_extent(filters, wanted, "the operand's channels and the filter's output channels")
    channels = DYNAMIC if depth == DYNAMIC else groups * depth
    _check_groups(groups, channels, depth, wanted)
    _check_places(op, (kernel_height, kernel_width), (height, width), spatial)
    return [
        TensorType(kind, [n, height, width, channels] if channels_last(op) else [n, channels, height, width])
    ]


@shape_rule("nn.conv2d_filter_gradient")
def _(op: Conv2dFilterGradientOp) -> Sequence[Attribute]:
    x, grad = _rank_4(op.x, "the input"), _rank_4(op.grad, "the gradient")
    kind = same_element(op, op.operands)
    expect_number(kind)
    height, width = integers(op, "kernel", 2, minimum=1)
    groups = integer(op, "groups", minimum=1)
    last = channels_last(op)
    channels, filters = (x[3], grad[3]) if last else (x[1], grad[1])
    if channels != DYNAMIC and channels % groups:
        raise ShapeError(f"groups = {groups} does not divide the input's {channels} channels")
    depth = DYNAMIC if channels == DYNAMIC else channels // groups
    _check_groups(groups, channels, depth, filters)
    same_extent(x[0], grad[0], "the batches of input and gradient")
    first = 1 if last else 2
    _check_places(op, (height, width), x[first : first + 2], grad[first : first + 2])
    return [TensorType(kind, [height, width, depth, filters] if last else [filters, depth, height, width])]


def _rank_4(value: SSAValue, name: str) -> tuple[int, ...]:
    shape = shape_of(value, name)
    if len(shape) != 4:
        raise ShapeError(f"{name} has rank {len(shape)}, expected 4")
    return shape


def _check_places(op: NnOp, kernel: tuple[int, int], size: Sequence[int], places: Sequence[int]) -> None:
    """The convolution takes images of a size to so many places."""
    for window, extent, count, what in zip(
        windows(op, kernel), size, places, ("rows", "columns"), strict=True
    ):
        expected = window.count(extent, what)
        if DYNAMIC not in (expected, count) and expected != count:
            raise ShapeError(f"the convolution of {extent} {what} gives {expected}, not {count}")
