"""Constants, and operations that move, repeat or drop elements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType, i64
from xdsl.ir import SSAValue

from lamina.dialects.core.constants import constant_attribute, constant_value, is_splat, splat_attr
from lamina.lowering.importing.emitter import Unsupported, element, rank, shape, static_shape
from lamina.lowering.stablehlo.rules import stablehlo_rule
from lamina.lowering.stablehlo.site import Site

_TO_THE_END = (1 << 62, -(1 << 62))


@stablehlo_rule("stablehlo.constant")
def constant(site: Site) -> SSAValue:
    """The same value."""
    return site.constant_of(site.op.properties["value"])


@stablehlo_rule("stablehlo.iota")
def iota(site: Site) -> SSAValue:
    """A counter along one dimension, repeated along the others."""
    kind, dimension = site.result_type, site.attribute("iota_dimension")
    extents = kind.get_shape()
    counter = counted(site, extents[dimension], kind.get_element_type())
    value = site.reshape(counter, [n if d == dimension else 1 for d, n in enumerate(extents)])
    if list(shape(value)) != list(extents):
        value = site.emit("broadcast_to", value, shape=extents)
    site.counters[value] = dimension
    return value


def counted(site: Site, count: int, kind: object) -> SSAValue:
    """``0, 1, …`` as a vector of an element type."""
    if isinstance(kind, IntegerType) or count <= 64:
        bounds = [site.constant_of(np.array(n, np.int64)) for n in (0, count, 1)]
        return site.cast(site.emit("arange", *bounds), kind)  # pyright: ignore[reportArgumentType]
    return site.cast(counted(site, count, i64), kind)  # pyright: ignore[reportArgumentType]


@stablehlo_rule("stablehlo.reshape")
def reshape(site: Site) -> SSAValue:
    """Another shape."""
    return site.reshape(site.operands[0], site.result_type.get_shape())


@stablehlo_rule("stablehlo.transpose")
def transpose(site: Site) -> SSAValue:
    """Another order of dimensions."""
    return site.transpose(site.operands[0], site.attribute("permutation"))


@stablehlo_rule("stablehlo.broadcast_in_dim")
def broadcast_in_dim(site: Site) -> SSAValue:
    """Dimensions in their new order and place, then a broadcast as NumPy's."""
    [value] = site.operands
    wanted = site.result_type.get_shape()
    places = list(site.attribute("broadcast_dimensions"))
    splat = _splat(site, value)
    if splat is not None:
        return splat
    order = sorted(range(len(places)), key=lambda i: places[i])
    extents = shape(value)
    column = [1] * len(wanted)
    for i in order:
        column[places[i]] = extents[i]
    value = site.reshape(site.transpose(value, order), column)
    return value if list(wanted) == column else site.emit("broadcast_to", value, shape=wanted)


def _splat(site: Site, value: SSAValue) -> SSAValue | None:
    """A constant of one value in the result's shape, where the operand is one."""
    attribute = constant_attribute(value)
    if not isinstance(attribute, DenseIntOrFPElementsAttr) or not is_splat(attribute) or 0 in shape(value):
        return None
    array = constant_value(value)
    assert array is not None
    return site.constant_of(splat_attr(array.reshape(-1)[0].item(), site.result_type))


@stablehlo_rule("stablehlo.broadcast")
def broadcast(site: Site) -> SSAValue:
    """New dimensions in front, as NumPy's broadcast makes them."""
    return site.emit("broadcast_to", site.operands[0], shape=site.result_type.get_shape())


@stablehlo_rule("stablehlo.reverse")
def reverse(site: Site) -> SSAValue:
    """A slice with negative steps."""
    return reversed_along(site, site.operands[0], site.attribute("dimensions"))


def reversed_along(site: Site, value: SSAValue, dimensions: Sequence[int]) -> SSAValue:
    """The elements in reverse order along dimensions."""
    if not dimensions:
        return value
    steps = [-1 if d in dimensions else 1 for d in range(rank(value))]
    starts = [-1 if step < 0 else 0 for step in steps]
    ends = [_TO_THE_END[step < 0] for step in steps]
    return site.emit("slice", value, starts=starts, ends=ends, steps=steps)


