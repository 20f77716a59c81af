"""``nn-propagate-layout``: convolutions channels-last, with as few transposes as possible."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import ShapedType
from xdsl.ir import Block, Operation

from lamina.dialects.nn.base import NnOp
from lamina.passes.framework.passes import ANY_OP, Pass, PassContext, option
from lamina.passes.nn._layout import Propagation
from lamina.passes.nn._layout_rules import convert_window, is_window, rewrite

_COLUMNS = 512
"""Pixels that make a product over images as good as one over channels."""
_POOLINGS = ("nn.max_pool2d", "nn.avg_pool2d")


@dataclass(frozen=True)
class NnPropagateLayout(Pass):
    """Turn convolutions from NCHW to NHWC, and let the ops between them compute channels-last.

    Native convolutions vectorise over output channels, which NHWC and a filter ``[KH, KW, I, O]`` have
    side by side. Filters that are constants are transposed here; values between convolutions are held
    channels-last through elementwise ops, poolings, concatenations, padding, slices, reductions, and reshapes
    and transposes that do not mix channels with other dimensions. A transpose remains where a value enters
    that form and where it leaves it, so a plain network has one for each 4-d input, and one before
    what flattens channels and space together. Results do not change.

    A function without a convolution stays as it is, and so does one whose convolutions are all depthwise or
    of many single pixels: those are products of matrices in either form.

    ```mlir
    func.func @f(%x: tensor<1x3x4x4xf32>) -> tensor<1x2xf32> {
      %w = nn.constant dense<0.5> : tensor<2x3x3x3xf32>
      %0 = nn.conv2d %x, %w : (tensor<1x3x4x4xf32>, tensor<2x3x3x3xf32>) -> tensor<1x2x2x2xf32>
      %1 = nn.relu %0 : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
      %2 = nn.reduce_mean %1 {axes = array<i64: 2, 3>} : (tensor<1x2x2x2xf32>) -> tensor<1x2xf32>
      return %2 : tensor<1x2xf32>
    }
    ```

    ```mlir
    func.func @f(%x: tensor<1x3x4x4xf32>) -> tensor<1x2xf32> {
      %0 = nn.transpose %x {permutation = array<i64: 0, 2, 3, 1>}
        : (tensor<1x3x4x4xf32>) -> tensor<1x4x4x3xf32>
      %w = nn.constant dense<0.5> : tensor<3x3x3x2xf32>
      %1 = nn.conv2d %0, %w {layout = "NHWC"}
        : (tensor<1x4x4x3xf32>, tensor<3x3x3x2xf32>) -> tensor<1x2x2x2xf32>
      %2 = nn.relu %1 : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
      %3 = nn.reduce_mean %2 {axes = array<i64: 1, 2>} : (tensor<1x2x2x2xf32>) -> tensor<1x2xf32>
      return %3 : tensor<1x2xf32>
    }
    ```
    """

    name = "nn-propagate-layout"
    anchor = ANY_OP
    statistics = {
        "converted": "operations that compute channels-last now",
        "transposes": "transposes in functions with convolutions, before",
        "transposes left": "transposes in functions with convolutions, after",
    }

    pooling: bool = option(True, "Also convert poolings whose operand is channels-first")

    def run(self, op: Operation, ctx: PassContext) -> None:
        for block in _blocks_with_convolutions(op):
            ctx.count("transposes", _transposes(block))
            ctx.count("converted", propagate_layout(block, pooling=self.pooling))
            ctx.count("transposes left", _transposes(block))


def propagate_layout(block: Block, *, pooling: bool = True) -> int:
    """Rewrite the ops of one block; returns how many compute channels-last now.

    With ``pooling``, poolings in NCHW start the form as convolutions do; without, they only keep it.
    """
    state = Propagation(block)
    roots = ("nn.conv2d", *(_POOLINGS if pooling else ()))
    for op in [*block.ops]:
        if isinstance(op, NnOp) and any(is_window(op, name) for name in roots):
            convert_window(state, op)
        else:
            rewrite(state, op)
    state.finish()
    return state.conversions


def _blocks_with_convolutions(root: Operation) -> list[Block]:
    """The blocks inside ``root`` that hold a convolution in NCHW which is better off channels-last."""
    found: dict[Block, None] = {}
    for op in root.walk():
        if op.parent is None or not isinstance(op, NnOp) or not is_window(op, "nn.conv2d"):
            continue
        if not _is_as_good_channels_first(op):
            found[op.parent] = None
    return [*found]


def _is_as_good_channels_first(op: NnOp) -> bool:
    """Whether a convolution vectorises over the columns of an image as well as over channels: alone, it
    is not worth the transposes. So are depthwise ones, and products of matrices with many columns."""
    image, kernel = (operand.type for operand in op.operands[:2])
    assert isinstance(image, ShapedType) and isinstance(kernel, ShapedType)
    _, channels, *window = kernel.get_shape()
    if op.attribute("groups") != 1:
        return channels == 1
    pointwise = window == [1, 1] and set(op.attribute("strides")) == {1} and set(op.attribute("pads")) == {0}
    return pointwise and prod(image.get_shape()[2:]) >= _COLUMNS


def _transposes(block: Block) -> int:
    return sum(op.name == "nn.transpose" for op in block.ops)
