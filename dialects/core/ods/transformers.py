"""The functions from a type to a type that upstream's traits name as C++ (``TypesMatchWith``)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    TensorType,
    UnrankedTensorType,
    VectorType,
    i1,
)

_by_text: dict[str, Callable[[Any], Any]] = {}


def transformer(text: str) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """Register the function for a C++ expression of upstream's (blanks and namespaces do not count)."""

    def register(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        _by_text[_key(text)] = function
        return function

    return register


def transformed(text: str) -> Callable[[Any], Any] | None:
    """The function for a C++ expression, or None."""
    return _by_text.get(_key(text))


def _key(text: str) -> str:
    return re.sub(r"\s+|(?:::)?(?:llvm|mlir)::|^::", "", text)


def same_shape(type: Any, element: Any) -> Any:
    """A type of the same shape with another element type; the element type itself for a scalar."""
    if isinstance(type, VectorType):
        return VectorType(element, type.shape, type.scalable_dims)
    if isinstance(type, TensorType):
        return TensorType(element, type.shape, type.encoding)
    if isinstance(type, UnrankedTensorType):
        return UnrankedTensorType(element)
    return element


@transformer("getI1SameShape($_self)")
def _i1_of_same_shape(type: Any) -> Any:
    return same_shape(type, i1)


@transformer("$_self")
@transformer("cast<Type>($_self)")
def _itself(type: Any) -> Any:
    return type


for _kind in ("ComplexType", "MemRefType", "TensorType", "VectorType", "ShapedType", "RankedTensorType"):

    @transformer(f"cast<{_kind}>($_self).getElementType()")
    def _element(type: Any) -> Any:
        return type.element_type


@transformer("cast<FunctionType>($_self).getInputs()")
def _inputs(type: Any) -> Any:
    return list(type.inputs.data)


@transformer("cast<FunctionType>($_self).getResults()")
def _outputs(type: Any) -> Any:
    return list(type.outputs.data)


@transformer("SmallVector<Type>(cast<ShapedType>($_self).getNumElements(), $_self.getElementType())")
@transformer(
    "SmallVector<Type, 2>(::llvm::cast<RankedTensorType>($_self).getNumElements(), "
    "::llvm::cast<RankedTensorType>($_self).getElementType())"
)
def _elements(type: Any) -> Any:
    count = 1
    for extent in type.get_shape():
        count *= extent
    if DYNAMIC_INDEX in type.get_shape() or count > 1 << 24:
        raise ValueError("no fixed number of elements")
    return [type.element_type] * count
