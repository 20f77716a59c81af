"""``math``: elementary functions, on scalars, vectors and tensors alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lamina.lowering.interpreter.machine import Interpreter, Value, interprets
from lamina.lowering.interpreter.rules.arith import register_float, result_dtype, unsigned, wrap


def _by_element(function: Callable[[float], float]) -> Callable[[Any], Any]:
    return np.vectorize(function, otypes=[np.float64])


_UNARY: dict[str, Callable[..., Any]] = {
    "absf": np.abs,
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "ceil": np.ceil,
    "cos": np.cos,
    "cosh": np.cosh,
    "erf": _by_element(math.erf),
    "erfc": _by_element(math.erfc),
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "floor": np.floor,
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "round": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
    "roundeven": np.rint,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sin": np.sin,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
    "trunc": np.trunc,
    "atan2": np.arctan2,
    "copysign": np.copysign,
    "powf": np.power,
}
for _name, _compute in _UNARY.items():
    register_float("math", _name, _compute)


@interprets("math.fma")
def _fma(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    a, b, c = (np.asarray(v).astype(np.longdouble) for v in operands)
    return [np.asarray(a * b + c).astype(result_dtype(op))[()]]


@interprets("math.absi")
def _absi(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    return [wrap(np.abs(operands[0]), op.results[0].type)]


@interprets("math.isnan")
def _isnan(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    return [np.isnan(operands[0])]


@interprets("math.isinf")
def _isinf(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    return [np.isinf(operands[0])]


@interprets("math.fpowi")
def _fpowi(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    return [np.power(operands[0], operands[1]).astype(result_dtype(op))]


@interprets("math.ipowi")
def _ipowi(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    base, exponent = np.broadcast_arrays(*operands)
    bits = 1 << 64
    # A negative exponent divides: 1/±1 is ±1, everything else truncates to 0.
    powers = [
        pow(int(b), int(e), bits) if e >= 0 else (1 if b == 1 else (1 - 2 * (e % 2)) if b == -1 else 0)
        for b, e in zip(base.ravel(), exponent.ravel(), strict=True)
    ]
    held = np.array([int(p) % bits for p in powers], np.uint64).reshape(base.shape)
    return [wrap(held, op.results[0].type)]


@interprets("math.ctpop")
def _ctpop(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    return [wrap(np.bitwise_count(unsigned(operands[0], op.results[0].type)), op.results[0].type)]
