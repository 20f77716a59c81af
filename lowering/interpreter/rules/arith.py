"""``arith``, on scalars, vectors and tensors alike: signless integers are held as signed NumPy integers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import ContainerType, IndexType, IntegerType
from xdsl.ir import Attribute

from lamina.dialects.core.constants import as_array
from lamina.dialects.core.dtypes import numpy_dtype
from lamina.lowering.interpreter.machine import Interpreter, Value, interprets


def element_of(type: Attribute) -> Attribute:
    """The element type of a vector or tensor type, or the type itself."""
    return type.get_element_type() if isinstance(type, ContainerType) else type


def result_dtype(op: Any) -> np.dtype:
    """The dtype that holds elements of an op's result."""
    return numpy_dtype(element_of(op.results[0].type))


def integer_width(type: Attribute) -> int:
    """Bits of an integer (or index) element type."""
    element = element_of(type)
    return element.width.data if isinstance(element, IntegerType) else 64


def unsigned(value: Value, type: Attribute) -> Value:
    """The bits of a signless integer read as an unsigned number."""
    value = np.asarray(value)
    if value.dtype == np.bool_:
        return value.astype(np.uint8)
    bits = value.view(np.dtype(f"u{value.dtype.name}")) if value.dtype.kind == "i" else value
    width = integer_width(type)
    return bits & bits.dtype.type((1 << width) - 1) if width < bits.dtype.itemsize * 8 else bits


def signed(value: Value, type: Attribute) -> Value:
    """The bits of a signless integer read as a signed number (i1: 0 and -1)."""
    value = np.asarray(value)
    return -value.astype(np.int8) if value.dtype == np.bool_ else value


def wrap(value: Value, type: Attribute) -> Value:
    """A number brought back into the width of an integer type, as two's complement does."""
    element = element_of(type)
    dtype = numpy_dtype(element)
    width = integer_width(type)
    if width == 1:
        return (np.asarray(value).astype(np.int64) & 1).astype(np.bool_)[()]
    held = np.asarray(value).astype(dtype)
    bits = dtype.itemsize * 8
    if isinstance(element, IndexType) or width == bits:
        return held[()]
    return ((held << (bits - width)) >> (bits - width))[()]


Scalar = Callable[..., Any]


