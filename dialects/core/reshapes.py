"""Groups of dimensions that collapse into one: reading, composing and writing reassociations."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr
from xdsl.ir import Operation

from lamina.dialects.core.making import integers_of
from lamina.dialects.core.slices import DYNAMIC_SIZE

Groups = "list[list[int]]"


def groups_of(op: Operation) -> list[list[int]]:
    """The groups of dimensions of an expand_shape or collapse_shape."""
    attribute = op.get_attr_or_prop("reassociation")
    assert isinstance(attribute, ArrayAttr)
    return [
        [index.value.data for index in group if isinstance(index, IntegerAttr)]
        for group in attribute
        if isinstance(group, ArrayAttr)
    ]


def groups_attribute(groups: Sequence[Sequence[int]]) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    """The attribute of a reassociation."""
    return ArrayAttr([integers_of(group) for group in groups])


def composed(outer: Sequence[Sequence[int]], inner: Sequence[Sequence[int]]) -> list[list[int]]:
    """Groups of groups: ``outer`` groups the dimensions that ``inner`` makes."""
    if not outer:
        return []
    return [[i for index in group for i in inner[index]] for group in outer]


def grouping(fine: Sequence[int], coarse: Sequence[int]) -> list[list[int]] | None:
    """Groups of dimensions of ``fine`` whose products are the sizes of ``coarse``, where that can be told."""
    groups: list[list[int]] = []
    position = 0
    for i, size in enumerate(coarse):
        group: list[int] = []
        product = 1
        while position < len(fine):
            group.append(position)
            if fine[position] == DYNAMIC_SIZE:
                if size != DYNAMIC_SIZE:
                    return None
                position += 1
                break
            product *= fine[position]
            position += 1
            if size != DYNAMIC_SIZE and product >= size:
                break
        if size != DYNAMIC_SIZE and product != size:
            return None
        if not group:
            return None
        groups.append(group)
        if i == len(coarse) - 1:
            while position < len(fine) and fine[position] == 1:
                groups[-1].append(position)
                position += 1
    return groups if position == len(fine) else None
