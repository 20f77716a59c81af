"""What is known of a shape that is computed: which of its entries are constants, or extents of a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from xdsl.ir import Operation, SSAValue

from lamina.dialects.core.constants import constant_value
from lamina.dialects.nn.base import DYNAMIC
from lamina.dialects.nn.canonicalize._structure import extents, is_static
from lamina.dialects.nn.shapes.movement import slice_range


@dataclass(frozen=True)
class Extent:
    """The unknown extent of a tensor along a dimension."""

    tensor: SSAValue
    dimension: int


Entry: TypeAlias = "int | Extent | None"
"""An entry's value, the extent that it is, or None where nothing is known."""

_DEPTH = 8
"""How many operations back an entry is followed."""


def entries_of(value: SSAValue, depth: int = _DEPTH) -> Sequence[Entry] | None:
    """The entries of an integer vector or scalar, in order; None where not even their number is known."""
    if not is_static(value) or len(extents(value)) > 1:
        return None
    unknown: list[Entry] = [None] * (extents(value)[0] if extents(value) else 1)
    constant = constant_value(value)
    if constant is not None:
        return constant.reshape(-1).tolist() if constant.dtype.kind in "iu" else unknown
    op = value.owner
    if depth == 0 or not isinstance(op, Operation):
        return unknown
    found = _entries_through(op, depth - 1)
    return unknown if found is None or len(found) != len(unknown) else found


def _entries_through(op: Any, depth: int) -> Sequence[Entry] | None:
    match op.name:
        case "nn.shape_of":
            return [Extent(op.x, d) if e == DYNAMIC else e for d, e in enumerate(extents(op.x))]
        case "nn.reshape" | "nn.squeeze" | "nn.unsqueeze":
            return entries_of(op.x, depth)
        case "nn.concat":
            parts = [entries_of(part, depth) for part in op.inputs]
            return None if None in parts else [entry for part in parts for entry in part or ()]
        case "nn.slice":
            return _sliced(op, entries_of(op.x, depth))
        case "nn.gather":
            return _gathered(op, entries_of(op.data, depth))
        case _:
            return None


def _sliced(op: Any, entries: Sequence[Entry] | None) -> list[Entry] | None:
    if entries is None or len(extents(op.x)) != 1:
        return None
    step = op.attribute("steps")[0]
    first, count = slice_range(op.attribute("starts")[0], op.attribute("ends")[0], step, len(entries))
    return [entries[first + i * step] for i in range(count)]


def _gathered(op: Any, entries: Sequence[Entry] | None) -> list[Entry] | None:
    indices = constant_value(op.indices)
    if not entries or indices is None or len(extents(op.data)) != 1:
        return None
    places = [int(i) + len(entries) if i < 0 else int(i) for i in indices.reshape(-1).tolist()]
    return [entries[min(max(i, 0), len(entries) - 1)] for i in places]
