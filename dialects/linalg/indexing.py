"""The indexing maps and loops of every structured operation, whatever its class says of them."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr
from xdsl.dialects.linalg.abstract_ops import ElementwiseOperation
from xdsl.ir import Operation
from xdsl.ir.affine import AffineExpr, AffineMap


def shape_of(value: Any) -> tuple[int, ...] | None:
    """The extents of a value (negative: dynamic); ``()`` for a scalar, None for an unranked one."""
    get = getattr(value.type, "get_shape", None)
    if get is None:
        return None if value.type.name.startswith("unranked") else ()
    return tuple(get())


def indexing_maps(op: Operation) -> list[AffineMap] | None:
    """One map for each operand, inputs first; None where nothing is known of them."""
    held = op.get_attr_or_prop("indexing_maps")
    if isinstance(held, ArrayAttr):
        return [one.data for one in held.data if isinstance(one, AffineMapAttr)]
    if op.name == "linalg.map":
        rank = len(shape_of(op.operands[-1]) or ()) if op.operands else 0
        return [AffineMap.identity(rank)] * len(op.operands)
    if op.operands and (isinstance(op, ElementwiseOperation) or op.name == "linalg.fill"):
        return elementwise_maps(op)
    get = getattr(op, "get_indexing_maps", None)
    if get is None:
        return None
    try:
        return [one.data for one in get().data]
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return None  # the operands do not fit the op: the verifier says how


def elementwise_maps(op: Operation) -> list[AffineMap]:
    """The maps of an op with a loop for each dimension of its output: scalars are the same in all of them."""
    rank = len(shape_of(op.operands[-1]) or ())
    scalar, element = AffineMap(rank, 0, ()), AffineMap.identity(rank)
    return [scalar if shape_of(value) == () else element for value in op.operands]


def iterators(op: Operation) -> list[str] | None:
    """The kind of each loop, or None where nothing is known of them."""
    held = op.get_attr_or_prop("iterator_types")
    if held is None and op.operands and isinstance(op, ElementwiseOperation):
        return ["parallel"] * len(shape_of(op.operands[-1]) or ())
    if held is None:
        get = getattr(op, "get_iterator_types", None)
        try:
            held = get() if get is not None else None
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            held = None
    if not isinstance(held, ArrayAttr):
        return None
    return [str(getattr(one, "data", one)) for one in held.data]


def concatenated(maps: list[AffineMap]) -> list[AffineExpr]:
    """The results of all maps, one after the other."""
    return [expression for one in maps for expression in one.results]
