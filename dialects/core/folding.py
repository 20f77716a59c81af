"""What folds share: the constants behind operands, arithmetic on their elements, and constants of results.

Integers are Python integers, without sign (``0 <= v < 2**width``) unless :func:`signed` is used; ``index``
has 64 bits. Floats are Python floats that are values of their type: :func:`round_float` rounds to nearest,
ties to even.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    TensorType,
    VectorType,
)
from xdsl.dialects.ub import PoisonAttr
from xdsl.ir import Attribute, Operation, SSAValue

CONSTANTS = frozenset(
    ("arith.constant", "index.constant", "index.bool.constant", "llvm.mlir.constant", "complex.constant")
)
_POISONS = frozenset(("ub.poison", "llvm.mlir.poison"))
_MOST_ELEMENTS = 1 << 16
"""Constants of more elements are not folded element by element, unless they are splats."""
POISON = PoisonAttr()


def defining_op(value: SSAValue, *names: str) -> Operation | None:
    """The op that defines a value, if it has one of the names (any, without names)."""
    owner = value.owner
    if isinstance(owner, Operation) and (not names or owner.name in names):
        return owner
    return None


def constant_of(value: SSAValue) -> Attribute | None:
    """The attribute of the constant that defines a value (poison too), or None."""
    owner = value.owner
    if not isinstance(owner, Operation):
        return None
    name = owner.name
    if name in CONSTANTS:
        found = owner.properties.get("value")
        return owner.attributes.get("value") if found is None else found
    return POISON if name in _POISONS else None


def is_poison(value: SSAValue) -> bool:
    """Whether a value is poison."""
    owner = value.owner
    return isinstance(owner, Operation) and owner.name in _POISONS


def element_type(type: Attribute) -> Attribute:
    """The element type of a shaped type; other types are their own."""
    if isinstance(type, VectorType | TensorType):
        return type.get_element_type()
    inner = getattr(type, "element_type", None)
    return inner if isinstance(inner, Attribute) else type


def width_of(type: Attribute) -> int:
    """The bits of an integer or index type, or of the elements of a shaped one."""
    element = element_type(type)
    return element.width.data if isinstance(element, IntegerType) else 64


def signed(value: int, width: int) -> int:
    """The value of the lowest bits with a sign."""
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) & 1 else value


def int_of(value: SSAValue) -> int | None:
    """The signed value of a constant integer or index, None for others."""
    attribute = constant_of(value)
    return signed_int(attribute) if isinstance(attribute, IntegerAttr) else None


def signed_int(attribute: IntegerAttr[Any]) -> int:
    """The value of an integer attribute with a sign."""
    width = width_of(attribute.type)
    return signed(attribute.value.data & ((1 << width) - 1), width)


def scalar_of(value: SSAValue) -> int | float | None:
    """The one element of a constant that is a scalar or a splat (integers without sign), or None."""
    return splat_element(constant_of(value))


def splat_element(attribute: Attribute | None) -> int | float | None:
    """The element of an integer, float or splat attribute (integers without sign), or None."""
    if isinstance(attribute, IntegerAttr):
        return attribute.value.data & ((1 << width_of(attribute.type)) - 1)
    if isinstance(attribute, FloatAttr):
        return attribute.value.data
    if isinstance(attribute, DenseIntOrFPElementsAttr):
        found = elements(attribute)
        if found is not None and found[1]:
            return found[0][0]
    return None


def is_int(value: SSAValue, number: int) -> bool:
    """Whether a value is a constant (or a splat) of an integer, given with or without its sign."""
    found = scalar_of(value)
    if not isinstance(found, int):
        return False
    return found == number & ((1 << width_of(value.type)) - 1)


def is_float(value: SSAValue, number: float) -> bool:
    """Whether a value is a constant (or splat) of a float; zeros are told apart by their sign."""
    found = scalar_of(value)
    if not isinstance(found, float):
        return False
    return found == number and math.copysign(1.0, found) == math.copysign(1.0, number)


def flags_of(op: Operation, name: str = "fastmath") -> str:
    """The text of a flags attribute, in which single flags can be looked for."""
    attribute = op.get_attr_or_prop(name)
    return "" if attribute is None else str(attribute)


def has_fastmath(op: Operation, flag: str) -> bool:
    """Whether an op has a fast-math flag, or all of them."""
    text = flags_of(op)
    return flag in text or "fast>" in text


def elements(attribute: Attribute) -> tuple[list[Any], bool] | None:
    """The elements of a constant, one where it is a splat or a scalar (then True); None where not known."""
    if isinstance(attribute, IntegerAttr):
        return [attribute.value.data & ((1 << width_of(attribute.type)) - 1)], True
    if isinstance(attribute, FloatAttr):
        return [attribute.value.data], True
    if not isinstance(attribute, DenseIntOrFPElementsAttr | DenseResourceAttr):
        return None
    element = element_type(attribute.type)
    if not isinstance(
        element, IntegerType | IndexType | Float16Type | BFloat16Type | Float32Type | Float64Type
    ):
        return None
    if isinstance(element, IntegerType) and element.width.data > 64:
        return None
    return _array_elements(attribute, element)


def _array_elements(attribute: Attribute, element: Attribute) -> tuple[list[Any], bool] | None:
    from lamina.dialects.core.constants import as_array, has_resource, is_uniform_view

    if isinstance(attribute, DenseResourceAttr) and not has_resource(attribute.resource_handle.data):
        return None
    array = as_array(attribute)
    splat = array.size > 0 and (is_uniform_view(array) or array.size == 1)
    if not splat and array.size > _MOST_ELEMENTS:
        return None
    flat = array.reshape(-1)[:1] if splat else array.reshape(-1)
    if isinstance(element, IntegerType | IndexType):
        mask = (1 << width_of(element)) - 1
        found: list[Any] = [int(v) & mask for v in flat.tolist()]
    else:
        found = flat.astype("float64").tolist()
    if not splat and len(found) > 1 and len({(v, str(v)) for v in found}) == 1:
        return found[:1], True
    return found, splat


def constant_like(values: Sequence[Any], type: Attribute) -> Attribute | None:
    """The constant of a type from its elements, or from the one that all are."""
    element = element_type(type)
    if isinstance(element, IntegerType | IndexType) and not all(isinstance(v, int) for v in values):
        return None
    if isinstance(type, IntegerType | IndexType):
        return integer(values[0], type)
    if isinstance(type, VectorType | TensorType) and type.has_static_shape():
        import numpy as np

        from lamina.dialects.core.constants import constant_attr, splat_attr
        from lamina.dialects.core.dtypes import numpy_dtype

        if isinstance(element, IntegerType) and element.width.data > 64:
            return None
        if isinstance(element, IntegerType | IndexType) and width_of(element) > 1:
            unsigned = numpy_dtype(element).kind == "u"
            values = [v if unsigned else signed(v, width_of(element)) for v in values]
        array = np.array(values).astype(numpy_dtype(element))
        if len(values) == 1 and math.prod(type.get_shape()) != 1:
            return splat_attr(array[0], type)
        return constant_attr(array.reshape(type.get_shape()), type)
    if isinstance(element, IntegerType | IndexType) or element is not type:
        return None
    return FloatAttr(values[0], type)  # pyright: ignore[reportArgumentType, reportCallIssue]


def integer(value: int, type: Attribute) -> IntegerAttr[Any]:
    """The attribute of an integer, given with or without its sign; bits beyond the width are cut off."""
    width = width_of(type)
    value &= (1 << width) - 1
    return IntegerAttr(signed(value, width), type)  # pyright: ignore[reportArgumentType, reportCallIssue]


def zero_of(type: Attribute) -> Attribute | None:
    """The constant zero of an integer, float or shaped type."""
    element = element_type(type)
    return constant_like([0 if isinstance(element, IntegerType | IndexType) else 0.0], type)


def fold_elementwise(
    operands: Sequence[SSAValue], type: Attribute, compute: Callable[..., Any]
) -> Attribute | None:
    """The constant of an elementwise op on constants: ``compute`` gets one element of each operand.

    It may return None, or raise ArithmeticError or ValueError, where an element has no value: nothing is
    folded then. A poison operand makes the result poison.
    """
    columns: list[list[Any]] = []
    splats = True
    for operand in operands:
        attribute = constant_of(operand)
        if attribute is None:
            return None
        if isinstance(attribute, PoisonAttr):
            return POISON
        found = elements(attribute)
        if found is None:
            return None
        columns.append(found[0])
        splats = splats and found[1]
    if not splats:
        size = max(map(len, columns))
        columns = [column * size if len(column) == 1 else column for column in columns]
    try:
        values = [compute(*row) for row in zip(*columns, strict=True)]
    except (ArithmeticError, ValueError):
        return None
    if any(value is None for value in values):
        return None
    return constant_like(values, type)


_FLOATS: dict[type[Attribute], tuple[int, int, int]] = {
    Float16Type: (11, -14, 15),
    BFloat16Type: (8, -126, 127),
    Float32Type: (24, -126, 127),
    Float64Type: (53, -1022, 1023),
}
"""Bits of precision, least exponent of normal numbers, greatest exponent."""


def is_ieee(type: Attribute) -> bool:
    """Whether arithmetic on a float type (or its elements) can be folded here."""
    return isinstance(element_type(type), tuple(_FLOATS))


def round_float(value: float, type: Attribute) -> float:
    """The value of a float type nearest to a double, ties to even; overflow gives infinity."""
    precision, least, greatest = _FLOATS[element_type(type).__class__]
    if precision == 53 or value == 0 or math.isnan(value) or math.isinf(value):
        return value
    exponent = math.frexp(value)[1] - 1
    unit = max(exponent, least) - (precision - 1)
    rounded = math.ldexp(float(round(math.ldexp(value, -unit))), unit)
    if abs(rounded) >= math.ldexp(1.0, greatest + 1):
        rounded = math.inf
    return math.copysign(rounded, value)
