"""Collapsed and expanded shapes: what ``collapse_shape`` and ``expand_shape`` of tensors and memrefs
have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.verifying.groups import attribute


def reassociation_of(op: Operation) -> list[list[int]]:
    """The groups of dimensions of the expanded shape, one for each dimension of the collapsed one."""
    found: Any = attribute(op, "reassociation")
    return [[index.value.data for index in part.data] for part in found.data]


def check_collapsed_shape(
    op: Operation, collapsed: Sequence[int], expanded: Sequence[int], what: str
) -> None:
    """The groups name the dimensions of the expanded shape in order, and the extents agree.

    ``what`` is the kind of type in messages (``memrefs``, ``tensors``).
    """
    groups = reassociation_of(op)
    if len(collapsed) != len(groups):
        raise error(
            f"invalid number of reassociation groups: found {len(groups)}, expected {len(collapsed)}", op
        )
    following = 0
    for number, group in enumerate(groups):
        for dim in group:
            if dim != following:
                raise error("reassociation indices must be contiguous", op)
            following += 1
            if dim >= len(expanded):
                raise error(f"reassociation index {dim} is out of bounds", op)
        _check_group(op, number, collapsed[number], [expanded[dim] for dim in group])
    if not collapsed:
        if any(extent != 1 for extent in expanded):
            raise error(f"rank 0 {what} can only be extended/collapsed with/from ones", op)
    elif following != len(expanded):
        raise error(
            f"expanded rank ({len(expanded)}) inconsistent with number of reassociation indices "
            f"({following})",
            op,
        )


def _check_group(op: Operation, number: int, collapsed: int, extents: Sequence[int]) -> None:
    dynamic = DYNAMIC_INDEX in extents
    if (collapsed == DYNAMIC_INDEX) != dynamic:
        raise error(
            f"collapsed dim ({number}) must be dynamic if and only if reassociation group is dynamic", op
        )
    if dynamic:
        return
    size = 1
    for extent in extents:
        size *= extent
    if size != collapsed:
        raise error(f"collapsed dim size ({collapsed}) must equal reassociation group size ({size})", op)
