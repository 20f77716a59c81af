"""Resampling of images: each axis by itself, with positions and weights computed in f64, as specified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from xdsl.ir import SSAValue

from lamina.dialects.nn.base import DYNAMIC
from lamina.lowering.importing.emitter import Unsupported, axis_of, rank, shape
from lamina.lowering.onnx.node import Node
from lamina.lowering.onnx.rule_table import onnx_rule
from lamina.lowering.onnx.rules.convolution import merge_axes

MAX_TAPS = 4
"""Weights per element up to which an axis is resampled by gathers, and not by a product with a matrix."""
_SAMPLE_EXTENT = 8


@dataclass(frozen=True)
class Mode:
    """How positions and weights follow from an output index."""

    interpolation: str = "nearest"
    coordinates: str = "asymmetric"
    rounding: str = "floor"
    cubic: float = -0.75
    exclude_outside: bool = False
    antialias: bool = False


@dataclass(frozen=True)
class Axis:
    """The resampling of one axis."""

    extent: int
    """DYNAMIC if unknown; then the scale has to be an integer."""
    scale: float
    size: int
    """The extent of the result."""
    start: float = 0.0
    end: float = 1.0
    """The region that tf_crop_and_resize takes, as fractions."""


@onnx_rule("Upsample", since=7)
def upsample_by_attribute(node: Node) -> SSAValue:
    """Scales as an attribute."""
    return _upsampled(node, node.attribute("scales"))


@onnx_rule("Upsample", since=9)
@onnx_rule("Resize", since=10)
def upsample(node: Node) -> SSAValue:
    """Scales as the second operand; before version 11, positions are asymmetric."""
    return _upsampled(node, node.required_constant(1, "scales").tolist())


def _upsampled(node: Node, scales: Sequence[float]) -> SSAValue:
    x = node.operand(0)
    axes = [_scaled_axis(n, s) for n, s in zip(shape(x), scales, strict=True)]
    return _resampled(node, x, dict(enumerate(axes)), Mode(node.attribute("mode")), None)


@onnx_rule("Resize", since=11)
def resize(node: Node) -> SSAValue:
    """Scales or sizes, of all axes or of those that an attribute names."""
    x, extents = node.operand(0), shape(node.operand(0))
    mode = Mode(
        node.attribute("mode"),
        node.attribute("coordinate_transformation_mode"),
        node.attribute("nearest_mode"),
        node.attribute("cubic_coeff_a"),
        bool(node.attribute("exclude_outside")),
        bool(node.attribute("antialias", 0)),
    )
    named = node.attribute("axes") or range(rank(x))
    places = [axis_of(axis, rank(x)) for axis in named]
    crop = mode.coordinates == "tf_crop_and_resize"
    region = node.required_constant(1, "region of interest") if crop else np.array([0.0, 1.0] * len(places))
    regions = region.reshape(2, -1).T if crop else region.reshape(-1, 2)
    axes = dict(zip(places, _axes(node, [extents[d] for d in places], regions), strict=True))
    outside = node.attribute("extrapolation_value") if crop else None
    return _resampled(node, x, axes, mode, outside)


def _axes(node: Node, extents: Sequence[int], regions: np.ndarray) -> list[Axis]:
    """The axes' extents, scales and sizes, from scales or from sizes under an aspect ratio policy."""
    given = node.optional(2)
    if given is not None and shape(given) != (0,):
        scales = node.required_constant(2, "scales").astype(np.float64).tolist()
        return [_scaled_axis(n, s, *r) for n, s, r in zip(extents, scales, regions.tolist(), strict=True)]
    sizes = node.known.list_of(node.operand(3))
    if sizes is None or None in sizes:
        raise Unsupported("its sizes are computed while the model runs")
    if DYNAMIC in extents:
        raise Unsupported("an axis that is resized to a size is dynamic")
    wanted = [int(n) for n in sizes if n is not None]
    scales = [w / n for w, n in zip(wanted, extents, strict=True)]
    policy = node.attribute("keep_aspect_ratio_policy", "stretch")
    if policy != "stretch":
        scale = min(scales) if policy == "not_larger" else max(scales)
        scales = [scale] * len(scales)
        wanted = [int(np.floor(n * scale + 0.5)) for n in extents]
    return [Axis(n, s, w, *r) for n, s, w, r in zip(extents, scales, wanted, regions.tolist(), strict=True)]


