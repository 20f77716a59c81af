"""What the rules of vector share: types, positions, splats, and constants as arrays."""

from __future__ import annotations

import math
from typing import Any

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    VectorType,
)
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.core.folding import constant_of, defining_op, int_of
from lamina.dialects.core.verifying.groups import static_values


def vector_of(value: SSAValue) -> VectorType | None:
    """The vector type of a value."""
    return value.type if isinstance(value.type, VectorType) else None


def shape_of(type: Attribute) -> tuple[int, ...]:
    """The sizes of a vector; none for a scalar."""
    return tuple(type.get_shape()) if isinstance(type, VectorType) else ()


def size_of(type: Attribute) -> int:
    """How many elements a vector has; one for a scalar."""
    return math.prod(shape_of(type))


def is_scalable(type: Attribute) -> bool:
    """Whether a dimension of a vector is a multiple of an unknown number."""
    return isinstance(type, VectorType) and any(bool(flag.value.data) for flag in type.scalable_dims)


def numbers(op: Operation, name: str) -> list[int]:
    """An attribute that is a list of integers, as an array or as a dense array."""
    attribute = op.get_attr_or_prop(name)
    if isinstance(attribute, ArrayAttr):
        return [item.value.data for item in attribute if isinstance(item, IntegerAttr)]
    return static_values(op, name)


def position(op: Operation) -> list[int | SSAValue]:
    """The position of an extract or insert: numbers, and values where they are dynamic."""
    static = numbers(op, "static_position")
    count = sum(1 for v in static if v == DYNAMIC_INDEX)
    operands = list(op.operands)
    dynamic = iter(operands[len(operands) - count :])
    return [next(dynamic) if v == DYNAMIC_INDEX else v for v in static]


def static_position(op: Operation) -> list[int] | None:
    """The position where all of it is known: numbers, or constants, within the vector."""
    found: list[int] = []
    for value in position(op):
        number = value if isinstance(value, int) else int_of(value)
        if number is None:
            return None
        found.append(number)
    return found


def splat_source(value: SSAValue) -> SSAValue | None:
    """The scalar that all elements of a vector are, where an op says so."""
    broadcast = defining_op(value, "vector.broadcast")
    while broadcast is not None:
        source = broadcast.operands[0]
        if not isinstance(source.type, VectorType):
            return source
        value = source
        broadcast = defining_op(value, "vector.broadcast", "vector.shape_cast")
    return None


def array_of(value: SSAValue) -> Any:
    """The elements of a constant vector as a NumPy array, or None."""
    attribute = constant_of(value)
    if not isinstance(attribute, DenseIntOrFPElementsAttr) or "complex" in str(attribute.type):
        return None
    element = attribute.get_element_type()
    if str(element) not in ("f16", "f32", "f64", "bf16", "index") and not str(element).startswith("i"):
        return None
    if getattr(getattr(element, "width", None), "data", 64) > 64:
        return None
    from lamina.dialects.core.constants import as_array

    return as_array(attribute)


def constant_from(array: Any, type: Attribute) -> Attribute | None:
    """The constant of a vector type, or the scalar one, with the elements of an array."""
    if isinstance(type, VectorType):
        from lamina.dialects.core.constants import constant_attr

        return constant_attr(array.reshape(type.get_shape()), type)
    from lamina.dialects.core.folding import constant_like

    return constant_like([array.reshape(-1)[0].item()], type)
