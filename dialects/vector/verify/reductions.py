"""Reductions, scans and outer products, and which kinds of combining fit which elements."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import IndexType, IntegerType, VectorType
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.verifying.groups import attribute, static_values, values
from lamina.dialects.core.verifying.registry import verifies
from lamina.dialects.core.verifying.shapes import is_scalable, rank_of, scalable_dims_of, shape_of
from lamina.dialects.vector.transfers import scalable_flags

_OF_INTEGERS = ("minui", "minsi", "maxui", "maxsi", "and", "or", "xor")
_OF_FLOATS = ("minnumf", "maxnumf", "minimumf", "maximumf")


def kind_of(op: Operation) -> str:
    """The kind of combining, as ``add``."""
    return str(attribute(op, "kind").data)


def combines(kind: str, element: Any) -> bool:
    """Whether a kind of combining works on elements of a type."""
    integer = isinstance(element, IntegerType | IndexType)
    if kind in _OF_INTEGERS:
        return integer
    return not integer if kind in _OF_FLOATS else True


@verifies("vector.reduction")
def _reduction(op: Operation) -> None:
    rank = rank_of(op.operands[0].type)
    if rank > 1:
        raise error(f"unsupported reduction rank: {rank}", op)
    kind, element = kind_of(op), op.results[0].type
    if not combines(kind, element):
        raise error(f"unsupported reduction type '{element}' for kind '{kind}'", op)


@verifies("vector.multi_reduction")
def _multi_reduction(op: Operation) -> None:
    source: Any = op.operands[0].type
    dims = static_values(op, "reduction_dims")
    kept = [i for i in range(rank_of(source)) if i not in dims]
    wanted: Any = source.element_type
    if kept:
        extents, flags = shape_of(source), scalable_dims_of(source)
        wanted = VectorType(wanted, [extents[i] for i in kept], scalable_flags([flags[i] for i in kept]))
    if op.results[0].type != wanted:
        raise error(
            f"destination type '{op.results[0].type}' is incompatible with source type '{source}'", op
        )


@verifies("vector.scan")
def _scan(op: Operation) -> None:
    source: Any = op.operands[0].type
    initial: Any = op.operands[1].type
    dim, extents = attribute(op, "reduction_dim").value.data, shape_of(source)
    if dim >= len(extents):
        raise error(f"reduction dimension {dim} has to be less than {len(extents)}", op)
    if rank_of(initial) != len(extents) - 1:
        raise error(f"initial value rank {rank_of(initial)} has to be equal to {len(extents) - 1}", op)
    if shape_of(initial) != extents[:dim] + extents[dim + 1 :]:
        raise error("incompatible input/initial value shapes", op)
    kind, element = kind_of(op), source.element_type
    if not combines(kind, element):
        raise error(f"unsupported reduction type '{element}' for kind '{kind}'", op)


@verifies("vector.outerproduct")
def _outerproduct(op: Operation) -> None:
    left: Any = op.operands[0].type
    right: Any = op.operands[1].type
    result: Any = op.results[0].type
    extents = shape_of(result)
    if rank_of(left) != 1:
        raise error("expected 1-d vector for operand #1", op)
    if isinstance(right, VectorType):
        if rank_of(right) != 1:
            raise error("expected 1-d vector for operand #2", op)
        if len(extents) != 2:
            raise error("expected 2-d vector result", op)
    elif len(extents) != 1:
        raise error("expected 1-d vector result", op)
    if shape_of(left)[0] != extents[0]:
        raise error("expected #1 operand dim to match result dim #1", op)
    if isinstance(right, VectorType):
        if shape_of(right)[0] != extents[-1]:
            raise error("expected #2 operand dim to match result dim #2", op)
        if is_scalable(left) and not is_scalable(right):
            raise error("expected either both or only #2 operand dim to be scalable", op)
    if any(value.type != result for value in values(op, "acc")):
        raise error("expected operand #3 of same type as result type", op)
    if not combines(kind_of(op), result.element_type):
        raise error("unsupported outerproduct type", op)
