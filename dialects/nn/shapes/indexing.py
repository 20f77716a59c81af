"""Shape rules of reading and writing at places that are values."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute

from lamina.dialects.nn.base import DYNAMIC, ShapeError, shape_rule
from lamina.dialects.nn.indexing import GatherNdOp, ScatterNdOp
from lamina.dialects.nn.kinds import Kind, require_kind
from lamina.dialects.nn.shapes._checks import (
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

MODES = ("set", "add", "mul", "max", "min")


@shape_rule("nn.gather_nd")
def _(op: GatherNdOp) -> Sequence[Attribute]:
    batches, data, places = _places(op)
    sizes = integers(op, "sizes", len(data), minimum=0)
    _check_sizes(sizes, data)
    return [TensorType(same_element(op, [op.data]), [*batches, *places, *sizes])]


@shape_rule("nn.scatter_nd")
def _(op: ScatterNdOp) -> Sequence[Attribute]:
    kind = same_element(op, [op.data, op.updates])
    if choice(op, "mode", MODES) != "set":
        require_kind("data", kind, Kind.NUMBER)
    batches, data, places = _places(op)
    updates = shape_of(op.updates, "updates")
    count = len(batches) + len(places)
    if len(updates) != count + len(data):
        raise ShapeError(f"updates have rank {len(updates)}, expected {count + len(data)}")
    for d, (extent, wanted) in enumerate(zip(updates, [*batches, *places], strict=False)):
        same_extent(wanted, extent, f"dimension {d} of indices and updates")
    _check_sizes(updates[count:], data)
    return [TensorType(kind, shape_of(op.data))]


def _places(op: GatherNdOp | ScatterNdOp) -> tuple[list[int], tuple[int, ...], tuple[int, ...]]:
    """The extents of the batches, of data behind them, and of the places in each."""
    data, indices = shape_of(op.data, "data"), shape_of(op.indices, "indices")
    kind = type_of(op.indices, "indices").get_element_type()
    if not is_integer(kind):
        raise ShapeError(f"indices have element type {kind}, expected an integer type")
    count = integer(op, "batch_dims", minimum=0)
    if count > len(data) or count >= len(indices):
        raise ShapeError(f"{text(data)} and {text(indices)} do not share {count} leading dimensions")
    pairs = zip(data[:count], indices[:count], strict=True)
    batches = [same_extent(a, b, f"batch dimension {d}") for d, (a, b) in enumerate(pairs)]
    rest, axes = data[count:], integers(op, "axes", minimum=0)
    if len(set(axes)) != len(axes) or any(axis >= len(rest) for axis in axes):
        raise ShapeError(f"attribute 'axes' is {list(axes)}, expected different dimensions of {text(rest)}")
    if indices[-1] not in (len(axes), DYNAMIC):
        raise ShapeError(f"indices hold {indices[-1]} numbers for a place, attribute 'axes' {len(axes)}")
    return batches, rest, indices[count:-1]


def _check_sizes(sizes: Sequence[int], data: Sequence[int]) -> None:
    for d, (size, extent) in enumerate(zip(sizes, data, strict=True)):
        if DYNAMIC not in (size, extent) and size > extent:
            raise ShapeError(f"a part of size {size} does not fit dimension {d} of extent {extent}")
