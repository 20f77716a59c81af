"""What the transfers between vectors and memory leave unsaid: the default map, and the type of the mask."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, MemRefType, TensorType, VectorType, i1
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from lamina.dialects.core.verifying.shapes import rank_of, scalable_dims_of, shape_of

SHAPED = (MemRefType, TensorType)


def effective_rank(shaped: Any, vector: VectorType) -> int:
    """The rank of a vector without that of the vectors that are the elements of what it moves to or from."""
    inner = shaped.element_type
    return rank_of(vector) - (rank_of(inner) if isinstance(inner, VectorType) else 0)


def minor_identity(dims: int, results: int) -> AffineMap:
    """``(d0, d1, d2) -> (d1, d2)``: the last dimensions in their order."""
    exprs: tuple[AffineExpr, ...] = tuple(AffineDimExpr(i) for i in range(dims - results, dims))
    return AffineMap(dims, 0, exprs)


def default_map(shaped: Any, vector: VectorType) -> AffineMap | None:
    """The map that is not written; None where the vector has more dimensions than what it moves to or
    from."""
    dims, results = rank_of(shaped), effective_rank(shaped, vector)
    if dims == 0 and shape_of(vector) == (1,):
        return AffineMap(0, 0, (AffineConstantExpr(0),))
    return minor_identity(dims, results) if 0 <= results <= dims else None


def is_minor_identity(map: AffineMap) -> bool:
    """Whether a map takes the last dimensions in their order."""
    first = map.num_dims - len(map.results)
    return first >= 0 and all(
        isinstance(expr, AffineDimExpr) and expr.position == first + i for i, expr in enumerate(map.results)
    )


def mask_type(vector: VectorType, map: AffineMap) -> VectorType:
    """The type of the mask: the dimensions that are not broadcast, in the order of memory."""
    places = {expr.position: i for i, expr in enumerate(map.results) if isinstance(expr, AffineDimExpr)}
    order = [places[position] for position in sorted(places)]
    extents, scalable = shape_of(vector), scalable_dims_of(vector)
    shape = [extents[i] for i in order]
    flags = [scalable[i] for i in order]
    return VectorType(i1, shape or [1], scalable_flags(flags or [False]))


def scalable_flags(scalable: list[bool]) -> ArrayAttr[Any]:
    """Which dimensions are scalable, as vector types hold it."""
    return ArrayAttr([IntegerAttr(int(flag), i1) for flag in scalable])