def _register_integer(name: str, compute: Scalar, view: Callable[[Value, Attribute], Value]) -> None:
    @interprets(f"arith.{name}")
    def _(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
        kind = op.results[0].type
        return [wrap(compute(*(view(v, kind) for v in operands)), kind)]


def _truncated_quotient(a: Any, b: Any) -> Any:
    """C's division: toward zero; a zero divisor gives 0 (undefined in arith)."""
    safe = np.where(b == 0, 1, b)
    quotient = np.floor_divide(a, safe)
    inexact = (quotient * safe != a) & ((a < 0) != (safe < 0))
    return np.where(b == 0, 0, quotient + inexact)


def _remainder(a: Any, b: Any) -> Any:
    return np.where(b == 0, 0, np.fmod(a, np.where(b == 0, 1, b)))


def _shift(a: Any, b: Any, move: Callable[[Any, Any], Any], beyond: Any) -> Any:
    bits = a.dtype.itemsize * 8
    amount = np.asarray(b).astype(np.uint64)
    safe = np.minimum(amount, bits - 1).astype(a.dtype)
    return np.where(amount >= bits, beyond, move(a, safe))


_SIGNED: dict[str, Scalar] = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "divsi": _truncated_quotient,
    "remsi": _remainder,
    "floordivsi": lambda a, b: np.where(b == 0, 0, np.floor_divide(a, np.where(b == 0, 1, b))),
    "ceildivsi": lambda a, b: np.where(b == 0, 0, -np.floor_divide(-a, np.where(b == 0, 1, b))),
    "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b,
    "xori": lambda a, b: a ^ b,
    "maxsi": np.maximum,
    "minsi": np.minimum,
    "shli": lambda a, b: _shift(a, b, np.left_shift, 0),
    "shrsi": lambda a, b: _shift(a, b, np.right_shift, np.where(a < 0, -1, 0)),
}
_UNSIGNED: dict[str, Scalar] = {
    "divui": lambda a, b: np.where(b == 0, 0, a // np.where(b == 0, 1, b)),
    "remui": lambda a, b: np.where(b == 0, 0, a % np.where(b == 0, 1, b)),
    "ceildivui": lambda a, b: np.where(
        b == 0, 0, -(-a.astype(object) // np.where(b == 0, 1, b).astype(object))
    ),
    "maxui": np.maximum,
    "minui": np.minimum,
    "shrui": lambda a, b: _shift(a, b, np.right_shift, 0),
}
for _name, _compute in _SIGNED.items():
    _register_integer(_name, _compute, signed)
for _name, _compute in _UNSIGNED.items():
    _register_integer(_name, _compute, unsigned)


def _number_max(a: Any, b: Any) -> Any:
    return np.fmax(a, b)


def _with_ordered_zeros(choose: Scalar, a: Value, b: Value) -> Value:
    """The greater or lesser of two floats, where -0.0 is less than 0.0: NumPy takes either."""
    chosen = choose(a, b)
    zeros = (a == 0) & (b == 0)
    if not np.any(zeros):
        return chosen
    negative = np.signbit(a) & np.signbit(b)
    if choose in (np.minimum, np.fmin):
        negative = np.signbit(a) | np.signbit(b)
    return np.where(zeros, np.where(negative, -0.0, 0.0).astype(chosen.dtype), chosen)[()]


_FLOAT: dict[str, Scalar] = {
    "addf": lambda a, b: a + b,
    "subf": lambda a, b: a - b,
    "mulf": lambda a, b: a * b,
    "divf": lambda a, b: a / b,
    "remf": np.fmod,
    "maximumf": lambda a, b: _with_ordered_zeros(np.maximum, a, b),
    "minimumf": lambda a, b: _with_ordered_zeros(np.minimum, a, b),
    "maxnumf": lambda a, b: _with_ordered_zeros(np.fmax, a, b),
    "minnumf": lambda a, b: _with_ordered_zeros(np.fmin, a, b),
    "negf": lambda a: -a,
}


def register_float(dialect: str, name: str, compute: Scalar) -> None:
    """Register a floating-point op: operands in, one result of the result's dtype out."""

    @interprets(f"{dialect}.{name}")
    def _(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
        dtype = result_dtype(op)
        # Half precisions compute in single and round once, as hardware does.
        wide = [np.asarray(v).astype(np.float32) if dtype.itemsize == 2 else np.asarray(v) for v in operands]
        return [np.asarray(compute(*wide)).astype(dtype)[()]]


for _name, _compute in _FLOAT.items():
    register_float("arith", _name, _compute)


@interprets("arith.constant")
def _constant(machine: Interpreter, op: arith.ConstantOp, operands: Sequence[Value]) -> Sequence[Value]:
    return [as_array(op.value)[()]]


@interprets("arith.select")
def _select(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    condition, then, otherwise = operands
    if np.ndim(condition) == 0:
        return [then if condition else otherwise]
    return [np.where(condition, then, otherwise).astype(np.asarray(then).dtype)]


_COMPARE: tuple[Scalar, ...] = (
    lambda a, b: a == b,
    lambda a, b: a != b,
    lambda a, b: a < b,
    lambda a, b: a <= b,
    lambda a, b: a > b,
    lambda a, b: a >= b,
)
_FIRST_UNSIGNED = 6


@interprets("arith.cmpi")
def _cmpi(machine: Interpreter, op: arith.CmpiOp, operands: Sequence[Value]) -> Sequence[Value]:
    code = op.predicate.value.data
    kind = op.lhs.type
    view = unsigned if code >= _FIRST_UNSIGNED else signed
    compare = _COMPARE[code - 4 if code >= _FIRST_UNSIGNED else code]
    return [np.asarray(compare(*(view(v, kind) for v in operands)))[()]]


@interprets("arith.cmpf")
def _cmpf(machine: Interpreter, op: arith.CmpfOp, operands: Sequence[Value]) -> Sequence[Value]:
    a, b = operands
    unordered = np.isnan(a) | np.isnan(b)
    ordered_relations = (a == b, a > b, a >= b, a < b, a <= b, (a != b) & ~unordered)
    code = op.predicate.value.data
    if code in (0, 15):
        return [np.full(np.shape(unordered), code == 15)[()]]
    if code == 7:
        return [~unordered]
    if code == 14:
        return [unordered]
    relation = ordered_relations[(code - 1) % 7]
    return [relation | unordered if code >= 8 else relation & ~unordered]


def _cast(name: str, convert: Callable[[Value, Any], Value]) -> None:
    @interprets(f"arith.{name}")
    def _(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
        return [convert(operands[0], op)]


def _saturated(value: Value, op: Any, low: int, high: int) -> Value:
    """A float as an integer: beyond the range the result is undefined in arith; here it saturates."""
    number = np.nan_to_num(np.trunc(np.asarray(value).astype(np.float64)), nan=0.0, posinf=high, neginf=low)
    held = np.where(number >= high, high, np.where(number <= low, low, number).astype(object)).astype(object)
    return wrap(
        np.asarray([int(v) & ((1 << 64) - 1) for v in held.ravel()], np.uint64).reshape(held.shape),
        op.results[0].type,
    )


def _to_signed(value: Value, op: Any) -> Value:
    width = integer_width(op.results[0].type)
    return _saturated(value, op, -(1 << (width - 1)), (1 << (width - 1)) - 1)


def _to_unsigned(value: Value, op: Any) -> Value:
    return _saturated(value, op, 0, (1 << integer_width(op.results[0].type)) - 1)


_cast("extf", lambda v, op: np.asarray(v).astype(result_dtype(op))[()])
_cast("truncf", lambda v, op: np.asarray(v).astype(result_dtype(op))[()])
_cast("sitofp", lambda v, op: np.asarray(signed(v, op.operands[0].type)).astype(result_dtype(op))[()])
_cast("uitofp", lambda v, op: np.asarray(unsigned(v, op.operands[0].type)).astype(result_dtype(op))[()])
_cast("fptosi", _to_signed)
_cast("fptoui", _to_unsigned)
_cast("extsi", lambda v, op: wrap(signed(v, op.operands[0].type), op.results[0].type))
_cast("extui", lambda v, op: wrap(unsigned(v, op.operands[0].type), op.results[0].type))
_cast("trunci", lambda v, op: wrap(v, op.results[0].type))
_cast("index_cast", lambda v, op: wrap(signed(v, op.operands[0].type), op.results[0].type))
_cast("index_castui", lambda v, op: wrap(unsigned(v, op.operands[0].type), op.results[0].type))
_cast("bitcast", lambda v, op: np.asarray(v).view(result_dtype(op))[()])
