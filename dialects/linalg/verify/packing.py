"""``linalg.pack`` and ``linalg.unpack``; poolings that compare without sign."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerType, TensorType
from xdsl.ir import Operation

from lamina.dialects.core.constants import constant_value
from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.ods.kinds import groups_of
from lamina.dialects.core.ods.spec import spec_of
from lamina.dialects.core.verifying.groups import static_values
from lamina.dialects.core.verifying.registry import verifies
from lamina.dialects.linalg.syntax.parts import element_type, inputs_and_outputs
from lamina.dialects.linalg.verify.structured import verify_results


def _groups(op: Operation) -> list[Any]:
    spec = spec_of(op.name)
    found = groups_of(op, spec, "operands") if spec is not None else None
    if found is None:
        raise error("does not have the operands of its definition", op)
    return found


@verifies("linalg.pack")
def verify_pack(op: Operation) -> None:
    """The packed shape follows from the source's, the tiles and the permutation."""
    source, destination, padding, tiles = _groups(op)
    if padding and padding[0].type != element_type(source[0].type):
        message = f"expected padding_value has '{element_type(source[0].type)}' but got: '{padding[0].type}'"
        raise error(message, op)
    _check_packing(op, source[0].type, destination[0].type, tiles, bool(padding), checks_padding=True)
    _check_result(op, destination[0])


@verifies("linalg.unpack")
def verify_unpack(op: Operation) -> None:
    """The inverse of pack."""
    source, destination, tiles = _groups(op)
    _check_packing(op, destination[0].type, source[0].type, tiles, True, checks_padding=False)
    _check_result(op, destination[0])


def _check_result(op: Operation, destination: Any) -> None:
    if op.results and op.results[0].type != destination.type:
        message = (
            f"expected type of operand #1 ('{destination.type}') to match type of corresponding result "
            f"('{op.results[0].type}')"
        )
        raise error(message, op)


def _check_packing(
    op: Operation, plain: Any, packed: Any, tiles: Sequence[Any], padded: bool, *, checks_padding: bool
) -> None:
    shape, got = plain.get_shape(), packed.get_shape()
    positions, sizes = static_values(op, "inner_dims_pos"), static_values(op, "static_inner_tiles")
    order = static_values(op, "outer_dims_perm")
    if any(size == 0 for size in sizes):
        raise error("invalid zero tile factor", op)
    if len(positions) > len(shape) or len(sizes) != len(positions):
        raise error("mismatch in the number of tile sizes and inner_dims_pos", op)
    if len(set(positions)) != len(positions) or any(not 0 <= p < len(shape) for p in positions):
        raise error("invalid inner_dims_pos vector", op)
    if any(not 0 <= p < len(shape) for p in order) or len(set(order)) != len(order):
        raise error("invalid outer_dims_perm vector", op)
    if order and len(order) != len(shape):
        raise error("outer_dims_perm must be a permutation or empty", op)
    if len(got) != len(shape) + len(sizes):
        needed = len(shape) + len(sizes)
        message = f"packed rank != (unpacked rank + num tiling factors), got {len(got)} != {needed}"
        raise error(message, op)
    if checks_padding and not padded and _needs_padding(op, shape, got, positions, sizes, order, tiles):
        message = (
            "invalid tile factor or output size provided. Only full tiles are supported when padding_value "
            "is not set"
        )
        raise error(message, op)
    wanted = _packed_shape(shape, positions, sizes, order)
    inner = len(shape)
    if any(
        size > 0 and extent >= 0 and size != extent for size, extent in zip(sizes, got[inner:], strict=True)
    ) or any(
        (size < 0) != (extent < 0) and size < 0 for size, extent in zip(sizes, got[inner:], strict=True)
    ):
        message = "mismatch in inner tile sizes specified and shaped of tiled dimension in the packed type"
        raise error(message, op)
    if any(a >= 0 and b >= 0 and a != b for a, b in zip(wanted[:inner], got[:inner], strict=True)):
        expected = TensorType(packed.element_type, wanted) if isinstance(packed, TensorType) else wanted
        raise error(f"expected '{expected}' for the packed domain value, got '{packed}'", op)


def _packed_shape(
    shape: Sequence[int], positions: Sequence[int], sizes: Sequence[int], order: Sequence[int]
) -> list[int]:
    outer = list(shape)
    for position, size in zip(positions, sizes, strict=True):
        known = outer[position] >= 0 and size > 0
        outer[position] = -(-outer[position] // size) if known else DYNAMIC_INDEX
    if order:
        outer = [outer[p] for p in order]
    return [*outer, *sizes]


def _needs_padding(
    op: Operation,
    shape: Sequence[int],
    got: Sequence[int],
    positions: Sequence[int],
    sizes: Sequence[int],
    order: Sequence[int],
    tiles: Sequence[Any],
) -> bool:
    """Whether a tile is known to reach over the end of the source."""
    dynamic = iter(tiles)
    known = [size if size > 0 else _constant(next(dynamic, None)) for size in sizes]
    place = {dim: number for number, dim in enumerate(order)} if order else {}
    for position, size in zip(positions, known, strict=True):
        extent = shape[position]
        outer = got[place.get(position, position)]
        if extent < 0:
            continue
        if size is None:
            if outer >= 0 and outer and extent % outer:
                return True
            continue
        if extent % size:
            return True
    return False


def _constant(value: Any) -> int | None:
    found = constant_value(value) if value is not None else None
    return int(found.reshape(-1)[0]) if found is not None and found.size == 1 else None


@verifies(
    *(f"linalg.pooling_{layout}_{kind}_unsigned" for layout in ("nhwc", "nwc") for kind in ("max", "min"))
)
def verify_unsigned(op: Operation) -> None:
    """Comparisons without sign are for integers."""
    verify_results(op)
    if [len(values) for values in inputs_and_outputs(op)] != [2, 1]:
        raise error("expected op with 2 inputs and 1 output", op)
    if not isinstance(element_type(op.operands[-1].type), IntegerType):
        kind = op.name.rsplit("_", 2)[1]
        raise error(f"unsupported operation: unsigned {kind} not on uint", op)
