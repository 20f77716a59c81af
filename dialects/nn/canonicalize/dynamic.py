"""Simplifications of operations whose shapes are values that are known after all."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import TensorType, i64
from xdsl.ir import SSAValue

from lamina.dialects.core.constants import constant_attr, constant_value
from lamina.dialects.nn.base import DYNAMIC, NnOp
from lamina.dialects.nn.canonicalize._shape_values import Entry, Extent, entries_of
from lamina.dialects.nn.canonicalize._simplification import simplification
from lamina.dialects.nn.canonicalize._structure import extents, is_static, like
from lamina.dialects.nn.constant import ConstantOp
from lamina.dialects.nn.dynamic import DynamicBroadcastToOp, DynamicReshapeOp, ShapeOfOp


@simplification("nn.shape_of")
def shape_of_known_shape(op: ShapeOfOp) -> ConstantOp | None:
    """A shape without unknown extents is a constant."""
    return _constant(extents(op.x), op.result) if is_static(op.x) else None


@simplification("nn.gather", "nn.slice", "nn.concat")
def part_of_known_shape(op: NnOp) -> ConstantOp | None:
    """Entries taken out of a shape are a constant if the extents they stand for are known."""
    result = op.results[0]
    if not isinstance(result.type, TensorType) or result.type.element_type != i64 or not is_static(result):
        return None
    if any(constant_value(operand) is not None for operand in op.operands[:1]) and op.name != "nn.concat":
        return None
    entries = entries_of(result) if len(extents(result)) <= 1 else None
    if entries is None:
        return None
    known = [entry for entry in entries if isinstance(entry, int)]
    return _constant(known, result) if len(known) == len(entries) else None


def _constant(values: Sequence[int], result: SSAValue) -> ConstantOp:
    array = np.array(values, np.int64).reshape(extents(result))
    return ConstantOp.of(constant_attr(array, result.type))


@simplification("nn.dynamic_reshape")
def dynamic_reshape_to_known_shape(op: DynamicReshapeOp) -> NnOp | None:
    """A shape of which at most one entry is unknown is a reshape with -1 there."""
    entries = entries_of(op.shape)
    wanted = _static_shape(op, entries) if entries is not None else None
    return like(op, "nn.reshape", [op.x], shape=wanted) if wanted is not None else None


def _static_shape(op: DynamicReshapeOp, entries: Sequence[Entry]) -> list[int] | None:
    """The requested shape as constants with at most one -1, or None."""
    shape = extents(op.x)
    if not op.attribute("allowzero"):
        entries = [_copied(e, d, op.x) if e == 0 else e for d, e in enumerate(entries)]
    known = math.prod(e for e in entries if isinstance(e, int) and e != -1)
    unknown = [e for e in entries if not isinstance(e, int)]
    if not unknown:
        return [e for e in entries if isinstance(e, int)]
    if len(unknown) > 1 or known == 0:
        return None
    if -1 not in entries:
        return [e if isinstance(e, int) else -1 for e in entries]
    others = math.prod(e for d, e in enumerate(shape) if unknown != [Extent(op.x, d)])
    if unknown[0] is None or DYNAMIC in [e for d, e in enumerate(shape) if unknown != [Extent(op.x, d)]]:
        return None
    if others == 0 or others % known:
        return None
    return [-1 if not isinstance(e, int) else others // known if e == -1 else e for e in entries]


def _copied(entry: Entry, dimension: int, x: SSAValue) -> Entry:
    """What a 0 stands for: the operand's extent at its place."""
    if dimension >= len(extents(x)):
        return entry
    extent = extents(x)[dimension]
    return Extent(x, dimension) if extent == DYNAMIC else extent


@simplification("nn.dynamic_broadcast_to")
def dynamic_broadcast_to_known_shape(op: DynamicBroadcastToOp) -> NnOp | None:
    """A constant shape is an attribute; where it has 1, the operand's extent stays."""
    wanted = constant_value(op.shape)
    if wanted is None or wanted.ndim != 1:
        return None
    target, have = wanted.tolist(), list(extents(op.x))
    rank = max(len(target), len(have))
    target = [1] * (rank - len(target)) + target
    have = [1] * (rank - len(have)) + have
    pairs = zip(target, have, strict=True)
    return like(op, "nn.broadcast_to", [op.x], shape=[-1 if w == 1 else w for w, _ in pairs])
