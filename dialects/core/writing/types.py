"""Types as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    ComplexType,
    FunctionType,
    IndexType,
    IntegerType,
    MemRefType,
    NoneAttr,
    NoneType,
    Signedness,
    TensorType,
    TupleType,
    UnrankedMemRefType,
    UnrankedTensorType,
    VectorType,
)
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineDimExpr

from lamina.dialects.core.writing.state import WriterState

_PREFIX = {Signedness.SIGNLESS: "i", Signedness.SIGNED: "si", Signedness.UNSIGNED: "ui"}


class TypeWriter(WriterState):
    """Writes types; those of dialects through the dialect's own ``print_parameters``."""

    def type_text(self, type: Attribute) -> str:
        """The text of a type."""
        found = self._texts.get(id(type))
        if found is not None:
            return found
        write = _TYPES.get(type.__class__)
        return self.remember(type, write(self, type) if write else self.dialect_type_text(type))

    def dialect_type_text(self, type: Attribute) -> str:
        """The text of a type that is none of the builtin ones."""
        raise NotImplementedError

    def attribute_text(self, attribute: Attribute) -> str:
        """The text of an attribute with its type."""
        raise NotImplementedError

    def element_text(self, attribute: Attribute) -> str:
        """The text of an attribute where the type of ``i64`` and ``f64`` values goes without saying."""
        raise NotImplementedError

    def alias(
        self, attribute: Attribute, name: str, text: Callable[[], str], deferrable: bool = False
    ) -> str:
        """The alias of an attribute or type, to be defined outside of the op."""
        raise NotImplementedError

    def type(self, type: Attribute) -> None:
        """Write a type."""
        found = self._texts.get(id(type))
        self.put(found if found is not None else self.type_text(type))

    def types(self, types: Iterable[Attribute]) -> None:
        """Write types with commas between."""
        self.put(self.types_text(types))

    def types_text(self, types: Iterable[Attribute]) -> str:
        """Types with commas between."""
        return ", ".join([self.type_text(type) for type in types])

    def arrow_types_text(self, types: Sequence[Attribute]) -> str:
        """What stands after ``->``: one type, or any other number in parentheses."""
        if len(types) == 1 and types[0].__class__ is not FunctionType:
            return self.type_text(types[0])
        return f"({self.types_text(types)})"

    def arrow_types(self, types: Sequence[Attribute]) -> None:
        """Write ``-> type`` or ``-> (types)``."""
        self.put("-> " + self.arrow_types_text(types))

    def function_type_text(self, inputs: Iterable[Attribute], outputs: Sequence[Attribute]) -> str:
        """``(inputs) -> outputs``"""
        return f"({self.types_text(inputs)}) -> {self.arrow_types_text(outputs)}"

    def function_type(self, inputs: Iterable[Attribute], outputs: Sequence[Attribute]) -> None:
        """Write ``(inputs) -> outputs``."""
        self.put(self.function_type_text(inputs, outputs))


def dimensions_text(shape: Iterable[int]) -> str:
    """``4x?x`` for a shape: each extent with an ``x`` after it."""
    return "".join(["?x" if extent == DYNAMIC_INDEX else f"{extent}x" for extent in shape])


def _shape(type: Any) -> str:
    return dimensions_text([extent.data for extent in type.shape.data])


def _integer(w: TypeWriter, type: Any) -> str:
    return f"{_PREFIX[type.signedness.data]}{type.width.data}"


def _named(w: TypeWriter, type: Any) -> str:
    return type.name


def _function(w: TypeWriter, type: Any) -> str:
    return w.function_type_text(type.inputs.data, type.outputs.data)


def _tensor(w: TypeWriter, type: Any) -> str:
    encoding = "" if type.encoding.__class__ is NoneAttr else ", " + w.attribute_text(type.encoding)
    return f"tensor<{_shape(type)}{w.type_text(type.element_type)}{encoding}>"


def _unranked_tensor(w: TypeWriter, type: Any) -> str:
    return f"tensor<*x{w.type_text(type.element_type)}>"


def _memref(w: TypeWriter, type: Any) -> str:
    text = f"memref<{_shape(type)}{w.type_text(type.element_type)}"
    layout = type.layout
    if layout.__class__ is not NoneAttr and not (layout.__class__ is AffineMapAttr and _is_identity(layout)):
        text += ", " + w.attribute_text(layout)
    return f"{text}{_space(w, type.memory_space)}>"


def _is_identity(layout: Any) -> bool:
    map = layout.data
    return (
        map.num_symbols == 0
        and len(map.results) == map.num_dims
        and all(isinstance(r, AffineDimExpr) and r.position == i for i, r in enumerate(map.results))
    )


def _unranked_memref(w: TypeWriter, type: Any) -> str:
    return f"memref<*x{w.type_text(type.element_type)}{_space(w, type.memory_space)}>"


def _space(w: TypeWriter, space: Attribute) -> str:
    return "" if space.__class__ is NoneAttr else ", " + w.element_text(space)


def _vector(w: TypeWriter, type: Any) -> str:
    extents = zip(type.shape.data, type.scalable_dims.data, strict=True)
    shape = "".join(
        [f"[{extent.data}]x" if scalable.value.data else f"{extent.data}x" for extent, scalable in extents]
    )
    return f"vector<{shape}{w.type_text(type.element_type)}>"


def _complex(w: TypeWriter, type: Any) -> str:
    return f"complex<{w.type_text(type.element_type)}>"


_LONG_TUPLE = 16


def _tuple(w: TypeWriter, type: Any) -> str:
    def text() -> str:
        return f"tuple<{w.types_text(type.types.data)}>"

    return w.alias(type, "tuple", text) if len(type.types.data) > _LONG_TUPLE else text()


def _none(w: TypeWriter, type: Any) -> str:
    return "none"


_TYPES: dict[type, Callable[[Any, Any], str]] = {
    IntegerType: _integer,
    IndexType: _named,
    FunctionType: _function,
    TensorType: _tensor,
    UnrankedTensorType: _unranked_tensor,
    MemRefType: _memref,
    UnrankedMemRefType: _unranked_memref,
    VectorType: _vector,
    ComplexType: _complex,
    TupleType: _tuple,
    NoneType: _none,
}
