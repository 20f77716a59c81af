"""Reshapes that collapse groups of dimensions into one, or expand one into a group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.verifying.reassociation import reassociation_of
from lamina.dialects.core.verifying.shapes import shape_of


def check_reassociation(op: Operation, expanded: Any, collapsed: Any) -> None:
    """The groups cover the expanded dimensions in order, and the extents agree."""
    groups = reassociation_of(op)
    wide, narrow = shape_of(expanded), shape_of(collapsed)
    if len(wide) < len(narrow):
        raise error(
            f"expected the expanded type, '{expanded}' to have a higher (or same) rank than the collapsed "
            f"type, '{collapsed}'.",
            op,
        )
    if len(narrow) != len(groups):
        raise error(
            f"expected collapsed rank ({len(narrow)}) to equal the number of reassociation maps "
            f"({len(groups)}).",
            op,
        )
    covered = max((index for group in groups for index in group), default=-1) + 1
    if groups and covered != len(wide):
        raise error(
            f"expected reassociation map #0 to have size equal to the expanded rank ({len(wide)}), but it is "
            f"{covered}.",
            op,
        )
    _check_order(op, groups)
    _check_extents(op, wide, narrow, groups)


def _check_order(op: Operation, groups: Sequence[Sequence[int]]) -> None:
    following = 0
    for number, group in enumerate(groups):
        for index in group:
            if index != following:
                raise error(f"expected reassociation map #{number} to be valid and contiguous.", op)
            following += 1


def _check_extents(
    op: Operation, wide: Sequence[int], narrow: Sequence[int], groups: Sequence[Sequence[int]]
) -> None:
    start = 0
    for number, group in enumerate(groups):
        extents = wide[start : start + len(group)]
        start += len(group)
        product = product_of(extents)
        if product == DYNAMIC_INDEX:
            if narrow[number] != DYNAMIC_INDEX:
                raise error(
                    f"expected dimension {number} of collapsed type to be dynamic since one or more of the "
                    "corresponding dimensions in the expanded type is dynamic",
                    op,
                )
        elif narrow[number] != product:
            message = f"expected dimension {number} of collapsed type to be static value of {product}"
            raise error(message, op)


def product_of(extents: Sequence[int]) -> int:
    """The number of elements of some dimensions; dynamic where one of them is."""
    product = 1
    for extent in extents:
        if extent == DYNAMIC_INDEX:
            return DYNAMIC_INDEX
        product *= extent
    return product
