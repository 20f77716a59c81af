"""References of functions of one tensor."""

from __future__ import annotations

import numpy as np

from lamina.dialects.nn.base import NnOp
from lamina.dialects.nn.reference._elementwise import double, numeric
from lamina.dialects.nn.reference._erf import erf
from lamina.dialects.nn.reference._numerics import is_floating, widened

for _name, _function in {
    "nn.neg": np.negative,
    "nn.abs": np.abs,
    "nn.floor": np.floor,
    "nn.ceil": np.ceil,
    "nn.round": np.rint,
    "nn.sqrt": np.sqrt,
    "nn.reciprocal": lambda x: x.dtype.type(1) / x,
    "nn.isnan": np.isnan,
    "nn.isinf": np.isinf,
}.items():
    numeric(_name)(lambda _, x, function=_function: function(widened(x)))

for _name, _function in {
    "nn.exp": np.exp,
    "nn.expm1": np.expm1,
    "nn.log": np.log,
    "nn.log1p": np.log1p,
    "nn.rsqrt": lambda x: 1 / np.sqrt(x),
    "nn.sin": np.sin,
    "nn.cos": np.cos,
    "nn.tan": np.tan,
    "nn.asin": np.arcsin,
    "nn.acos": np.arccos,
    "nn.atan": np.arctan,
    "nn.sinh": np.sinh,
    "nn.cosh": np.cosh,
    "nn.tanh": np.tanh,
    "nn.asinh": np.arcsinh,
    "nn.acosh": np.arccosh,
    "nn.atanh": np.arctanh,
    "nn.erf": erf,
}.items():
    numeric(_name)(lambda _, x, function=_function: function(double(x)))


@numeric("nn.sign")
def sign(op: NnOp, x: np.ndarray) -> np.ndarray:
    """NumPy's, except that the sign of zeros stays."""
    x = widened(x)
    return np.where(x == 0, x, np.sign(x)) if is_floating(x.dtype) else np.sign(x)
