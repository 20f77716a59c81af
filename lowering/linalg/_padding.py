"""Padding with a constant, regular parts of tensors, and windows that slide over padded images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, TensorType, i64
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from lamina.dialects.nn.shapes._windows import Window
from lamina.lowering.linalg._builder import LinalgBuilder, Size, element, static_shape


def pad_constant(
    builder: LinalgBuilder, x: SSAValue, low: Sequence[int], high: Sequence[int], value: float | int
) -> SSAValue:
    """The tensor with ``value`` around it: an insertion into a fill."""
    if not any(low) and not any(high):
        return x
    own = builder.sizes(x)
    sizes = [plus(builder, n, before + after) for n, before, after in zip(own, low, high, strict=True)]
    return insert(builder, x, builder.fill(value, sizes, element(x.type)), list(low))


def insert(builder: LinalgBuilder, x: SSAValue, into: SSAValue, offsets: Sequence[Size]) -> SSAValue:
    """``x`` written into another tensor at offsets."""
    sizes = builder.sizes(x)
    if 0 in sizes:  # no elements to write, and slices must not start where a tensor ends
        return into
    op = tensor.InsertSliceOp.build(
        operands=[x, into, _unknown(offsets), _unknown(sizes), []],
        result_types=[into.type],
        properties={
            "static_offsets": _static(offsets),
            "static_sizes": _static(sizes),
            "static_strides": _static([1] * len(sizes)),
        },
    )
    return builder.named(op, builder.sizes(into))


def extract(
    builder: LinalgBuilder,
    x: SSAValue,
    offsets: Sequence[Size],
    sizes: Sequence[Size],
    strides: Sequence[int],
) -> SSAValue:
    """A regular part of a tensor: a view."""
    if 0 in sizes:
        return builder.empty(sizes, element(x.type))
    op = tensor.ExtractSliceOp.build(
        operands=[x, _unknown(offsets), _unknown(sizes), []],
        result_types=[TensorType(element(x.type), static_shape(sizes))],
        properties={
            "static_offsets": _static(offsets),
            "static_sizes": _static(sizes),
            "static_strides": _static(strides),
        },
    )
    return builder.named(op, sizes)


def _unknown(sizes: Sequence[Size]) -> list[SSAValue]:
    return [size for size in sizes if isinstance(size, SSAValue)]


def _static(sizes: Sequence[Size]) -> DenseArrayBase:
    return DenseArrayBase.from_list(i64, [n if isinstance(n, int) else DYNAMIC_INDEX for n in sizes])


def plus(builder: LinalgBuilder, size: Size, more: Size) -> Size:
    """The sum of sizes."""
    if isinstance(size, int) and isinstance(more, int):
        return size + more
    if more == 0:
        return size
    return builder.value(arith.AddiOp(builder.index(size), builder.index(more)))


@dataclass(frozen=True)
class Axis:
    """A window along one spatial dimension of a tensor, with its number of places."""

    window: Window
    extent: Size
    count: Size

    @property
    def high(self) -> int:
        """The padding behind the last element that all windows together reach into."""
        if isinstance(self.extent, int) and isinstance(self.count, int):
            return max(self.window.needed(self.count) - self.window.low - self.extent, 0)
        return self.window.high + (self.window.stride - 1 if self.window.ceil else 0)

    def position(self, place: int, tap: int) -> AffineExpr:
        """The index that loop ``place`` over windows and loop ``tap`` within one read together."""
        return (
            AffineExpr.dimension(place) * self.window.stride
            + AffineExpr.dimension(tap) * self.window.dilation
        )


def axis_of(builder: LinalgBuilder, window: Window, extent: Size) -> Axis:
    """The window with its number of places over an extent, computed at run time if that is unknown."""
    if isinstance(extent, int):
        return Axis(window, extent, window.count(extent, "elements"))
    s = builder.arithmetic()
    room = s.add(extent, window.low + window.high - window.reach)
    count = s.add(s.div(room, window.stride) if not window.ceil else s.ceil_div(room, window.stride), 1)
    if window.ceil:
        starts_late = s.compare("ge", s.mul(s.sub(count, 1), window.stride), s.add(extent, window.low))
        count = s.select(starts_late, s.sub(count, 1), count)
    return Axis(window, extent, count)