def _scaled_axis(extent: int, scale: float, start: float = 0.0, end: float = 1.0) -> Axis:
    size = DYNAMIC if extent == DYNAMIC else int(np.floor(extent * scale))
    return Axis(extent, scale, size, start, end)


def _resampled(node: Node, x: SSAValue, axes: dict[int, Axis], mode: Mode, outside: float | None) -> SSAValue:
    beyond: list[SSAValue] = []
    for place, axis in axes.items():
        x = _along_axis(node, x, place, axis, mode)
        if outside is not None and axis.extent != DYNAMIC:
            where = _positions(axis, mode)
            mask = (where < 0) | (where > axis.extent - 1)
            if mask.any():
                beyond.append(node.constant_of(mask.reshape([-1] + [1] * (rank(x) - place - 1))))
    if beyond and outside is not None:
        mask = reduce(lambda a, b: node.emit("logical_or", a, b), beyond)
        x = node.emit("select", mask, node.constant_like(outside, x), x)
    return x


def _along_axis(node: Node, x: SSAValue, place: int, axis: Axis, mode: Mode) -> SSAValue:
    if axis.extent == DYNAMIC:
        return _enlarged(node, x, place, axis, mode)
    if axis.size == axis.extent and axis.scale == 1 and mode.coordinates != "tf_crop_and_resize":
        return x
    places, weights = taps(axis, mode)
    if mode.interpolation == "nearest":
        factor = axis.size // axis.extent if axis.extent else 0
        if factor and np.array_equal(places[:, 0], np.arange(axis.extent).repeat(factor)):
            return _repeated(node, x, place, factor)
        return node.emit("gather", x, node.constant_of(places[:, 0]), axis=place)
    used = [k for k in range(places.shape[1]) if weights[:, k].any()]
    if len(used) > MAX_TAPS:
        return _by_matrix(node, x, place, axis, places, weights)
    behind = [1] * (rank(x) - place - 1)
    parts: list[SSAValue] = []
    for k in used:
        part = node.emit("gather", x, node.constant_of(places[:, k]), axis=place)
        factors = weights[:, k].reshape([-1, *behind])
        if not (factors == 1).all():
            part = node.emit("mul", part, node.constant_like(factors, x))
        parts.append(part)
    return reduce(lambda a, b: node.emit("add", a, b), parts)


def _enlarged(node: Node, x: SSAValue, place: int, axis: Axis, mode: Mode) -> SSAValue:
    """An axis of unknown extent, whose elements are each repeated."""
    factor = int(axis.scale)
    if factor == axis.scale == 1:
        return x
    if factor == axis.scale and factor > 0 and mode.interpolation == "nearest":
        sample = Axis(_SAMPLE_EXTENT, axis.scale, _SAMPLE_EXTENT * factor)
        if np.array_equal(taps(sample, mode)[0][:, 0], np.arange(_SAMPLE_EXTENT).repeat(factor)):
            return _repeated(node, x, place, factor)
    raise Unsupported(f"axis {place} is dynamic")


def _repeated(node: Node, x: SSAValue, place: int, factor: int) -> SSAValue:
    """Each element along an axis so many times."""
    if factor == 1:
        return x
    apart = node.emit("unsqueeze", x, axes=[place + 1])
    repeats = [factor if d == place + 1 else 1 for d in range(rank(apart))]
    return merge_axes(node, node.emit("tile", apart, repeats=repeats), place)


