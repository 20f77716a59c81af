"""Parts that the forms of affine ops share: maps applied to values, in either way of writing them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import AffineMapAttr, IndexType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap

from lamina.dialects.core.reading.operations import Unresolved
from lamina.dialects.core.writing.affine import expression_text

INDEX = IndexType()


def uses_of(values: Sequence[tuple[str, int]]) -> list[Unresolved]:
    """The uses for values as affine expressions give them, ``%name#1`` with a place."""
    found: list[Unresolved] = []
    for name, at in values:
        stem, _, index = name[1:].partition("#")
        found.append(Unresolved(stem, int(index or 0), at))
    return found


def resolved(p: Any, uses: Sequence[Unresolved]) -> list[SSAValue]:
    """The values of uses of type index."""
    return [p.resolve(use, INDEX) for use in uses]


def read_map_of_values(p: Any, brackets: str = "[]") -> tuple[AffineMapAttr, list[Unresolved]]:
    """``[%i + 1, symbol(%n)]``: the map, and the uses of its dimensions and symbols."""
    p.require(brackets[0])
    map, dims, symbols = p.affine_map_of_values(brackets[1])
    p.require(brackets[1])
    return AffineMapAttr(map), uses_of([*dims, *symbols])


def write_map_of_values(w: Any, map: AffineMap, operands: Sequence[SSAValue]) -> None:
    """Write the results of a map with values in the place of its dimensions and symbols."""
    dims, symbols = names_of(w, map, operands)
    w.put(", ".join([expression_text(result, dims, symbols) for result in map.results]))


def names_of(w: Any, map: AffineMap, operands: Sequence[SSAValue]) -> tuple[list[str], list[str]]:
    """What stands for the dimensions and the symbols of a map that is applied to operands."""
    names = [w.value_name(value) for value in operands]
    return names[: map.num_dims], [f"symbol({name})" for name in names[map.num_dims :]]


def read_dims_and_symbols(p: Any) -> tuple[int, list[SSAValue]]:
    """``(%i, %j)[%n]``: how many dimensions, and all values."""
    uses = p.operands_in("(", ")")
    count = len(uses)
    if p.sees("["):
        uses = uses + p.operands_in("[", "]")
    return count, resolved(p, uses)


def write_dims_and_symbols(w: Any, dims: int, operands: Sequence[SSAValue]) -> None:
    """Write ``(%i, %j)[%n]``."""
    w.put("(")
    w.values(operands[:dims])
    w.put(")")
    if len(operands) > dims:
        w.put("[")
        w.values(operands[dims:])
        w.put("]")


def read_map(p: Any) -> AffineMapAttr:
    """A map as an attribute, or fail."""
    place = p.at
    found = p.attribute()
    return found if isinstance(found, AffineMapAttr) else p.fail("expected an affine map", place)
