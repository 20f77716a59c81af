"""Gather and scatter: dimension numbers become the fixed order of `nn.gather_nd` and `nn.scatter_nd`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from lamina.dialects.stablehlo.attributes import Structure
from lamina.lowering.importing.emitter import Unsupported, element, rank, shape, static_shape
from lamina.lowering.stablehlo.bodies import Expression, combined_by, results_of
from lamina.lowering.stablehlo.rules import stablehlo_rule
from lamina.lowering.stablehlo.site import Site

_MODES = {"add": "add", "multiply": "mul", "maximum": "max", "minimum": "min"}


class Places(NamedTuple):
    """How the dimensions of operand, indices and windows belong together."""

    batches: list[int]
    """Batch dimensions of the operand, and those of the indices in the same order."""
    index_batches: list[int]
    index_vector: int
    """The dimension of the indices that holds a place; their rank where a place is one number."""
    axes: list[int]
    """The dimension of the operand for each number of a place."""
    windows: list[int]
    """The dimensions of result or updates that belong to a window."""
    dropped: list[int]
    """The dimensions of the operand that windows do not have."""

    def rest(self, count: int) -> list[int]:
        """The dimensions of an operand behind its batches."""
        return [d for d in range(count) if d not in self.batches]


@stablehlo_rule("stablehlo.gather")
def gather(site: Site) -> SSAValue:
    """Batches first and places last; the windows get the dimensions of the result."""
    operand, indices = site.operands
    numbers = site.op.properties["dimension_numbers"]
    assert isinstance(numbers, Structure)
    places = Places(
        list(numbers.numbers("operand_batching_dims")),
        list(numbers.numbers("start_indices_batching_dims")),
        numbers.field("index_vector_dim", 0),
        list(numbers.numbers("start_index_map")),
        list(numbers.numbers("offset_dims")),
        [*numbers.numbers("collapsed_slice_dims"), *numbers.numbers("operand_batching_dims")],
    )
    sizes = site.attribute("slice_sizes")
    rest = places.rest(rank(operand))
    data = site.transpose(operand, [*places.batches, *rest])
    parts = site.emit(
        "gather_nd",
        data,
        _ordered_indices(site, indices, places),
        axes=[rest.index(axis) for axis in places.axes],
        sizes=[sizes[d] for d in rest],
        batch_dims=len(places.batches),
    )
    outer = shape(parts)[: rank(parts) - len(rest)]
    kept = [sizes[d] for d in rest if d not in places.dropped]
    parts = site.reshape(parts, [*outer, *kept])
    return site.transpose(parts, _inverse(_window_order(indices, places, len(outer))))


def _ordered_indices(site: Site, indices: SSAValue, places: Places) -> SSAValue:
    """The indices as ``[B…, I…, K]``."""
    count = rank(indices)
    if places.index_vector == count:
        indices = site.emit("unsqueeze", indices, axes=[count])
    others = [d for d in range(count) if d not in (*places.index_batches, places.index_vector)]
    return site.transpose(indices, [*places.index_batches, *others, places.index_vector])


def _window_order(indices: SSAValue, places: Places, outer: int) -> list[int]:
    """For each dimension of ``[B…, I…, windows…]`` its place in the result or the updates."""
    count = outer + len(places.windows)
    outside = [d for d in range(count) if d not in places.windows]
    own = [d for d in range(rank(indices)) if d != places.index_vector]
    batches = [outside[own.index(d)] for d in places.index_batches]
    others = [outside[i] for i, d in enumerate(own) if d not in places.index_batches]
    return [*batches, *others, *places.windows]


def _inverse(order: Sequence[int]) -> list[int]:
    return [order.index(d) for d in range(len(order))]


@stablehlo_rule("stablehlo.scatter")
def scatter(site: Site) -> list[SSAValue]:
    """Each operand by itself, by what its update computation does with the two elements."""
    count = len(site.op.results)
    operands, indices, updates = site.operands[:count], site.operands[count], site.operands[count + 1 :]
    numbers = site.op.properties["scatter_dimension_numbers"]
    assert isinstance(numbers, Structure)
    places = Places(
        list(numbers.numbers("input_batching_dims")),
        list(numbers.numbers("scatter_indices_batching_dims")),
        numbers.field("index_vector_dim", 0),
        list(numbers.numbers("scatter_dims_to_operand_dims")),
        list(numbers.numbers("update_window_dims")),
        [*numbers.numbers("inserted_window_dims"), *numbers.numbers("input_batching_dims")],
    )
    modes = [_mode(r, i, i + count) for i, r in enumerate(results_of(site.op.regions[0].block))]
    at = _ordered_indices(site, indices, places)
    return [
        _scattered(site, operand, (indices, at), update, places, mode)
        for operand, update, mode in zip(operands, updates, modes, strict=True)
    ]


def _mode(result: Expression, before: int, update: int) -> str:
    """What a computation does: it takes the update, or combines it with what was there."""
    if result == update:
        return "set"
    operation = combined_by(result, before, update)
    if operation not in _MODES:
        raise Unsupported("its update computation is no combination of element and update that is known")
    return _MODES[operation]


def _scattered(
    site: Site,
    operand: SSAValue,
    indices: tuple[SSAValue, SSAValue],
    update: SSAValue,
    places: Places,
    mode: str,
) -> SSAValue:
    if element(operand) == i1 and mode != "set":
        raise Unsupported("it combines elements of type i1")
    rest = places.rest(rank(operand))
    order = [*places.batches, *rest]
    outer = rank(update) - len(places.windows)
    parts = site.transpose(update, _window_order(indices[0], places, outer))
    extents = list(static_shape(parts))
    windows = iter(extents[outer:])
    sizes = [1 if d in places.dropped else next(windows) for d in rest]
    result = site.emit(
        "scatter_nd",
        site.transpose(operand, order),
        indices[1],
        site.reshape(parts, [*extents[:outer], *sizes]),
        axes=[rest.index(axis) for axis in places.axes],
        batch_dims=len(places.batches),
        mode=mode,
    )
    return site.transpose(result, _inverse(order))
