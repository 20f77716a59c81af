"""Element types of the IR and the NumPy dtypes that hold their values."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    BFloat16Type,
    ComplexType,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    Signedness,
)
from xdsl.ir import Attribute

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.later import np

_STORAGE_BITS = (8, 16, 32, 64)


def numpy_dtype(element: Attribute) -> np.dtype:
    """The dtype that holds values of an element type.

    i1 is ``bool``; other integers take the next storage width of 8, 16, 32 or 64 bits, signed unless the
    type is unsigned; ``index`` is int64; bf16 comes from ml_dtypes. Other types raise :class:`LaminaError`.
    """
    match element:
        case IntegerType():
            width = element.width.data
            if width == 1:
                return np.dtype(np.bool_)
            bits = next((b for b in _STORAGE_BITS if b >= width), None)
            if bits is not None:
                sign = "u" if element.signedness.data is Signedness.UNSIGNED else ""
                return np.dtype(f"{sign}int{bits}")
        case IndexType():
            return np.dtype(np.int64)
        case Float64Type():
            return np.dtype(np.float64)
        case Float32Type():
            return np.dtype(np.float32)
        case Float16Type():
            return np.dtype(np.float16)
        case BFloat16Type():
            import ml_dtypes

            return np.dtype(ml_dtypes.bfloat16)
        case ComplexType():
            return np.dtype(np.complex64 if isinstance(element.element_type, Float32Type) else np.complex128)
        case _:
            pass
    raise error(f"element type '{element}' has no NumPy dtype")


def element_type(
    dtype: np.dtype | type,
) -> IntegerType | Float16Type | BFloat16Type | Float32Type | Float64Type:
    """The element type for a dtype: signless for signed integers, ``ui<N>`` for unsigned, i1 for bool."""
    dtype = np.dtype(dtype)
    match dtype.kind:
        case "b":
            return IntegerType(1)
        case "i":
            return IntegerType(dtype.itemsize * 8)
        case "u":
            return IntegerType(dtype.itemsize * 8, Signedness.UNSIGNED)
        case "f" if dtype.itemsize in (2, 4, 8):
            return {2: Float16Type, 4: Float32Type, 8: Float64Type}[dtype.itemsize]()
        case _:
            if dtype.name == "bfloat16":
                return BFloat16Type()
    raise error(f"dtype '{dtype}' has no element type in the IR")


def is_unsigned(element: Attribute) -> bool:
    """Whether an element type is an unsigned integer; i1 counts as one."""
    return isinstance(element, IntegerType) and (
        element.signedness.data is Signedness.UNSIGNED or element.width.data == 1
    )


def integer_limits(element: IntegerType) -> tuple[int, int]:
    """The smallest and the largest value of an integer type."""
    width = element.width.data
    if is_unsigned(element):
        return 0, (1 << width) - 1
    return -(1 << (width - 1)), (1 << (width - 1)) - 1
