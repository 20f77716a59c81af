"""Convolutions: what `nn.conv2d` has no attribute for is done to its operands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.ir import SSAValue

from lamina.dialects.stablehlo.attributes import Dimension
from lamina.lowering.importing.emitter import Unsupported, shape, static_shape
from lamina.lowering.stablehlo.rules import stablehlo_rule
from lamina.lowering.stablehlo.rules.movement import padded, reversed_along
from lamina.lowering.stablehlo.site import Site


class Windows(NamedTuple):
    """The windows of a convolution over two spatial dimensions."""

    strides: list[int]
    pads: list[tuple[int, int]]
    base_dilations: list[int]
    dilations: list[int]
    reversed: list[bool]

    def with_unit_dimension(self) -> Windows:
        """The same with a second dimension of extent 1."""
        return Windows(
            [*self.strides, 1],
            [*self.pads, (0, 0)],
            [*self.base_dilations, 1],
            [*self.dilations, 1],
            [*self.reversed, False],
        )


@stablehlo_rule("stablehlo.convolution")
def convolution(site: Site) -> SSAValue:
    """Input, kernel and result become ``[N, H, W, C]`` and ``[H, W, I, O]``, or stay channels-first."""
    dims: tuple[tuple[Dimension, ...], ...] = site.op.properties["dimension_numbers"].data  # pyright: ignore[reportAttributeAccessIssue]
    spatial = len(dims[0]) - 2
    if spatial not in (1, 2):
        raise Unsupported(f"it has {spatial} spatial dimensions; 1 and 2 are supported")
    windows = _windows(site, spatial)
    numbers = list(range(spatial))
    first = _is_channels_first(dims, numbers)
    orders = (
        (["b", "f", *numbers], ["o", "i", *numbers], ["b", "f", *numbers])
        if first
        else (["b", *numbers, "f"], [*numbers, "i", "o"], ["b", *numbers, "f"])
    )
    x, w = (
        site.transpose(site.cast(value, site.result_type.get_element_type()), [have.index(d) for d in order])
        for value, have, order in zip(site.operands, dims, orders, strict=False)
    )
    if spatial == 1:
        x, w = (
            site.emit("unsqueeze", x, axes=[3 if first else 2]),
            site.emit("unsqueeze", w, axes=[3 if first else 1]),
        )
        windows = windows.with_unit_dimension()
    result = _convolved(site, x, w, windows, first)
    if spatial == 1:
        result = site.emit("squeeze", result, axes=[3 if first else 2])
    return site.transpose(result, [orders[2].index(d) for d in dims[2]])


def _is_channels_first(dims: Sequence[Sequence[Dimension]], numbers: Sequence[int]) -> bool:
    """Whether input and result are channels-first as they are."""
    order = ["b", "f", *numbers]
    return list(dims[0]) == order and list(dims[2]) == order


def _windows(site: Site, spatial: int) -> Windows:
    ones = [1] * spatial
    return Windows(
        list(site.attribute("window_strides", ones)),
        site.pairs("padding", spatial),
        list(site.attribute("lhs_dilation", ones)),
        list(site.attribute("rhs_dilation", ones)),
        [bool(flag) for flag in site.attribute("window_reversal", [0] * spatial)],
    )


def _convolved(site: Site, x: SSAValue, w: SSAValue, windows: Windows, first: bool) -> SSAValue:
    """The convolution of operands in one of `nn`'s layouts."""
    at = 2 if first else 1
    kernel_at = 2 if first else 0
    w = reversed_along(site, w, [kernel_at + i for i, flag in enumerate(windows.reversed) if flag])
    pads = list(windows.pads)
    if any(n != 1 for n in windows.base_dilations) or any(n < 0 for pair in pads for n in pair):
        x, pads = _spread(site, x, windows, at), [(0, 0), (0, 0)]
    groups, batch_groups = site.attribute("feature_group_count"), site.attribute("batch_group_count")
    if batch_groups != 1:
        x, groups = _groups_from_batches(site, x, batch_groups, first), batch_groups
    (top, bottom), (left, right) = pads
    return site.emit(
        "conv2d",
        x,
        w,
        strides=windows.strides,
        pads=[top, left, bottom, right],
        dilations=windows.dilations,
        groups=groups,
        layout="NCHW" if first else "NHWC",
    )


def _spread(site: Site, x: SSAValue, windows: Windows, at: int) -> SSAValue:
    """The input with zeros between its elements and around it."""
    lists = [0] * 4, [0] * 4, [0] * 4
    for i, ((low, high), dilation) in enumerate(zip(windows.pads, windows.base_dilations, strict=True)):
        for numbers, number in zip(lists, (low, high, dilation - 1), strict=True):
            numbers[at + i] = number
    return padded(site, x, site.constant_like(0, x), *lists)


def _groups_from_batches(site: Site, x: SSAValue, groups: int, first: bool) -> SSAValue:
    """Each group of output channels sees one part of the batch: the parts become groups of input channels."""
    batch, *rest = static_shape(x)
    parts = site.reshape(x, [groups, batch // groups, *rest])
    order = [1, 0, 2, 3, 4] if first else [1, 2, 3, 0, 4]
    moved = site.transpose(parts, order)
    extents = list(shape(moved))
    merged = (
        [extents[0], extents[1] * extents[2], *extents[3:]]
        if first
        else [*extents[:3], extents[3] * extents[4]]
    )
    return site.reshape(moved, merged)
