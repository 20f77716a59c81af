"""References of arithmetic on two tensors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lamina.dialects.nn.base import NnOp
from lamina.dialects.nn.reference._elementwise import double, numeric
from lamina.dialects.nn.reference._numerics import is_floating, widened


def _register(name: str, function: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> None:
    """A reference that ignores the op's attributes and computes narrow floats in f32."""
    numeric(name)(lambda _, a, b: function(widened(a), widened(b)))


def divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The quotient; for integers truncated toward zero, and 0 where the divisor is."""
    if is_floating(a.dtype):
        return np.divide(a, b)
    divisor = np.where(b == 0, b.dtype.type(1), b)
    quotient = np.floor_divide(a - np.fmod(a, divisor), divisor)
    return np.where(b == 0, a.dtype.type(0), quotient)


def floor_remainder(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The remainder with the divisor's sign; for integers 0 where the divisor is 0."""
    if is_floating(a.dtype):
        return np.mod(a, b)
    return np.where(b == 0, a.dtype.type(0), np.mod(a, np.where(b == 0, b.dtype.type(1), b)))


def truncated_remainder(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The remainder with the dividend's sign; for integers 0 where the divisor is 0."""
    if is_floating(a.dtype):
        return np.fmod(a, b)
    return np.where(b == 0, a.dtype.type(0), np.fmod(a, np.where(b == 0, b.dtype.type(1), b)))


def maximum(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """IEEE ``maximum``: NumPy's, except that the sign of a zero result does not depend on the order."""
    result = np.maximum(a, b)
    if is_floating(a.dtype) and np.any(result == 0):
        return np.where((a == 0) & (b == 0), a + b, result)
    return result


def minimum(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """IEEE ``minimum``: NumPy's, except that the sign of a zero result does not depend on the order."""
    result = np.minimum(a, b)
    if is_floating(a.dtype) and np.any(result == 0):
        return np.where((a == 0) & (b == 0), -((-a) + (-b)), result)
    return result


def power(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """C's ``pow`` evaluated in f64; integer powers wrap, negative exponents give truncated reciprocals."""
    if is_floating(a.dtype):
        # NumPy takes the square root where an exponent is 0.5, which differs at -inf and -0.0.
        base = np.where((b == 0.5) & ((a == -np.inf) | (a == 0)), np.abs(double(a)), double(a))
        return np.power(base, double(b))
    one = a.dtype.type(1)
    result = np.power(a, np.maximum(b, b.dtype.type(0)))
    if a.dtype.kind == "u" or not np.any(b < 0):
        return result
    odd = (b & one) == one
    reciprocal = np.where(a == 1, one, np.where(a == -1, np.where(odd, -one, one), a.dtype.type(0)))
    return np.where(b < 0, reciprocal, result)


for _name, _function in {
    "nn.add": np.add,
    "nn.sub": np.subtract,
    "nn.mul": np.multiply,
    "nn.div": divide,
    "nn.mod": floor_remainder,
    "nn.rem": truncated_remainder,
    "nn.pow": power,
    "nn.maximum": maximum,
    "nn.minimum": minimum,
    "nn.equal": np.equal,
    "nn.not_equal": np.not_equal,
    "nn.less": np.less,
    "nn.less_equal": np.less_equal,
    "nn.greater": np.greater,
    "nn.greater_equal": np.greater_equal,
}.items():
    _register(_name, _function)


@numeric("nn.select")
def select(op: NnOp, condition: np.ndarray, on_true: np.ndarray, on_false: np.ndarray) -> np.ndarray:
    """NumPy's ``where``."""
    return np.where(condition, on_true, on_false)
