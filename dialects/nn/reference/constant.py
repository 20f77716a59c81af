"""References of constants and of conversions between element types."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute

from lamina.dialects.core.constants import as_array
from lamina.dialects.core.dtypes import integer_limits, numpy_dtype
from lamina.dialects.nn.base import NnOp, reference
from lamina.dialects.nn.constant import ConstantOp
from lamina.dialects.nn.reference._elementwise import element_of, numeric
from lamina.dialects.nn.reference._numerics import is_floating


@reference("nn.constant")
def constant(op: ConstantOp) -> np.ndarray:
    """The value itself, read-only and not copied."""
    return as_array(op.value)


@numeric("nn.cast")
def cast(op: NnOp, array: np.ndarray) -> np.ndarray:
    """See :class:`CastOp` for the rules."""
    return converted(array, element_of(op))


@reference("nn.bitcast")
def bitcast(op: NnOp, array: np.ndarray) -> np.ndarray:
    """The same bytes."""
    return np.ascontiguousarray(array).view(numpy_dtype(element_of(op))).reshape(array.shape)


def converted(array: np.ndarray, element: Attribute) -> np.ndarray:
    """An array's values in an element type, by the rules of ``nn.cast`` except the wrapping of odd widths."""
    dtype = numpy_dtype(element)
    if dtype == np.bool_:
        return array != array.dtype.type(0)
    if not isinstance(element, IntegerType):
        return array.astype(np.float32).astype(dtype) if dtype.name == "bfloat16" else array.astype(dtype)
    if is_floating(array.dtype):
        return saturated(array.astype(np.float64), element)
    return array.astype(dtype)


def saturated(array: np.ndarray, element: IntegerType) -> np.ndarray:
    """f64 values truncated toward zero, at the ends of the type's range where they are outside; NaN gives 0.

    The comparison is with the power of two above the largest value, which f64 holds exactly.
    """
    low, high = integer_limits(element)
    dtype: Any = numpy_dtype(element)
    whole = np.trunc(array)
    below, above = whole < float(low), whole >= float(high + 1)
    inside = np.where(below | above | np.isnan(whole), 0.0, whole).astype(dtype)
    return np.where(above, dtype.type(high), np.where(below, dtype.type(low), inside))
