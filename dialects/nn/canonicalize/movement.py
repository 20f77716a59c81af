"""Simplifications of reshapes, transposes, broadcasts, padding and gathers."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from lamina.dialects.core.constants import constant_value
from lamina.dialects.nn.base import DYNAMIC, NnOp, ShapeError, make
from lamina.dialects.nn.canonicalize._simplification import add_pattern, defining, simplification
from lamina.dialects.nn.canonicalize._structure import (
    changed,
    extents,
    is_static,
    like,
    nonnegative_axis,
    register,
    reshape_like,
)
from lamina.dialects.nn.canonicalize.convolution import padding_value
from lamina.dialects.nn.elementwise import ElementwiseOp
from lamina.dialects.nn.movement import (
    BroadcastToOp,
    GatherOp,
    PadOp,
    ReshapeOp,
    SqueezeOp,
    TileOp,
    TransposeOp,
    UnsqueezeOp,
)

register(nonnegative_axis, "nn.gather")


@simplification("nn.reshape")
def reshape_of_reshape(op: ReshapeOp) -> SSAValue | NnOp | None:
    """Only the last of two reshapes counts."""
    inner = defining(op.x, "nn.reshape", "nn.squeeze", "nn.unsqueeze")
    return reshape_like(op, inner.x) if inner is not None else None


@simplification("nn.reshape")
def reshape_to_same_type(op: ReshapeOp) -> SSAValue | None:
    """A reshape to the operand's own shape; of several unknown extents the order might differ."""
    shape = extents(op.x)
    ambiguous = shape.count(DYNAMIC) > (0 if 0 in shape else 1)
    return op.x if op.x.type == op.result.type and not ambiguous else None


@simplification("nn.reshape")
def reshape_without_inferred_extent(op: ReshapeOp) -> NnOp | None:
    """A -1 whose extent is known is written as that extent."""
    shape = extents(op.result)
    return changed(op, shape=list(shape)) if -1 in op.attribute("shape") and DYNAMIC not in shape else None


@simplification("nn.squeeze", "nn.unsqueeze")
def squeeze_is_reshape(op: SqueezeOp | UnsqueezeOp) -> SSAValue | NnOp | None:
    """Dropping and adding dimensions of extent 1 is a reshape."""
    return reshape_like(op, op.x)


@simplification("nn.transpose")
def transpose_of_transpose(op: TransposeOp) -> SSAValue | NnOp | None:
    """Two permutations are one."""
    inner = defining(op.x, "nn.transpose")
    if inner is None:
        return None
    first, second = inner.attribute("permutation"), op.attribute("permutation")
    return like(op, op.name, [inner.x], permutation=[first[i] for i in second])


@simplification("nn.transpose")
def transpose_of_unit_dimensions(op: TransposeOp) -> SSAValue | NnOp | None:
    """A permutation that keeps the order of all extents but 1 moves no element."""
    shape, permutation = extents(op.x), op.attribute("permutation")
    if list(permutation) == list(range(len(shape))):
        return op.x
    kept = [d for d in permutation if shape[d] != 1]
    return reshape_like(op, op.x) if kept == sorted(kept) else None


@simplification("nn.broadcast_to")
def broadcast_to_same_type(op: BroadcastToOp) -> SSAValue | None:
    """Nothing is repeated."""
    keeps = all(want in (-1, have) for want, have in zip(op.attribute("shape"), extents(op.x), strict=False))
    return op.x if op.x.type == op.result.type and keeps else None


@simplification("nn.broadcast_to")
def broadcast_of_broadcast(op: BroadcastToOp) -> NnOp | None:
    """Two broadcasts are one."""
    inner = defining(op.x, "nn.broadcast_to")
    if inner is None or not is_static(op.result):
        return None
    return like(op, op.name, [inner.x], shape=list(extents(op.result)))


