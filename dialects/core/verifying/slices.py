"""Slices of tensors and memrefs: results of lower rank, and bounds."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX


def dropped_dimensions(original: Sequence[int], reduced: Sequence[int]) -> set[int] | None:
    """The dimensions of extent 1 that a shape of lower rank leaves out; None where it is no such shape."""
    dropped: set[int] = set()
    kept = 0
    for number, extent in enumerate(original):
        if kept < len(reduced) and extent == reduced[kept]:
            kept += 1
            continue
        dropped.add(number)
        if extent != 1:
            return None
    return dropped if kept == len(reduced) else None


def out_of_bounds(
    shape: Sequence[int], offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int]
) -> str | None:
    """What is wrong with a slice whose numbers are known; None where nothing is known to be wrong."""
    for number, (extent, offset, size, stride) in enumerate(zip(shape, offsets, sizes, strides, strict=True)):
        if DYNAMIC_INDEX in (extent, offset):
            continue
        if offset >= extent:
            return f"offset {number} is out-of-bounds: {offset} >= {extent}"
        if DYNAMIC_INDEX in (size, stride):
            continue
        last = offset + (size - 1) * stride
        if last >= extent:
            return f"slice along dimension {number} runs out-of-bounds: {last} >= {extent}"
    return None
