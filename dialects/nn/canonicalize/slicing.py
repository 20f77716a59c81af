"""Simplifications of slices, splits and concatenations."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from lamina.dialects.nn.base import DYNAMIC, NnOp, make
from lamina.dialects.nn.canonicalize._simplification import add_pattern, defining, simplification
from lamina.dialects.nn.canonicalize._structure import extents, like, nonnegative_axis, register
from lamina.dialects.nn.movement import ConcatOp, SliceOp, SplitOp
from lamina.dialects.nn.shapes.movement import slice_range

TO_THE_END = 2**63 - 1
"""The end that a slice of an unknown extent has to reach its last element."""

register(nonnegative_axis, "nn.concat")


def _bounds(op: SliceOp) -> list[tuple[int, int, int]]:
    """Start, end and step along each dimension."""
    return [*zip(op.attribute("starts"), op.attribute("ends"), op.attribute("steps"), strict=True)]


def _normal(bound: tuple[int, int, int], extent: int) -> tuple[int, int, int]:
    """A slice of a known extent with its first index, its end right after the last one, and no sign games.

    A negative step through the first element ends at the lowest integer: -1 would count from the back.
    """
    start, end, step = bound
    if extent == DYNAMIC:
        return bound
    first, count = slice_range(start, end, step, extent)
    if count == 0:
        return (0, 0, 1)
    last = first + (count - 1) * step
    if count == 1:
        return (first, first + 1, 1)
    if step > 0:
        return (first, last + 1, step)
    return (first, last - 1 if last else -(2**63), step)


@simplification("nn.slice")
def slice_in_normal_form(op: SliceOp) -> NnOp | None:
    """Bounds along known extents count from the front and lie inside."""
    wanted = [_normal(b, e) for b, e in zip(_bounds(op), extents(op.x), strict=True)]
    return _with_bounds(op, op.x, wanted) if wanted != _bounds(op) else None


def _with_bounds(op: SliceOp, x: SSAValue, bounds: list[tuple[int, int, int]]) -> NnOp | None:
    names = ("starts", "ends", "steps")
    lists = {name: [bound[i] for bound in bounds] for i, name in enumerate(names)}
    return like(op, op.name, [x], **lists)


@simplification("nn.slice")
def slice_of_everything(op: SliceOp) -> SSAValue | None:
    """Every element in its order."""
    for bound, extent in zip(_bounds(op), extents(op.x), strict=True):
        whole = [(0, TO_THE_END, 1)] if extent == DYNAMIC else [(0, extent, 1), (0, TO_THE_END, 1)]
        if bound not in whole:
            return None
    return op.x


@simplification("nn.slice")
def slice_of_slice(op: SliceOp) -> NnOp | None:
    """Two slices with positive steps along known extents are one."""
    inner = defining(op.x, "nn.slice")
    if inner is None:
        return None
    bounds: list[tuple[int, int, int]] = []
    for extent, middle, first, second in zip(
        extents(inner.x), extents(op.x), _bounds(inner), _bounds(op), strict=True
    ):
        if second == (0, middle, 1) or second == (0, TO_THE_END, 1):
            bounds.append(first)
        elif DYNAMIC in (extent, middle) or min(first[2], second[2]) < 0:
            return None
        else:
            bounds.append(_composed(first, second, extent, middle))
    return _with_bounds(op, inner.x, bounds)


def _composed(
    first: tuple[int, int, int], second: tuple[int, int, int], extent: int, middle: int
) -> tuple[int, int, int]:
    """The slice of a dimension that a slice of its slice is."""
    start, _ = slice_range(*first, extent)
    skipped, count = slice_range(*second, middle)
    if count == 0:
        return (0, 0, 1)
    start, step = start + skipped * first[2], first[2] * second[2]
    return (start, start + (count - 1) * step + 1, step)


@simplification("nn.slice")
def slice_of_concat(op: SliceOp) -> NnOp | None:
    """A slice that lies within one operand of a concatenation is a slice of that operand."""
    inner = defining(op.x, "nn.concat")
    if inner is None or inner.attribute("axis") < 0:
        return None
    axis, bounds = inner.attribute("axis"), _bounds(op)
    start, end, step = bounds[axis]
    if step < 1 or start < 0 or end <= start:
        return None
    offset = 0
    for part in inner.inputs:
        extent = extents(part)[axis]
        if extent == DYNAMIC:
            return None
        if offset <= start and end <= offset + extent:
            bounds[axis] = (start - offset, end - offset, step)
            return _with_bounds(op, part, bounds)
        offset += extent
    return None


class SplitIntoSlices(RewritePattern):
    """A split is a slice for each part, so parts that nobody uses vanish."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SplitOp, rewriter: PatternRewriter) -> None:
        shape, axis = extents(op.x), op.attribute("axis") % len(extents(op.x))
        slices: list[Operation] = []
        offset = 0
        for size, part in zip(op.attribute("sizes"), op.parts, strict=True):
            starts, ends = [0] * len(shape), [TO_THE_END if e == DYNAMIC else e for e in shape]
            starts[axis], ends[axis] = offset, offset + size
            slices.append(
                make("nn.slice", [op.x], [part.type], starts=starts, ends=ends, steps=[1] * len(shape))
            )
            offset += size
        rewriter.replace(op, slices, [s.results[0] for s in slices])


add_pattern(SplitIntoSlices(), "nn.split")


@simplification("nn.concat")
def concat_of_one(op: ConcatOp) -> SSAValue | None:
    """Nothing is joined."""
    return op.inputs[0] if len(op.inputs) == 1 else None


@simplification("nn.concat")
def concat_without_empty_parts(op: ConcatOp) -> NnOp | None:
    """Operands without extent along the axis add nothing."""
    kept = [part for part in op.inputs if extents(part)[op.attribute("axis")] != 0] or [op.inputs[0]]
    return like(op, op.name, kept, **op.properties) if len(kept) < len(op.inputs) else None


@simplification("nn.concat")
def concat_of_concat(op: ConcatOp) -> NnOp | None:
    """A concatenation along the same axis that is used only here joins the operands."""
    parts: list[SSAValue] = []
    for part in op.inputs:
        inner = defining(part, "nn.concat")
        joins = inner is not None and part.has_one_use() and inner.attribute("axis") == op.attribute("axis")
        parts += inner.inputs if inner is not None and joins else [part]
    return like(op, op.name, parts, **op.properties) if parts != list(op.inputs) else None
