"""Operators whose result is a shape, or whose result's shape is an operand."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType, i64
from xdsl.ir import SSAValue

from lamina.dialects.core.constants import splat_attr
from lamina.dialects.core.dtypes import element_type
from lamina.dialects.nn.base import DYNAMIC
from lamina.lowering.importing.emitter import Unsupported, element, rank, shape
from lamina.lowering.onnx.node import Node
from lamina.lowering.onnx.rule_table import onnx_rule

_INFER = -1


@onnx_rule("Shape")
def shape_operator(node: Node) -> SSAValue:
    """The extents from ``start`` to ``end``; a constant where all of them are known."""
    x = node.operand(0)
    part = slice(node.attribute("start", 0), node.attribute("end"))
    extents = shape(x)[part]
    if DYNAMIC not in extents:
        return node.integers(extents)
    first, last, _ = part.indices(rank(x))
    whole = node.emit("shape_of", x)
    if len(extents) == rank(x):
        return whole
    return node.emit("slice", whole, starts=[first], ends=[last], steps=[1])


@onnx_rule("Size")
def size(node: Node) -> SSAValue:
    """The number of elements."""
    extents = shape(node.operand(0))
    if DYNAMIC not in extents:
        return node.constant_of(np.array(math.prod(extents), np.int64))
    return node.emit("reduce_prod", node.emit("shape_of", node.operand(0)), axes=[0], keepdims=False)


@onnx_rule("Reshape")
def reshape(node: Node) -> SSAValue:
    """To the extents of an operand; 0 keeps an extent (unless allowzero), -1 follows from the others."""
    return reshaped(node, node.operand(0), node.operand(1), bool(node.attribute("allowzero", 0)))


@onnx_rule("Flatten")
def flatten(node: Node) -> SSAValue:
    """A matrix: the dimensions before the axis, and those from it on."""
    x = node.operand(0)
    extents = shape(x)
    axis = node.attribute("axis")
    axis = axis + len(extents) if axis < 0 else axis
    parts = [extents[:axis], extents[axis:]]
    target = [DYNAMIC if DYNAMIC in part else math.prod(part) for part in parts]
    if target != [DYNAMIC, DYNAMIC]:
        return to_shape(node, x, target)
    rows = node.emit("slice", node.emit("shape_of", x), starts=[0], ends=[axis], steps=[1])
    rows = node.emit("reduce_prod", rows, axes=[0], keepdims=True)
    return node.emit("dynamic_reshape", x, node.emit("concat", rows, node.integers([_INFER]), axis=0))


def to_shape(node: Node, x: SSAValue, extents: Sequence[int]) -> SSAValue:
    """A reshape to extents of which at most one is unknown."""
    if extents.count(DYNAMIC) > 1:
        raise Unsupported("its operand's shape is dynamic")
    return node.emit("reshape", x, shape=[_INFER if n == DYNAMIC else n for n in extents])


def reshaped(node: Node, x: SSAValue, target: SSAValue, allowzero: bool = False) -> SSAValue:
    """ONNX's Reshape: a static ``nn.reshape`` where at most one extent is unknown, else a dynamic one."""
    wanted = node.known.list_of(target)
    if wanted is None:
        raise Unsupported("the rank of its result is not known before the model runs")
    extents = _resolved(wanted, shape(x), allowzero)
    unknown = [d for d, extent in enumerate(extents) if extent is None]
    if not unknown or (len(unknown) == 1 and 0 not in extents):
        return node.emit("reshape", x, shape=[_INFER if n is None else n for n in extents])
    kind = TensorType(element(x), [DYNAMIC if n is None else n for n in extents])
    return node.emit("dynamic_reshape", x, node.cast(target, i64), allowzero=allowzero, result_types=[kind])


def _resolved(wanted: Sequence[int | None], extents: Sequence[int], allowzero: bool) -> list[int | None]:
    """The extents of a reshape's result as far as they are known; None for the others, also for -1."""
    copied: list[int] = []
    result: list[int | None] = []
    for d, extent in enumerate(wanted):
        if extent == 0 and not allowzero:
            if d >= len(extents):
                raise Unsupported(f"its shape copies dimension {d}, which the operand does not have")
            copied.append(d)
            extent = None if extents[d] == DYNAMIC else extents[d]
        result.append(extent)
    if _INFER in result:
        place = result.index(_INFER)
        result[place] = None
        others = [d for d, extent in enumerate(result) if extent is None and d != place]
        dynamic = [d for d, extent in enumerate(extents) if extent == DYNAMIC]
        # Unknown extents that are copied from all of the operand's unknown ones cancel out.
        if [d for d in others if d in copied] == others == dynamic:
            known = math.prod(n for n in result if n is not None)
            elements = math.prod(n for n in extents if n != DYNAMIC)
            result[place] = elements // known if known and elements % known == 0 else None
    return result


