"""Reductions of windows: poolings, cumulative operations, and what is neither one dimension at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import SSAValue

from lamina.dialects.core.constants import constant_value
from lamina.lowering.importing.emitter import Unsupported, element, rank, shape, static_shape
from lamina.lowering.stablehlo.bodies import combined_by, results_of
from lamina.lowering.stablehlo.rules import stablehlo_rule
from lamina.lowering.stablehlo.rules.movement import padded, sliced
from lamina.lowering.stablehlo.rules.reduction import COMBINE, begins_neutral, kind_of
from lamina.lowering.stablehlo.site import Site

MAX_TAPS = 1024
"""Places of a window along one dimension up to which they are combined one after the other."""


class Windows(NamedTuple):
    """The windows over each dimension."""

    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: tuple[tuple[int, int], ...]


def _windows(site: Site, count: int) -> Windows:
    ones = (1,) * count
    return Windows(
        tuple(site.attribute("window_dimensions", ones)),
        tuple(site.attribute("window_strides", ones)),
        tuple(site.attribute("window_dilations", ones)),
        tuple(site.pairs("padding", count)),
    )


@stablehlo_rule("stablehlo.reduce_window")
def reduce_window(site: Site) -> SSAValue:
    """The window of one tensor, combined by one operation."""
    if len(site.op.results) != 1:
        raise Unsupported("it reduces several tensors together")
    value, start = site.operands
    [result] = results_of(site.op.regions[0].block)
    kind = kind_of(site, combined_by(result, 0, 1) or "another operation", value)
    windows = _windows(site, rank(value))
    neutral = begins_neutral(start, kind)
    spread = [n - 1 for n in site.attribute("base_dilations", (1,) * rank(value))]
    if any(spread) or not neutral or any(n < 0 for pair in windows.pads for n in pair):
        low, high = zip(*windows.pads, strict=True)
        value = padded(site, value, start, low, high, spread)
        windows = windows._replace(pads=((0, 0),) * rank(value))
    reduced = _cumulative(site, value, windows, kind) or _pooled(site, value, windows, kind)
    if reduced is None:
        reduced = _by_dimension(site, value, start, windows, kind)
    return reduced if neutral else site.emit(COMBINE[kind], reduced, start)


def _cumulative(site: Site, value: SSAValue, windows: Windows, kind: str) -> SSAValue | None:
    """A window that reaches from each element to the first or the last one of a dimension."""
    extents = shape(value)
    wide = [d for d, size in enumerate(windows.sizes) if size != 1]
    if len(wide) != 1 or kind in ("and", "or") or any(n != 1 for n in (*windows.strides, *windows.dilations)):
        return None
    [d] = wide
    if windows.sizes[d] != extents[d] or any(
        windows.pads[i] != (0, 0) for i in range(len(extents)) if i != d
    ):
        return None
    if windows.pads[d] not in ((extents[d] - 1, 0), (0, extents[d] - 1)):
        return None
    return site.emit(f"cum{kind}", value, axis=d, reverse=windows.pads[d][0] == 0)


def _pooled(site: Site, value: SSAValue, windows: Windows, kind: str) -> SSAValue | None:
    """A pooling over two neighbouring dimensions of images, or over one of sequences."""
    if not isinstance(element(value), AnyFloat) or kind not in ("max", "sum"):
        return None

    def pool(images: SSAValue, attributes: dict[str, Any]) -> SSAValue:
        if kind == "max":
            return site.emit("max_pool2d", images, **attributes)
        mean = site.emit("avg_pool2d", images, count_include_pad=True, **attributes)
        size = windows_of(windows)
        return site.emit("mul", mean, site.constant_like(float(size), mean))

    return on_images(site, value, windows, pool)


def windows_of(windows: Windows) -> int:
    """How many places a window has."""
    count = 1
    for size in windows.sizes:
        count *= size
    return count


def on_images(
    site: Site,
    value: SSAValue,
    windows: Windows,
    pool: Callable[[SSAValue, dict[str, Any]], SSAValue],
) -> SSAValue | None:
    """What a pooling gives for images ``[N, H, W, C]`` or ``[N, C, H, W]``, and for sequences as such.

    None where the windows are not over spatial dimensions alone.
    """
    wide = {d for d in range(len(windows.sizes)) if _is_wide(windows, d)}
    count = len(windows.sizes)
    if count == 4 and wide <= {1, 2}:
        return pool(value, _attributes(windows, [1, 2], "NHWC"))
    if count == 4 and wide <= {2, 3}:
        return pool(value, _attributes(windows, [2, 3], "NCHW"))
    if count == 3 and (wide <= {1} or wide <= {2}):
        [d] = wide or {1}
        at = d + 1
        images = site.emit("unsqueeze", value, axes=[at])
        lists = [
            (*entries[:at], unit, *entries[at:])
            for entries, unit in zip(windows, (1, 1, 1, (0, 0)), strict=True)
        ]
        whole = Windows(*lists)  # pyright: ignore[reportArgumentType]
        result = pool(images, _attributes(whole, [d, at], "NHWC" if d == 1 else "NCHW"))
        return site.emit("squeeze", result, axes=[at])
    return None


def _is_wide(windows: Windows, d: int) -> bool:
    """Whether windows do anything along a dimension."""
    return windows.sizes[d] != 1 or windows.strides[d] != 1 or windows.pads[d] != (0, 0)


def _attributes(windows: Windows, dims: Sequence[int], layout: str) -> dict[str, Any]:
    """The attributes of a pooling in `nn`."""
    pads = [windows.pads[d] for d in dims]
    return {
        "kernel": [windows.sizes[d] for d in dims],
        "strides": [windows.strides[d] for d in dims],
        "dilations": [windows.dilations[d] for d in dims],
        "pads": [pads[0][0], pads[1][0], pads[0][1], pads[1][1]],
        "layout": layout,
    }


def _by_dimension(site: Site, value: SSAValue, start: SSAValue, windows: Windows, kind: str) -> SSAValue:
    """The places of windows combined one after the other, for each dimension after the other."""
    low, high = zip(*windows.pads, strict=True)
    value = padded(site, value, start, low, high, [0] * rank(value))
    for d, (size, stride, dilation) in enumerate(zip(*windows[:3], strict=True)):
        if size == stride == 1:
            continue
        if size > MAX_TAPS:
            raise Unsupported(f"a window spans {size} places; up to {MAX_TAPS} are supported")
        extents = static_shape(value)
        count = (extents[d] - (size - 1) * dilation - 1) // stride + 1
        total: SSAValue | None = None
        for tap in range(size):
            begin = tap * dilation
            starts = [begin if i == d else 0 for i in range(len(extents))]
            ends = [begin + (count - 1) * stride + 1 if i == d else n for i, n in enumerate(extents)]
            part = sliced(site, value, starts, ends, [stride if i == d else 1 for i in range(len(extents))])
            total = part if total is None else site.emit(COMBINE[kind], total, part)
        assert total is not None
        value = total
    return value


@stablehlo_rule("stablehlo.select_and_scatter")
def select_and_scatter(site: Site) -> SSAValue:
    """The gradient of a pooling: each element goes to the largest or smallest of its window."""
    value, source, start = site.operands
    [selected] = results_of(site.op.regions[0].block)
    [scattered] = results_of(site.op.regions[1].block)
    largest = {("compare", "LE", 1, 0): True, ("compare", "LE", 0, 1): False}.get(selected)  # pyright: ignore[reportArgumentType]
    zero = constant_value(start)
    if largest is None or combined_by(scattered, 0, 1) != "add" or zero is None or zero.any():
        raise Unsupported("it is not the gradient of a maximum or minimum of windows")
    signed = value if largest else site.emit("neg", value)
    windows = _windows(site, rank(value))

    def pool(images: SSAValue, attributes: dict[str, Any]) -> SSAValue:
        grad = source if rank(images) == rank(source) else _like_images(site, source, images, windows)
        return site.emit("max_pool2d_gradient", images, grad, **attributes)

    result = on_images(site, signed, windows, pool)
    if result is None:
        raise Unsupported(f"its windows {windows.sizes} are not those of images or sequences")
    return result


def _like_images(site: Site, source: SSAValue, images: SSAValue, windows: Windows) -> SSAValue:
    """Sequences with the unit dimension that their images have."""
    d = next((d for d in range(len(windows.sizes)) if _is_wide(windows, d)), 1)
    return site.emit("unsqueeze", source, axes=[d + 1])