def _by_matrix(
    node: Node, x: SSAValue, place: int, axis: Axis, places: np.ndarray, weights: np.ndarray
) -> SSAValue:
    """A product with the matrix of all weights ``[extent, size]``, along the last axis."""
    matrix = np.zeros((axis.extent, axis.size))
    for k in range(places.shape[1]):
        np.add.at(matrix, (places[:, k], np.arange(axis.size)), weights[:, k])
    last = rank(x) - 1
    swap = [last if d == place else place if d == last else d for d in range(rank(x))]
    turned = x if place == last else node.emit("transpose", x, permutation=swap)
    product = node.emit("matmul", turned, node.constant_like(matrix, x))
    return product if place == last else node.emit("transpose", product, permutation=swap)


def _positions(axis: Axis, mode: Mode) -> np.ndarray:
    """Where each element of the result lies in the operand."""
    i = np.arange(axis.size, dtype=np.float64)
    extent, scale = axis.extent, axis.scale
    exact = scale * extent
    match mode.coordinates:
        case "half_pixel":
            return (i + 0.5) / scale - 0.5
        case "half_pixel_symmetric":
            return extent / 2 * (1 - axis.size / exact) + (i + 0.5) / scale - 0.5
        case "pytorch_half_pixel":
            return (i + 0.5) / scale - 0.5 if axis.size > 1 else np.zeros(axis.size)
        case "align_corners":
            return i * (extent - 1) / (exact - 1) if exact != 1 else np.zeros(axis.size)
        case "asymmetric":
            return i / scale
        case "tf_half_pixel_for_nn":
            return (i + 0.5) / scale
        case "tf_crop_and_resize":
            span = (axis.end - axis.start) * (extent - 1)
            steps = i * span / (exact - 1) if exact != 1 else np.full(axis.size, span / 2)
            return axis.start * (extent - 1) + steps
        case other:
            raise Unsupported(f"the coordinate transformation '{other}' is not supported")


def taps(axis: Axis, mode: Mode) -> tuple[np.ndarray, np.ndarray]:
    """For each element of the result, the elements it is made of and their weights: ``[size, taps]``."""
    where = _positions(axis, mode)
    if mode.interpolation == "nearest":
        places = _rounded(where, mode.rounding)[:, None]
        return np.clip(places, 0, axis.extent - 1), np.ones(places.shape)
    # The element to the left of a position, which is at most 1 and more than 0 away.
    left = np.ceil(where) - 1
    ratio = (where - left)[:, None]
    reach = 1 if mode.interpolation == "linear" else 2
    shrink = min(axis.scale, 1.0) if mode.antialias else 1.0
    start = int(np.floor(-reach / shrink) + 1)
    offsets = np.arange(start, 2 - start)[None, :]
    distance = np.abs((offsets - ratio) * shrink)
    weights = np.clip(1 - distance, 0, 1) if reach == 1 else _cubic(distance, mode.cubic)
    places = (left[:, None] + offsets).astype(np.int64)
    if mode.exclude_outside:
        weights = np.where((places < 0) | (places >= axis.extent), 0, weights)
    if mode.exclude_outside or mode.antialias:
        weights = weights / weights.sum(axis=1, keepdims=True)
    return np.clip(places, 0, axis.extent - 1), weights


def _rounded(where: np.ndarray, rounding: str) -> np.ndarray:
    match rounding:
        case "round_prefer_floor":
            return np.ceil(where - 0.5).astype(np.int64)
        case "round_prefer_ceil":
            return np.floor(where + 0.5).astype(np.int64)
        case "ceil":
            return np.ceil(where).astype(np.int64)
        case _:
            return np.floor(where).astype(np.int64)


def _cubic(distance: np.ndarray, a: float) -> np.ndarray:
    """Keys' cubic kernel."""
    near = ((a + 2) * distance - (a + 3)) * distance**2 + 1
    far = ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a
    return np.where(distance <= 1, near, np.where(distance < 2, far, 0.0))
