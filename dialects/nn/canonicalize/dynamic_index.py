"""Simplifications of operations whose bounds are values that are known after all."""

from __future__ import annotations

from lamina.dialects.nn.base import NnOp
from lamina.dialects.nn.canonicalize._shape_values import entries_of
from lamina.dialects.nn.canonicalize._simplification import simplification
from lamina.dialects.nn.canonicalize._structure import extents, like
from lamina.dialects.nn.dynamic_index import DynamicSliceOp

_END = 2**63 - 1


@simplification("nn.dynamic_slice")
def dynamic_slice_between_known_bounds(op: DynamicSliceOp) -> NnOp | None:
    """Bounds that are known are attributes."""
    bounds = [entries_of(op.starts), entries_of(op.ends)]
    known = [[e for e in entries or () if isinstance(e, int)] for entries in bounds]
    axes, steps = op.attribute("axes"), op.attribute("steps")
    if any(len(entries) != len(axes) for entries in known):
        return None
    rank = len(extents(op.x))
    starts, ends, full_steps = [0] * rank, [_END] * rank, [1] * rank
    for axis, start, end, step in zip(axes, *known, steps, strict=True):
        starts[axis], ends[axis], full_steps[axis] = start, end, step
    return like(op, "nn.slice", [op.x], starts=starts, ends=ends, steps=full_steps)
