"""Questions about shaped types that constraints, traits and hand-written checks ask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    MemRefType,
    TensorType,
    UnrankedMemRefType,
    UnrankedTensorType,
    VectorType,
)
from xdsl.ir import Attribute

RANKED = (VectorType, TensorType, MemRefType)
UNRANKED = (UnrankedTensorType, UnrankedMemRefType)
SHAPED = (*RANKED, *UNRANKED)
TENSORS = (TensorType, UnrankedTensorType)
MEMREFS = (MemRefType, UnrankedMemRefType)


def element_or_self(type: Any) -> Attribute:
    """The element type of a shaped type, any other type itself."""
    return type.element_type if isinstance(type, SHAPED) else type


def shape_of(type: Any) -> tuple[int, ...]:
    """The extents of a ranked type; dynamic ones are :data:`~xdsl.dialects.builtin.DYNAMIC_INDEX`."""
    return tuple(extent.data for extent in type.shape.data)


def rank_of(type: Any) -> int:
    """The rank of a ranked type."""
    return len(type.shape.data)


def scalable_dims_of(type: Any) -> tuple[bool, ...]:
    """Which dimensions of a vector are scalable; none of another type's."""
    if not isinstance(type, VectorType):
        return (False,) * rank_of(type)
    return tuple(bool(flag.value.data) for flag in type.scalable_dims.data)


def is_scalable(type: Any) -> bool:
    """Whether a type is a vector with a scalable dimension."""
    return isinstance(type, VectorType) and any(flag.value.data for flag in type.scalable_dims.data)


def is_static(type: Any) -> bool:
    """Whether a ranked type has no dynamic extent."""
    return isinstance(type, RANKED) and all(e.data != DYNAMIC_INDEX for e in type.shape.data)


def elements_in(type: Any) -> int:
    """The number of elements of a static shape (of a scalable vector: the least number)."""
    count = 1
    for extent in type.shape.data:
        count *= extent.data
    return count


def compatible_shapes(first: Sequence[int], second: Sequence[int]) -> bool:
    """Whether two shapes may be the same at run time."""
    return len(first) == len(second) and all(
        a == b or DYNAMIC_INDEX in (a, b) for a, b in zip(first, second, strict=True)
    )


def compatible_types(first: Any, second: Any) -> bool:
    """Whether the shapes of two types may be the same; a scalar fits only a scalar (upstream's rule)."""
    shaped = isinstance(first, SHAPED)
    if shaped != isinstance(second, SHAPED):
        return False
    if not shaped or isinstance(first, UNRANKED) or isinstance(second, UNRANKED):
        return True
    if scalable_dims_of(first) != scalable_dims_of(second) and isinstance(first, VectorType):
        return False
    return compatible_shapes(shape_of(first), shape_of(second))


def shown_shape(extents: Sequence[int]) -> str:
    """Extents as upstream's messages show them: ``[4, ?]``."""
    return "[" + ", ".join("?" if e == DYNAMIC_INDEX else str(e) for e in extents) + "]"
