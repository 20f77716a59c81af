"""References of activation functions: evaluated in f64 and rounded once, but for those that are exact."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from lamina.dialects.nn.activation import ActivationOp, GeluOp
from lamina.dialects.nn.activation_parameters import AxisOp, ClipOp, PreluOp
from lamina.dialects.nn.base import NnOp
from lamina.dialects.nn.reference._elementwise import double, element_of, numeric, to_element
from lamina.dialects.nn.reference._erf import erfc
from lamina.dialects.nn.reference._numerics import widened
from lamina.dialects.nn.reference.arithmetic import maximum, minimum


@numeric("nn.relu")
def relu(op: NnOp, x: np.ndarray) -> np.ndarray:
    """IEEE's maximum with +0.0."""
    return maximum(x, np.zeros((), x.dtype))


def logistic(x: np.ndarray) -> np.ndarray:
    """The logistic function of f64 values, from an exponential that does not overflow."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))


def softplus(x: np.ndarray) -> np.ndarray:
    """``log(1 + exp(x))`` of f64 values, from an exponential that does not overflow."""
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def exponential_unit(x: np.ndarray, alpha: float) -> np.ndarray:
    """``x`` where it is positive, else ``alpha * (exp(x) - 1)``."""
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


_FUNCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "nn.sigmoid": logistic,
    "nn.softplus": softplus,
    "nn.softsign": lambda x: x / (1 + np.abs(x)),
    "nn.silu": lambda x: x * logistic(x),
    "nn.hard_swish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
}
for _name, _function in _FUNCTIONS.items():
    numeric(_name)(lambda _, x, function=_function: function(double(x)))


_PARAMETRIC: dict[str, Callable[..., np.ndarray]] = {
    "nn.leaky_relu": lambda x, alpha: np.where(x >= 0, x, alpha * x),
    "nn.elu": exponential_unit,
    "nn.selu": lambda x, alpha, gamma: gamma * exponential_unit(x, alpha),
    "nn.celu": lambda x, alpha: np.maximum(x, 0) + np.minimum(0, alpha * np.expm1(x / alpha)),
    "nn.hard_sigmoid": lambda x, alpha, beta: np.clip(alpha * x + beta, 0, 1),
    "nn.thresholded_relu": lambda x, alpha: np.where(x > alpha, x, 0.0),
}


def _parametric(name: str, function: Callable[..., np.ndarray]) -> None:
    """A function of f64 values and the op's attributes by name, as values of the type computed in."""

    def rule(op: ActivationOp, x: np.ndarray) -> np.ndarray:
        kind = widened(x).dtype.type
        return function(double(x), **{key: float(kind(op.attribute(key))) for key in op.DEFAULTS})

    numeric(name)(rule)


for _name, _function in _PARAMETRIC.items():
    _parametric(_name, _function)


@numeric("nn.gelu")
def gelu(op: GeluOp, x: np.ndarray) -> np.ndarray:
    """The exact form takes the complementary error function, so that small results keep their digits."""
    x = double(x)
    if op.attribute("approximate") == "tanh":
        return x * logistic(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x))
    return 0.5 * x * erfc(-x / math.sqrt(2))


@numeric("nn.clip")
def clip(op: ClipOp, x: np.ndarray) -> np.ndarray:
    """First the lower, then the upper bound, each rounded to the element type."""
    element = element_of(op)
    low, high = op.attribute("min"), op.attribute("max")
    if low is not None:
        x = maximum(x, to_element(low, element))
    return x if high is None else minimum(x, to_element(high, element))


@numeric("nn.prelu")
def prelu(op: PreluOp, x: np.ndarray, slope: np.ndarray) -> np.ndarray:
    return np.where(x >= 0, x, widened(slope) * widened(x))


def _shifted(op: AxisOp, x: np.ndarray) -> tuple[np.ndarray, int]:
    """f64 values less their maximum along the op's axis, and the axis."""
    x, axis = double(x), op.attribute("axis")
    return (x - x.max(axis, keepdims=True) if x.size else x), axis


@numeric("nn.softmax")
def softmax(op: AxisOp, x: np.ndarray) -> np.ndarray:
    shifted, axis = _shifted(op, x)
    powers = np.exp(shifted)
    return powers / powers.sum(axis, keepdims=True)


@numeric("nn.log_softmax")
def log_softmax(op: AxisOp, x: np.ndarray) -> np.ndarray:
    shifted, axis = _shifted(op, x)
    return shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))
