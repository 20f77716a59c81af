"""Operators that move, repeat, select or drop elements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from lamina.dialects.nn.base import DYNAMIC
from lamina.lowering.importing.emitter import Unsupported, axis_of, rank, shape, static_shape
from lamina.lowering.onnx.node import Node
from lamina.lowering.onnx.rule_table import onnx_rule
from lamina.lowering.onnx.rules._spatial import pad

_END = 2**63 - 1


@onnx_rule("Transpose")
def transpose(node: Node) -> SSAValue:
    """Dimensions in another order, by default in the reverse one."""
    x = node.operand(0)
    permutation = list(node.attribute("perm", tuple(reversed(range(rank(x))))))
    return x if permutation == list(range(rank(x))) else node.emit("transpose", x, permutation=permutation)


@onnx_rule("Concat")
def concat(node: Node) -> SSAValue:
    """One after the other along an axis."""
    values = node.all_operands()
    return values[0] if len(values) == 1 else node.emit("concat", *values, axis=node.attribute("axis"))


@onnx_rule("Slice")
def slice_by_attributes(node: Node) -> SSAValue:
    """Bounds as attributes."""
    starts, ends = node.attribute("starts"), node.attribute("ends")
    return sliced(node, node.operand(0), starts, ends, node.attribute("axes"), None)


@onnx_rule("Slice", since=10)
def slice_operator(node: Node) -> SSAValue:
    """Bounds as operands."""
    x = node.operand(0)
    axes, steps = (
        _known(node, i, name) if node.optional(i) is not None else None
        for i, name in ((3, "axes"), (4, "steps"))
    )
    bounds = [node.known.list_of(node.operand(i)) for i in (1, 2)]
    starts, ends = ([n for n in elements or () if n is not None] for elements in bounds)
    if all(elements is not None and None not in elements for elements in bounds):
        return sliced(node, x, starts, ends, axes, steps)
    if bounds[0] is None:
        raise Unsupported("how many axes it slices is not known before the model runs")
    count = len(bounds[0])
    return node.emit(
        "dynamic_slice",
        x,
        node.cast(node.operand(1), i64),
        node.cast(node.operand(2), i64),
        axes=list(range(count)) if axes is None else axes,
        steps=[1] * count if steps is None else steps,
    )


def _known(node: Node, index: int, what: str) -> list[int]:
    """The elements of an operand that have to be known now."""
    elements = node.known.list_of(node.operand(index))
    if elements is None or None in elements:
        raise Unsupported(f"its {what} are computed while the model runs")
    return [int(n) for n in elements if n is not None]


def sliced(
    node: Node,
    x: SSAValue,
    starts: Sequence[int],
    ends: Sequence[int],
    axes: Sequence[int] | None,
    steps: Sequence[int] | None,
) -> SSAValue:
    """ONNX's Slice of the named axes, by default the first ones."""
    count = rank(x)
    full_starts, full_ends, full_steps = [0] * count, [_END] * count, [1] * count
    axes = range(len(starts)) if axes is None else axes
    for axis, start, end, step in zip(axes, starts, ends, steps or [1] * len(starts), strict=True):
        place = axis_of(axis, count)
        full_starts[place], full_ends[place], full_steps[place] = start, end, step
    return node.emit("slice", x, starts=full_starts, ends=full_ends, steps=full_steps)