@stablehlo_rule("stablehlo.concatenate")
def concatenate(site: Site) -> SSAValue:
    """One after the other."""
    return site.emit("concat", *site.operands, axis=site.attribute("dimension"))


@stablehlo_rule("stablehlo.slice")
def slice_(site: Site) -> SSAValue:
    """Bounds are within the operand, so that no clamping takes place."""
    starts, ends = site.attribute("start_indices"), site.attribute("limit_indices")
    return sliced(site, site.operands[0], starts, ends, site.attribute("strides"))


def sliced(
    site: Site, value: SSAValue, starts: Sequence[int], ends: Sequence[int], steps: Sequence[int]
) -> SSAValue:
    """A part of a value, itself if it is all of it."""
    whole = zip(starts, ends, steps, shape(value), strict=True)
    if all(start == 0 and end == n and step == 1 for start, end, step, n in whole):
        return value
    return site.emit("slice", value, starts=starts, ends=ends, steps=steps)


@stablehlo_rule("stablehlo.pad")
def pad(site: Site) -> SSAValue:
    """Elements between, before and after, in this order; negative numbers take away at last."""
    value, filler = site.operands
    low, high = site.attribute("edge_padding_low"), site.attribute("edge_padding_high")
    return padded(site, value, filler, low, high, site.attribute("interior_padding"))


def padded(
    site: Site,
    value: SSAValue,
    filler: SSAValue,
    low: Sequence[int],
    high: Sequence[int],
    interior: Sequence[int],
) -> SSAValue:
    """A value with a filler before, after and between its elements."""
    number = constant_value(filler)
    if number is not None:
        return _padded(site, value, number.reshape(-1)[0].item(), low, high, interior)
    kind = element(value)
    inside = site.constant_of(np.ones(static_shape(value), np.bool_))
    mask = _padded(site, inside, False, low, high, interior)
    zeros = False if kind == element(mask) else 0
    return site.emit("select", mask, _padded(site, value, zeros, low, high, interior), filler)


def _padded(
    site: Site,
    value: SSAValue,
    number: float | int | bool,
    low: Sequence[int],
    high: Sequence[int],
    interior: Sequence[int],
) -> SSAValue:
    for d, between in enumerate(interior):
        if between and shape(value)[d] > 1:
            value = _spread(site, value, d, between, number)
    positive = [max(n, 0) for n in low], [max(n, 0) for n in high]
    if any((*positive[0], *positive[1])):
        value = site.emit("pad", value, low=positive[0], high=positive[1], value=number)
    starts = [max(-n, 0) for n in low]
    ends = [n - max(-h, 0) for n, h in zip(shape(value), high, strict=True)]
    return sliced(site, value, starts, ends, [1] * len(starts))


def _spread(site: Site, value: SSAValue, d: int, between: int, number: float | int | bool) -> SSAValue:
    """``between`` fillers between neighbours along a dimension: behind each element, and none at the end."""
    extents = list(static_shape(value))
    count = extents[d]
    wide = site.reshape(value, [*extents[: d + 1], 1, *extents[d + 1 :]])
    after = [between if i == d + 1 else 0 for i in range(len(extents) + 1)]
    wide = site.emit("pad", wide, low=[0] * len(after), high=after, value=number)
    extents[d] = count * (1 + between)
    flat = site.reshape(wide, extents)
    ends = [n - between if i == d else n for i, n in enumerate(extents)]
    return sliced(site, flat, [0] * len(extents), ends, [1] * len(extents))


@stablehlo_rule("stablehlo.get_dimension_size")
def get_dimension_size(site: Site) -> SSAValue:
    """An extent that is known."""
    extent = static_shape(site.operands[0])[site.attribute("dimension")]
    if extent >= 1 << 31:
        raise Unsupported(f"the extent {extent} does not fit into i32")
    return site.constant_of(np.array(extent, np.int32))
