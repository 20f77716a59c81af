"""Result types of the vector dialect that upstream infers in C++."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute

from lamina.dialects.core.ods.syntax import infers
from lamina.dialects.core.ods.transformers import transformer
from lamina.dialects.core.verifying.shapes import scalable_dims_of, shape_of
from lamina.dialects.vector.transfers import scalable_flags


@infers("vector.shuffle")
def _shuffle(operands: list[list[Any]], attributes: dict[str, Any], regions: Any = None) -> list[Attribute]:
    """As many rows as the mask names, of the first vector's rows."""
    first = operands[0][0]
    rows = len(list(attributes["mask"].get_values()))
    return [VectorType(first.element_type, [rows, *shape_of(first)[1:]])]


def resized(type: Any, extent: int) -> VectorType:
    """The vector type with another last extent."""
    shape = [*shape_of(type)[:-1], extent]
    return VectorType(type.element_type, shape, scalable_flags([*scalable_dims_of(type)] or [False]))


@transformer(
    "[&]() -> VectorType { auto vectorType = cast<VectorType>($_self); "
    "VectorType::Builder builder(vectorType); "
    "auto lastDim = vectorType.getRank() - 1; auto newDimSize = vectorType.getDimSize(lastDim) / 2;; "
    "if (newDimSize <= 0) return vectorType; // (invalid input type) "
    "return builder.setDim(lastDim, newDimSize); }()"
)
def _half(type: Any) -> Any:
    extents = shape_of(type)
    return resized(type, extents[-1] // 2) if extents and extents[-1] >= 2 else type


@transformer(
    "[&]() -> VectorType { auto vectorType = cast<VectorType>($_self); "
    "VectorType::Builder builder(vectorType); "
    "if (vectorType.getRank() == 0) { static constexpr int64_t v2xTyShape[] = {2}; "
    "return builder.setShape(v2xTyShape); } auto lastDim = vectorType.getRank() - 1; "
    "return builder.setDim(lastDim, vectorType.getDimSize(lastDim) * 2); }()"
)
def _double(type: Any) -> Any:
    extents = shape_of(type)
    return resized(type, extents[-1] * 2 if extents else 2)
