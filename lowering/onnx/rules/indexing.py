"""Gathers and scatters by elements: index arithmetic, and ``nn.gather`` on flat tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from lamina.lowering.importing.emitter import Unsupported, axis_of, rank, shape, static_shape
from lamina.lowering.onnx.node import Node
from lamina.lowering.onnx.rule_table import onnx_rule

MAX_PAIRS = 1 << 22
"""Pairs of elements and updates up to which a scatter with computed indices compares each with each."""
_IDENTITIES = {"add": 0, "mul": 1}
_OPS = {"add": "add", "mul": "mul", "max": "maximum", "min": "minimum"}


def strides_of(extents: Sequence[int]) -> list[int]:
    """How far apart neighbours along each dimension are in row-major order."""
    return [math.prod(extents[d + 1 :]) for d in range(len(extents))]


def flat(node: Node, x: SSAValue) -> SSAValue:
    """All elements in one dimension."""
    return node.emit("reshape", x, shape=[-1] if 0 not in shape(x) else [0])


def from_front(node: Node, indices: SSAValue, extent: int) -> SSAValue:
    """Indices as i64, negative ones counted from the front."""
    wide = node.cast(indices, i64)
    negative = node.emit("less", wide, node.constant_like(0, wide))
    return node.emit("select", negative, node.emit("add", wide, node.constant_like(extent, wide)), wide)


def _places_along(node: Node, indices: SSAValue, extents: Sequence[int], axis: int) -> SSAValue:
    """The flat places of elements whose index along an axis is given, and otherwise their own place."""
    strides = strides_of(extents)
    grid = np.indices(static_shape(indices), dtype=np.int64, sparse=True)
    base = sum(
        (grid[d] * strides[d] for d in range(len(extents)) if d != axis), np.zeros((1,) * len(extents))
    )
    along = from_front(node, indices, extents[axis])
    scaled = node.emit("mul", along, node.constant_like(strides[axis], along))
    return node.emit("add", scaled, node.constant_of(np.asarray(base, np.int64)))


@onnx_rule("GatherElements")
def gather_elements(node: Node) -> SSAValue:
    """``data[i, index[i, j], …]`` along an axis."""
    data, indices = node.operand(0), node.operand(1)
    axis = axis_of(node.attribute("axis"), rank(data))
    places = _places_along(node, indices, static_shape(data), axis)
    return node.emit("gather", flat(node, data), places, axis=0)


@onnx_rule("GatherND")
def gather_nd(node: Node) -> SSAValue:
    """Slices at tuples of indices, below common batch dimensions."""
    data, indices, batch = node.operand(0), node.operand(1), node.attribute("batch_dims", 0)
    width = shape(indices)[-1]
    if batch == 0 and width == 1:
        return node.emit("gather", data, node.emit("squeeze", indices, axes=[-1]), axis=0)
    extents = static_shape(data)
    places = _places_of_tuples(node, indices, extents, batch)
    rest = list(extents[batch + width :])
    table = node.emit("reshape", data, shape=[math.prod(extents[: batch + width]), *rest])
    return node.emit("gather", table, places, axis=0)


def _places_of_tuples(node: Node, indices: SSAValue, extents: Sequence[int], batch: int = 0) -> SSAValue:
    """Row-major places, among the leading dimensions, of the tuples along the last axis of the indices."""
    *outer, width = static_shape(indices)
    strides = strides_of(extents[: batch + width])
    grid = np.indices(outer, dtype=np.int64, sparse=True)
    base = sum((grid[d] * strides[d] for d in range(batch)), np.zeros((1,) * len(outer), np.int64))
    places = node.constant_of(np.asarray(base, np.int64))
    for k in range(width):
        part = _last(node, indices, k)
        along = from_front(node, part, extents[batch + k])
        scaled = node.emit("mul", along, node.constant_like(strides[batch + k], along))
        places = node.emit("add", places, scaled)
    return places


def _last(node: Node, x: SSAValue, index: int) -> SSAValue:
    """The elements at an index of the last axis."""
    return node.emit("gather", x, node.constant_of(np.array(index, np.int64)), axis=rank(x) - 1)


@onnx_rule("Scatter", "ScatterElements")
def scatter_elements(node: Node) -> SSAValue:
    """A copy of the data with updates at places along an axis."""
    data, indices, updates = node.operand(0), node.operand(1), node.operand(2)
    axis = axis_of(node.attribute("axis"), rank(data))
    places = _places_along(node, indices, static_shape(data), axis)
    return _scattered(node, data, flat(node, places), flat(node, updates), 1)


@onnx_rule("ScatterND")
def scatter_nd(node: Node) -> SSAValue:
    """A copy of the data with slices put at tuples of indices."""
    data, indices, updates = node.operand(0), node.operand(1), node.operand(2)
    extents, width = static_shape(data), shape(indices)[-1]
    places = flat(node, _places_of_tuples(node, indices, extents))
    return _scattered(node, data, places, flat(node, updates), math.prod(extents[width:]))


def _scattered(node: Node, data: SSAValue, places: SSAValue, updates: SSAValue, size: int) -> SSAValue:
    """Runs of ``size`` updates at places of the flat data."""
    extents = static_shape(data)
    total, count = math.prod(extents), shape(places)[0]
    reduction = node.attribute("reduction", "none")
    if count == 0 or total == 0:
        return data
    elements = flat(node, data)
    if size > 1:
        spread = node.emit("unsqueeze", node.emit("mul", places, node.integers([size])), axes=[1])
        places = flat(node, node.emit("add", spread, node.integers(range(size))))
    if reduction == "none":
        result = _overwritten(node, elements, places, updates)
    else:
        result = _accumulated(node, elements, places, updates, reduction)
    return node.emit("reshape", result, shape=list(extents))


def _overwritten(node: Node, elements: SSAValue, places: SSAValue, updates: SSAValue) -> SSAValue:
    """The last update of each place, else what was there."""
    total = shape(elements)[0]
    both = node.emit("concat", elements, updates, axis=0)
    hits = _hits(node, places, total)
    order = node.integers(range(1, shape(places)[0] + 1))
    zero = node.constant_of(np.array(0, np.int64))
    latest = node.emit("reduce_max", node.emit("select", hits, order, zero), axes=[1], keepdims=False)
    kept = node.emit("equal", latest, zero)
    moved = node.emit("add", latest, node.constant_of(np.array(total - 1, np.int64)))
    return node.emit("gather", both, node.emit("select", kept, node.integers(range(total)), moved), axis=0)


def _accumulated(node: Node, elements: SSAValue, places: SSAValue, updates: SSAValue, how: str) -> SSAValue:
    """All updates of each place and what was there, combined."""
    if how not in _OPS:
        raise Unsupported(f"the reduction '{how}' is not supported")
    hits = _hits(node, places, shape(elements)[0])
    if how in _IDENTITIES:
        neutral = node.constant_like(_IDENTITIES[how], updates)
        chosen = node.emit("select", hits, updates, neutral)
        name = "reduce_sum" if how == "add" else "reduce_prod"
        return node.emit(_OPS[how], elements, node.emit(name, chosen, axes=[1], keepdims=False))
    own = node.emit("unsqueeze", elements, axes=[1])
    chosen = node.emit("select", hits, updates, own)
    combined = node.emit(f"reduce_{how}", chosen, axes=[1], keepdims=False)
    return node.emit(_OPS[how], elements, combined)


def _hits(node: Node, places: SSAValue, total: int) -> SSAValue:
    """Which updates (columns) go to which places (rows)."""
    if total * shape(places)[0] > MAX_PAIRS:
        raise Unsupported(f"{shape(places)[0]} updates of {total} elements are too many")
    rows = node.constant_of(np.arange(total, dtype=np.int64)[:, None])
    return node.emit("equal", rows, places)


@onnx_rule("Compress")
def compress(node: Node) -> SSAValue:
    """The slices that a constant condition selects."""
    chosen = np.flatnonzero(node.required_constant(1, "condition").ravel())
    x = node.operand(0)
    if node.has("axis"):
        return node.emit("gather", x, node.constant_of(chosen), axis=node.attribute("axis"))
    return node.emit("gather", flat(node, x), node.constant_of(chosen), axis=0)


@onnx_rule("ReverseSequence")
def reverse_sequence(node: Node) -> SSAValue:
    """The first steps of each sequence, as many as its length, in the reverse order."""
    x, lengths = node.operand(0), node.operand(1)
    time, batch = node.attribute("time_axis"), node.attribute("batch_axis")
    extents = static_shape(x)
    steps = np.arange(extents[time], dtype=np.int64)
    wide = node.cast(lengths, i64)
    axes = [1 if batch < time else 0]
    wide = node.emit("unsqueeze", wide, axes=axes)
    line = node.constant_of(steps[None, :] if batch < time else steps[:, None])
    mirrored = node.emit("sub", node.emit("sub", wide, line), node.constant_of(np.array(1, np.int64)))
    order = node.emit("select", node.emit("less", line, wide), mirrored, line)
    rest = [1] * (len(extents) - 2)
    order = node.emit("reshape", order, shape=[*shape(order), *rest])
    order = node.emit("broadcast_to", order, shape=list(extents))
    return node.emit("gather", flat(node, x), _places_along(node, order, extents, time), axis=0)


@onnx_rule("TopK", since=10)
def top_k(node: Node) -> list[SSAValue]:
    """The k largest or smallest along an axis in order, by each element's rank among all."""
    x, axis = node.operand(0), axis_of(node.attribute("axis"), rank(node.operand(0)))
    k = int(node.required_constant(1, "number of elements").reshape(-1)[0])
    extents = static_shape(x)
    extent = extents[axis]
    if math.prod(extents) * extent > MAX_PAIRS:
        raise Unsupported(f"the order of {extent} elements is too much to be found by comparing each pair")
    last = rank(x) - 1
    swap = [last if d == axis else axis if d == last else d for d in range(rank(x))]
    rows = x if axis == last else node.emit("transpose", x, permutation=swap)
    mine, others = node.emit("unsqueeze", rows, axes=[-1]), node.emit("unsqueeze", rows, axes=[-2])
    ahead = node.emit("greater" if node.attribute("largest", 1) else "less", others, mine)
    earlier = node.constant_of(np.tri(extent, extent, -1, dtype=np.bool_))
    tied = node.emit("logical_and", node.emit("equal", others, mine), earlier)
    before = node.cast(node.emit("logical_or", ahead, tied), i64)
    ranks = node.emit("unsqueeze", node.emit("reduce_sum", before, axes=[-1], keepdims=False), axes=[-2])
    hits = node.emit("equal", ranks, node.constant_of(np.arange(k, dtype=np.int64)[:, None]))
    results: list[SSAValue] = []
    for values in (others, node.integers(range(extent))):
        zero = node.constant_like(0, values)
        chosen = node.emit("select", hits, values, zero)
        found = node.emit("reduce_sum", chosen, axes=[-1], keepdims=False)
        results.append(found if axis == last else node.emit("transpose", found, permutation=swap))
    return results