@onnx_rule("Expand")
def expand(node: Node) -> SSAValue:
    """A broadcast with a shape: extents of 1 on either side give way."""
    return expanded(node, node.operand(0), node.operand(1))


def expanded(node: Node, x: SSAValue, target: SSAValue) -> SSAValue:
    """x broadcast with a shape that is a value; static where the elements that matter are known."""
    wanted = node.known.list_of(target)
    if wanted is None:
        raise Unsupported("the rank of its result is not known before the model runs")
    count = max(rank(x), len(wanted))
    have = [1] * (count - rank(x)) + list(shape(x))
    want = [1] * (count - len(wanted)) + list(wanted)
    known: list[int | None] = [_broadcast_extent(h, w) for h, w in zip(have, want, strict=True)]
    if None not in known:
        return node.emit("broadcast_to", x, shape=[n for n in known if n is not None])
    extents = [n if n is not None and n != _INFER else DYNAMIC for n in known]
    kind = TensorType(element(x), extents)
    return node.emit("dynamic_broadcast_to", x, node.cast(target, i64), result_types=[kind])


def _broadcast_extent(have: int, want: int | None) -> int | None:
    """The extent of a broadcast: -1 to keep that of the operand, None if only the target's value tells."""
    if want == 1 or (want is None and have not in (1, DYNAMIC)):
        return _INFER
    return want


@onnx_rule("ConstantOfShape")
def constant_of_shape(node: Node) -> SSAValue:
    """A tensor of one value."""
    target = node.operand(0)
    value = node.attribute("value")
    value = np.zeros(1, np.float32) if value is None else value
    wanted = node.known.list_of(target)
    if wanted is None:
        raise Unsupported("the rank of its result is not known before the model runs")
    if None not in wanted:
        kind = TensorType(element_type(value.dtype), [int(n) for n in wanted if n is not None])
        return node.constant_of(_splat(value, kind))
    return expanded(node, node.constant_of(value.reshape(())), target)


def _splat(value: np.ndarray, kind: TensorType) -> DenseIntOrFPElementsAttr:
    return splat_attr(value.reshape(()).item(), kind)


def axes_of(node: Node, index: int, name: str = "axes") -> list[int] | None:
    """Axes that are an attribute in older operator sets and a constant operand in newer; None if absent."""
    if node.has(name):
        return list(node.attribute(name))
    if node.optional(index) is None:
        return None
    return [int(axis) for axis in node.required_constant(index, "list of axes").ravel()]


@onnx_rule("Squeeze")
def squeeze(node: Node) -> SSAValue:
    """Without the named dimensions of extent 1, or without all of them."""
    x = node.operand(0)
    axes = axes_of(node, 1)
    if axes is None:
        if DYNAMIC in shape(x):
            raise Unsupported("it names no axes and the operand's shape is dynamic")
        axes = [d for d, extent in enumerate(shape(x)) if extent == 1]
    return node.emit("squeeze", x, axes=axes) if axes else x


@onnx_rule("Unsqueeze")
def unsqueeze(node: Node) -> SSAValue:
    """With further dimensions of extent 1."""
    axes = axes_of(node, 1)
    if axes is None:
        raise Unsupported("it names no axes")
    return node.emit("unsqueeze", node.operand(0), axes=axes) if axes else node.operand(0)


@onnx_rule("Range")
def arithmetic_range(node: Node) -> SSAValue:
    """start, start + delta, … below the limit."""
    return node.emit("arange", *(node.emit("reshape", node.operand(i), shape=[]) for i in range(3)))


@onnx_rule("EyeLike")
def eye_like(node: Node) -> SSAValue:
    """A matrix of ones on a diagonal, of another matrix's shape."""
    from lamina.dialects.core.dtypes import numpy_dtype
    from lamina.dialects.onnx.types import element_type_of

    x = node.operand(0)
    extents = shape(x)
    if DYNAMIC in extents:
        raise Unsupported("the shape of its operand is dynamic")
    kind = element_type_of(node.attribute("dtype")) if node.has("dtype") else element(x)
    return node.constant_of(np.eye(*extents, k=node.attribute("k"), dtype=numpy_dtype(kind)))
