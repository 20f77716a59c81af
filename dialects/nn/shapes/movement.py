"""Shape rules of data movement."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, TensorType
from xdsl.ir import Attribute

from lamina.dialects.nn.base import DYNAMIC, ShapeError, shape_rule
from lamina.dialects.nn.movement import (
    BroadcastToOp,
    ConcatOp,
    GatherOp,
    PadOp,
    ReshapeOp,
    SliceOp,
    SplitOp,
    SqueezeOp,
    TileOp,
    TransposeOp,
    UnsqueezeOp,
)
from lamina.dialects.nn.shapes._checks import (
    axes_in,
    axis_in,
    choice,
    integer,
    integers,
    is_integer,
    same_element,
    same_extent,
    shape_of,
    text,
    type_of,
)


def _typed(op_value_kind: Attribute, shape: Sequence[int]) -> Sequence[Attribute]:
    return [TensorType(op_value_kind, shape)]


@shape_rule("nn.reshape")
def _(op: ReshapeOp) -> Sequence[Attribute]:
    wanted = integers(op, "shape", minimum=-1)
    return _typed(same_element(op, [op.x]), reshaped(shape_of(op.x), wanted))


def reshaped(shape: Sequence[int], wanted: Sequence[int]) -> list[int]:
    """The extents of ``wanted`` with its -1, if any, computed from the number of elements of ``shape``."""
    if wanted.count(-1) > 1:
        raise ShapeError(f"shape {list(wanted)} has more than one -1")
    known = math.prod(extent for extent in wanted if extent != -1)
    if DYNAMIC in shape:
        return [DYNAMIC if extent == -1 else extent for extent in wanted]
    elements = math.prod(shape)
    if -1 not in wanted:
        if known != elements:
            raise ShapeError(f"{text(shape)} has {elements} elements, the shape {list(wanted)} has {known}")
        return list(wanted)
    if known == 0 or elements % known:
        raise ShapeError(
            f"the -1 of {list(wanted)} does not follow from the {elements} elements of {text(shape)}"
        )
    return [elements // known if extent == -1 else extent for extent in wanted]


@shape_rule("nn.transpose")
def _(op: TransposeOp) -> Sequence[Attribute]:
    shape = shape_of(op.x)
    permutation = integers(op, "permutation")
    if sorted(permutation) != list(range(len(shape))):
        raise ShapeError(
            f"{list(permutation)} is no permutation of the {len(shape)} dimensions of the operand"
        )
    return _typed(same_element(op, [op.x]), [shape[i] for i in permutation])


@shape_rule("nn.concat")
def _(op: ConcatOp) -> Sequence[Attribute]:
    if not op.inputs:
        raise ShapeError("has no operands, expected at least one")
    kind = same_element(op, op.inputs)
    result = list(shape_of(op.inputs[0]))
    axis = axis_in(integer(op, "axis"), len(result))
    for i, value in enumerate(op.inputs[1:], start=1):
        shape = shape_of(value, f"operand {i}")
        if len(shape) != len(result):
            raise ShapeError(f"operand {i} has rank {len(shape)}, expected {len(result)} as operand 0 has")
        for d, extent in enumerate(shape):
            if d != axis:
                result[d] = same_extent(
                    result[d], extent, f"dimension {d} of operand {i} and those before it"
                )
            else:
                result[d] = DYNAMIC if DYNAMIC in (result[d], extent) else result[d] + extent
    return _typed(kind, result)


@shape_rule("nn.slice")
def _(op: SliceOp) -> Sequence[Attribute]:
    shape = shape_of(op.x)
    bounds = [integers(op, name, len(shape)) for name in ("starts", "ends", "steps")]
    if 0 in bounds[2]:
        raise ShapeError("attribute 'steps' has an entry 0, expected steps other than zero")
    extents = [
        extent if extent == DYNAMIC else slice_range(start, end, step, extent)[1]
        for extent, start, end, step in zip(shape, *bounds, strict=True)
    ]
    return _typed(same_element(op, [op.x]), extents)


def slice_range(start: int, end: int, step: int, extent: int) -> tuple[int, int]:
    """The first index and the number of elements of an ONNX slice of a dimension of ``extent``."""
    start, end = (b + extent if b < 0 else b for b in (start, end))
    if step > 0:
        start, end = min(max(start, 0), extent), min(max(end, 0), extent)
        return start, max(-(-(end - start) // step), 0)
    start, end = max(min(start, extent - 1), 0), max(min(end, extent - 1), -1)
    return start, max(-((start - end) // step), 0) if extent else 0


@shape_rule("nn.pad")
def _(op: PadOp) -> Sequence[Attribute]:
    shape = shape_of(op.x)
    low, high = (integers(op, name, len(shape), minimum=0) for name in ("low", "high"))
    mode = choice(op, "mode", ("constant", "edge", "reflect"))
    if op.value is not None and not isinstance(op.value, IntegerAttr | FloatAttr):
        raise ShapeError(f"attribute 'value' is {op.value}, expected a number")
    for d, extent in enumerate(shape):
        if mode == "constant" or extent == DYNAMIC or low[d] == high[d] == 0:
            continue
        limit = extent - 1 if mode == "reflect" else (math.inf if extent else 0)
        if max(low[d], high[d]) > limit:
            raise ShapeError(
                f'mode "{mode}" cannot add {max(low[d], high[d])} to dimension {d} of extent {extent}'
            )
    padded = [e if e == DYNAMIC else a + e + b for a, e, b in zip(low, shape, high, strict=True)]
    return _typed(same_element(op, [op.x]), padded)


@shape_rule("nn.split")
def _(op: SplitOp) -> Sequence[Attribute]:
    shape = shape_of(op.x)
    axis = axis_in(integer(op, "axis"), len(shape))
    sizes = integers(op, "sizes", minimum=0)
    if shape[axis] not in (DYNAMIC, sum(sizes)):
        raise ShapeError(
            f"sizes {list(sizes)} add up to {sum(sizes)}, expected {shape[axis]}, the extent of axis {axis}"
        )
    kind = same_element(op, [op.x])
    return [TensorType(kind, [*shape[:axis], size, *shape[axis + 1 :]]) for size in sizes]


@shape_rule("nn.gather")
def _(op: GatherOp) -> Sequence[Attribute]:
    data, indices = shape_of(op.data, "data"), shape_of(op.indices, "indices")
    kind = type_of(op.indices, "indices").get_element_type()
    if not is_integer(kind):
        raise ShapeError(f"indices have element type {kind}, expected an integer type")
    axis = axis_in(integer(op, "axis"), len(data))
    if data[axis] == 0 and 0 not in indices and DYNAMIC not in indices:
        raise ShapeError(f"axis {axis} of data has extent 0, there is nothing to gather")
    return _typed(same_element(op, [op.data]), [*data[:axis], *indices, *data[axis + 1 :]])


@shape_rule("nn.broadcast_to")
def _(op: BroadcastToOp) -> Sequence[Attribute]:
    wanted = integers(op, "shape", minimum=-1)
    return _typed(same_element(op, [op.x]), broadcast_extents(shape_of(op.x), wanted))


def broadcast_extents(shape: Sequence[int], wanted: Sequence[int]) -> list[int]:
    """The extents that ``shape`` has after a one-way broadcast to ``wanted`` (-1 keeps an extent)."""
    if len(wanted) < len(shape):
        raise ShapeError(f"shape {list(wanted)} has lower rank than the operand's {text(shape)}")
    aligned = [1] * (len(wanted) - len(shape)) + list(shape)
    for have, want in zip(aligned, wanted, strict=True):
        if want != -1 and have not in (1, want, DYNAMIC):
            raise ShapeError(f"{text(shape)} does not broadcast to {list(wanted)}: {have} and {want} differ")
    return [have if want == -1 else want for have, want in zip(aligned, wanted, strict=True)]


@shape_rule("nn.squeeze")
def _(op: SqueezeOp) -> Sequence[Attribute]:
    shape = shape_of(op.x)
    axes = axes_in(op, len(shape))
    for axis in axes:
        if shape[axis] not in (1, DYNAMIC):
            raise ShapeError(f"axis {axis} has extent {shape[axis]}, expected 1")
    return _typed(same_element(op, [op.x]), [e for d, e in enumerate(shape) if d not in axes])


@shape_rule("nn.unsqueeze")
def _(op: UnsqueezeOp) -> Sequence[Attribute]:
    shape = list(shape_of(op.x))
    axes = axes_in(op, len(shape) + len(integers(op, "axes")))
    for axis in sorted(axes):
        shape.insert(axis, 1)
    return _typed(same_element(op, [op.x]), shape)


@shape_rule("nn.tile")
def _(op: TileOp) -> Sequence[Attribute]:
    shape = shape_of(op.x)
    repeats = integers(op, "repeats", len(shape), minimum=0)
    tiled = [DYNAMIC if e == DYNAMIC and r != 0 else e * r for e, r in zip(shape, repeats, strict=True)]
    return _typed(same_element(op, [op.x]), tiled)