@onnx_rule("Split")
def split(node: Node) -> Sequence[SSAValue]:
    """Parts along an axis: of given sizes, or so many equal ones, of which the last may be smaller."""
    x = node.operand(0)
    axis = axis_of(node.attribute("axis"), rank(x))
    if node.has("split"):
        sizes = list(node.attribute("split"))
    elif node.optional(1) is not None:
        sizes = [int(n) for n in node.required_constant(1, "list of sizes").ravel()]
    else:
        extent, count = shape(x)[axis], node.result_count
        if extent == DYNAMIC:
            raise Unsupported("it splits a dynamic axis into equal parts")
        size = -(-extent // count)
        sizes = [size] * (extent // size) if size else [0] * count
        sizes += [extent - size * len(sizes)] * (count - len(sizes))
    return node.emit_all("split", x, axis=axis, sizes=sizes)


@onnx_rule("Gather")
def gather(node: Node) -> SSAValue:
    """Slices at indices along an axis; negative ones count from the back."""
    return node.emit("gather", node.operand(0), node.operand(1), axis=node.attribute("axis"))


@onnx_rule("Tile")
def tile(node: Node) -> SSAValue:
    """The operand repeated as a whole."""
    return node.emit("tile", node.operand(0), repeats=_known(node, 1, "repeats"))


@onnx_rule("Pad")
def pad_by_attributes(node: Node) -> SSAValue:
    """Widths and value as attributes."""
    return _padded(node, list(node.attribute("pads")), node.attribute("value"))


@onnx_rule("Pad", since=11)
def pad_operator(node: Node) -> SSAValue:
    """Widths, value and axes as operands."""
    x = node.operand(0)
    widths = _known(node, 1, "pads")
    value = 0 if node.optional(2) is None else node.required_constant(2, "padding value").item()
    if node.optional(3) is not None:
        axes = [axis_of(axis, rank(x)) for axis in _known(node, 3, "axes")]
        full = [0] * 2 * rank(x)
        for i, axis in enumerate(axes):
            full[axis], full[rank(x) + axis] = widths[i], widths[len(axes) + i]
        widths = full
    return _padded(node, widths, value)


def _padded(node: Node, widths: list[int], value: float | bool) -> SSAValue:
    x, mode = node.operand(0), node.attribute("mode")
    low, high = widths[: rank(x)], widths[rank(x) :]
    if mode == "wrap":
        return _wrapped(node, x, low, high)
    return pad(node, x, low, high, mode, value if mode == "constant" else None)


def _wrapped(node: Node, x: SSAValue, low: list[int], high: list[int]) -> SSAValue:
    """Padding by the elements of the other end, each axis by a gather."""
    for axis, (before, after) in enumerate(zip(low, high, strict=True)):
        if before or after:
            extent = static_shape(x)[axis]
            places = np.arange(-before, extent + after, dtype=np.int64) % extent
            x = node.emit("gather", x, node.constant_of(places), axis=axis)
    return x


@onnx_rule("DepthToSpace")
def depth_to_space(node: Node) -> SSAValue:
    """Channels become blocks of pixels: depth before column, row, or column, row before depth."""
    x, size = node.operand(0), node.attribute("blocksize")
    n, c, h, w = _with_one_unknown(x)
    if node.attribute("mode", "DCR") == "DCR":
        split_shape, permutation = [n, size, size, c // size**2, h, w], [0, 3, 4, 1, 5, 2]
    else:
        split_shape, permutation = [n, c // size**2, size, size, h, w], [0, 1, 4, 2, 5, 3]
    blocks = node.emit("transpose", node.emit("reshape", x, shape=split_shape), permutation=permutation)
    return node.emit("reshape", blocks, shape=[n, c // size**2, h * size, w * size])


@onnx_rule("SpaceToDepth")
def space_to_depth(node: Node) -> SSAValue:
    """Blocks of pixels become channels, in front of (DCR) or behind (CRD) the channels there are."""
    x, size = node.operand(0), node.attribute("blocksize")
    n, c, h, w = _with_one_unknown(x)
    order = [0, 3, 5, 1, 2, 4] if node.attribute("mode", "DCR") == "DCR" else [0, 1, 3, 5, 2, 4]
    blocks = node.emit("reshape", x, shape=[n, c, h // size, size, w // size, size])
    blocks = node.emit("transpose", blocks, permutation=order)
    return node.emit("reshape", blocks, shape=[n, c * size**2, h // size, w // size])


def _with_one_unknown(x: SSAValue) -> tuple[int, int, int, int]:
    """The four extents of an image batch, -1 for a batch of unknown size."""
    n, c, h, w = shape(x)
    if DYNAMIC in (c, h, w):
        raise Unsupported("its operand's shape is dynamic")
    return (-1 if n == DYNAMIC else n), c, h, w


@onnx_rule("Trilu")
def triangle(node: Node) -> SSAValue:
    """The upper or lower triangle of matrices; the rest is zero."""
    x = node.operand(0)
    k = 0 if node.optional(1) is None else int(node.required_constant(1, "diagonal"))
    rows, columns = shape(x)[-2:]
    if DYNAMIC in (rows, columns):
        raise Unsupported("its operand's shape is dynamic")
    below = np.tri(rows, columns, k - 1 if node.attribute("upper") else k, dtype=np.bool_)
    mask = node.constant_of(~below if node.attribute("upper") else below)
    return node.emit("select", mask, x, node.constant_like(0, x))


@onnx_rule("OneHot")
def one_hot(node: Node) -> SSAValue:
    """The on-value at an index (negative: from the back) along a new axis, the off-value elsewhere."""
    indices, values = node.operand(0), node.operand(2)
    depth = int(node.required_constant(1, "depth").reshape(-1)[0])
    axis = axis_of(node.attribute("axis"), rank(indices) + 1)
    places = np.arange(depth).reshape([depth] + [1] * (rank(indices) - axis))
    limit = node.constant_like(depth, indices)
    negative = node.emit("less", indices, node.constant_like(0, indices))
    wrapped = node.emit("select", negative, node.emit("add", indices, limit), indices)
    spread = node.emit("unsqueeze", wrapped, axes=[axis])
    hit = node.emit("equal", spread, node.constant_like(places, indices))
    off, on = (
        node.emit("squeeze", node.emit("slice", values, starts=[i], ends=[i + 1], steps=[1]), axes=[0])
        for i in (0, 1)
    )
    return node.emit("select", hit, on, off)