class BroadcastIntoElementwise(RewritePattern):
    """An elementwise op that broadcasts by itself needs no broadcast of its operand."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BroadcastToOp, rewriter: PatternRewriter) -> None:
        pairs = zip(reversed(op.attribute("shape")), reversed(extents(op.x)), strict=False)
        if any(have == DYNAMIC and want != -1 for want, have in pairs):
            return
        for use in tuple(op.result.uses):
            if _fits(use.operation, use.index, op.x):
                use.operation.operands[use.index] = op.x
                rewriter.notify_op_modified(use.operation)
                rewriter.notify_op_modified(op)


def _fits(user: Operation, index: int, value: SSAValue) -> bool:
    """Whether an elementwise op has the same result type with ``value`` as an operand."""
    if not isinstance(user, ElementwiseOp) or len(user.operands) < 2:
        return False
    operands = list(user.operands)
    operands[index] = value
    draft = type(user).create(operands=operands, properties=user.properties)
    try:
        return draft.infer() == user.infer()
    except ShapeError:
        return False
    finally:
        draft.drop_all_references()


add_pattern(BroadcastIntoElementwise(), "nn.broadcast_to")


@simplification("nn.tile")
def tile_once(op: TileOp) -> SSAValue | None:
    """Nothing is repeated."""
    return op.x if set(op.attribute("repeats")) <= {1} else None


@simplification("nn.tile")
def tile_of_unit_dimensions(op: TileOp) -> NnOp | None:
    """Repeating extents of 1 is a broadcast."""
    repeats, shape = op.attribute("repeats"), extents(op.x)
    if any(r != 1 and e != 1 for r, e in zip(repeats, shape, strict=True)):
        return None
    return like(op, "nn.broadcast_to", [op.x], shape=[-1 if r == 1 else r for r in repeats])


@simplification("nn.pad")
def pad_by_nothing(op: PadOp) -> SSAValue | None:
    """No element is added."""
    return op.x if not any((*op.attribute("low"), *op.attribute("high"))) else None


@simplification("nn.pad")
def pad_of_pad(op: PadOp) -> NnOp | None:
    """Two paddings with one constant are one."""
    inner = defining(op.x, "nn.pad")
    if inner is None or {op.attribute("mode"), inner.attribute("mode")} != {"constant"}:
        return None
    if padding_value(op).tobytes() != padding_value(inner).tobytes():
        return None
    widths = {
        side: [a + b for a, b in zip(op.attribute(side), inner.attribute(side), strict=True)]
        for side in ("low", "high")
    }
    return like(op, op.name, [inner.x], **{**op.properties, **widths})


@simplification("nn.gather")
def gather_at_constants(op: GatherOp) -> list[Operation] | None:
    """Constant indices of rank 0 or 1 that are evenly spaced upwards are a slice."""
    axis, shape = op.attribute("axis"), list(extents(op.data))
    indices = constant_value(op.indices)
    if indices is None or indices.ndim > 1 or indices.size == 0 or axis < 0 or shape[axis] == DYNAMIC:
        return None
    places = _clamped(indices, shape[axis])
    step = places[1] - places[0] if len(places) > 1 else 1
    if step < 1 or places != list(range(places[0], places[-1] + 1, step)):
        return None
    starts, steps = [0] * len(shape), [1] * len(shape)
    ends = [2**63 - 1 if e == DYNAMIC else e for e in shape]
    starts[axis], ends[axis], steps[axis] = places[0], places[-1] + 1, step
    part = make("nn.slice", [op.data], starts=starts, ends=ends, steps=steps)
    if indices.ndim == 1:
        return [part]
    dropped = reshape_like(op, part.results[0])
    if isinstance(dropped, NnOp):
        return [part, dropped]
    part.drop_all_references()
    return None


def _clamped(indices: np.ndarray, extent: int) -> list[int]:
    """Gather's indices as places in ``[0, extent)``."""
    wanted: list[Any] = indices.reshape(-1).tolist()
    return [min(max(i + extent if i < 0 else i, 0), extent - 1) for i in wanted]
