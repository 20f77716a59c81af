"""What references of elementwise ops share: registration, the exact result type, integers of any width."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
from xdsl.dialects.builtin import IntegerType, TensorType
from xdsl.ir import Attribute

from lamina.dialects.core.dtypes import is_unsigned, numpy_dtype
from lamina.dialects.nn.base import NnOp, reference

NumericFunction = Callable[..., Any]


def numeric(*names: str) -> Callable[[NumericFunction], NumericFunction]:
    """Register ``f(op, *arrays) -> array`` as the reference of ops with one result.

    The function runs without NumPy's floating point warnings, and what it returns is rounded or wrapped
    to the element type of the op's result.
    """

    def register(function: NumericFunction) -> NumericFunction:
        @wraps(function)
        def rule(op: NnOp, *arrays: np.ndarray) -> np.ndarray:
            with np.errstate(all="ignore"):
                return to_element(function(op, *arrays), element_of(op))

        reference(*names)(rule)
        return function

    return register


def element_of(op: NnOp) -> Attribute:
    """The element type of an op's first result."""
    kind = op.results[0].type
    assert isinstance(kind, TensorType)
    return kind.element_type


def to_element(array: Any, element: Attribute) -> np.ndarray:
    """An array in the dtype of an element type: floats rounded, integers wrapped to the type's width."""
    array = np.asarray(array).astype(numpy_dtype(element), copy=False)
    if isinstance(element, IntegerType) and element.width.data > 1:
        return wrapped(array, element)
    return array


def wrapped(array: np.ndarray, element: IntegerType) -> np.ndarray:
    """Integers modulo 2^width, sign-extended unless the type is unsigned."""
    spare = array.dtype.itemsize * 8 - element.width.data
    if not spare:
        return array
    if is_unsigned(element):
        return array & array.dtype.type((1 << element.width.data) - 1)
    amount = array.dtype.type(spare)
    return (array << amount) >> amount


def double(array: np.ndarray) -> np.ndarray:
    """Floats as f64, in which functions that IEEE does not define exactly are evaluated."""
    return array.astype(np.float64, copy=False)
