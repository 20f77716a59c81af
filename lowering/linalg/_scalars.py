"""Scalar arithmetic for the bodies of linalg operations: the operation follows from the operands' type."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

Scalar: TypeAlias = "SSAValue | float | int | bool"
"""An operand of scalar arithmetic: a value, or a number that takes the other operand's type."""

_INTEGER = {"add": arith.AddiOp, "sub": arith.SubiOp, "mul": arith.MuliOp}
_FLOAT = {"add": arith.AddfOp, "sub": arith.SubfOp, "mul": arith.MulfOp, "div": arith.DivfOp}
_UNSIGNED_PREDICATE = {"lt": "ult", "le": "ule", "gt": "ugt", "ge": "uge"}
_SIGNED_PREDICATE = {"lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge"}
_FLOAT_PREDICATE = {"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge"}


class Scalars:
    """Emits scalar operations at the end of a block.

    ``unsigned`` says how integers are compared, divided and converted; everything else follows from the
    operands. Python numbers become constants of the other operand's type, one for each value and type.
    """

    def __init__(self, block: Block, location: LocationAttr, unsigned: bool = False) -> None:
        self.block = block
        self.location = location
        self.unsigned = unsigned
        self._constants: dict[tuple[str, Attribute], SSAValue] = {}

    def emit(self, op: Operation) -> SSAValue:
        """Append an operation; returns its result."""
        op.location = self.location
        self.block.add_op(op)
        return op.results[0]

    def constant(self, value: float | int | bool, kind: Attribute) -> SSAValue:
        """A constant of a type; integers wrap to the type's width."""
        key = (repr(value), kind)
        if key not in self._constants:
            self._constants[key] = self.emit(arith.ConstantOp(scalar_attribute(value, kind)))
        return self._constants[key]

    def pair(self, a: Scalar, b: Scalar) -> tuple[SSAValue, SSAValue]:
        """Both operands as values of one type."""
        if not isinstance(a, SSAValue):
            assert isinstance(b, SSAValue)
            return self.constant(a, b.type), b
        return a, b if isinstance(b, SSAValue) else self.constant(b, a.type)

    def _arithmetic(self, name: str, a: Scalar, b: Scalar) -> SSAValue:
        left, right = self.pair(a, b)
        return self.emit((_FLOAT if is_float(left) else _INTEGER)[name](left, right))

    def add(self, a: Scalar, b: Scalar) -> SSAValue:
        """The sum; integers wrap around."""
        return self._arithmetic("add", a, b)

    def sub(self, a: Scalar, b: Scalar) -> SSAValue:
        """The difference; integers wrap around."""
        return self._arithmetic("sub", a, b)

    def mul(self, a: Scalar, b: Scalar) -> SSAValue:
        """The product; integers wrap around."""
        return self._arithmetic("mul", a, b)

    def div(self, a: Scalar, b: Scalar) -> SSAValue:
        """The quotient, of integers rounded toward zero. An integer divisor must not be zero."""
        left, right = self.pair(a, b)
        if is_float(left):
            return self.emit(arith.DivfOp(left, right))
        return self.emit((arith.DivUIOp if self.unsigned else arith.DivSIOp)(left, right))

    def ceil_div(self, a: Scalar, b: Scalar) -> SSAValue:
        """The quotient of signed integers rounded up. The divisor must not be zero."""
        return self.emit(arith.CeilDivSIOp(*self.pair(a, b)))

    def rem(self, a: Scalar, b: Scalar) -> SSAValue:
        """The remainder of integers with the dividend's sign. The divisor must not be zero."""
        left, right = self.pair(a, b)
        return self.emit((arith.RemUIOp if self.unsigned else arith.RemSIOp)(left, right))

    def maximum(self, a: Scalar, b: Scalar) -> SSAValue:
        """The greater one; NaN if one is NaN."""
        left, right = self.pair(a, b)
        if is_float(left):
            return self.emit(arith.MaximumfOp(left, right))
        return self.emit((arith.MaxUIOp if self.unsigned else arith.MaxSIOp)(left, right))

    def greater_number(self, a: Scalar, b: Scalar) -> SSAValue:
        """The greater of two floats; the other one if one is NaN. Processors have less to do for it."""
        left, right = self.pair(a, b)
        return self.emit(arith.MaxnumfOp(left, right))

    def minimum(self, a: Scalar, b: Scalar) -> SSAValue:
        """The smaller one; NaN if one is NaN."""
        left, right = self.pair(a, b)
        if is_float(left):
            return self.emit(arith.MinimumfOp(left, right))
        return self.emit((arith.MinUIOp if self.unsigned else arith.MinSIOp)(left, right))

    def compare(self, predicate: str, a: Scalar, b: Scalar) -> SSAValue:
        """``eq ne lt le gt ge`` as i1; comparisons with NaN are false, but ``ne`` is true."""
        left, right = self.pair(a, b)
        if is_float(left):
            return self.emit(arith.CmpfOp(left, right, _FLOAT_PREDICATE[predicate]))
        names = _UNSIGNED_PREDICATE if self.unsigned else _SIGNED_PREDICATE
        return self.emit(arith.CmpiOp(left, right, names.get(predicate, predicate)))

    def is_nan(self, x: SSAValue) -> SSAValue:
        """Whether a float is NaN, as i1."""
        return self.emit(arith.CmpfOp(x, x, "uno"))

    def select(self, condition: SSAValue, a: Scalar, b: Scalar) -> SSAValue:
        """``a`` where the i1 condition holds, else ``b``."""
        left, right = self.pair(a, b)
        return self.emit(arith.SelectOp(condition, left, right))

    def logical_and(self, a: Scalar, b: Scalar) -> SSAValue:
        """The bitwise conjunction of integers."""
        return self.emit(arith.AndIOp(*self.pair(a, b)))

    def logical_or(self, a: Scalar, b: Scalar) -> SSAValue:
        """The bitwise disjunction of integers."""
        return self.emit(arith.OrIOp(*self.pair(a, b)))

    def logical_xor(self, a: Scalar, b: Scalar) -> SSAValue:
        """The bitwise exclusive disjunction of integers."""
        return self.emit(arith.XOrIOp(*self.pair(a, b)))

    def neg(self, x: SSAValue) -> SSAValue:
        """The negative."""
        return self.emit(arith.NegfOp(x)) if is_float(x) else self.sub(0, x)

    def abs(self, x: SSAValue) -> SSAValue:
        """The absolute value; of an unsigned integer itself."""
        if is_float(x):
            return self.emit(math.AbsFOp(x))
        return x if self.unsigned else self.emit(math.AbsIOp(x))

    def call(self, op: type[Operation], *operands: SSAValue) -> SSAValue:
        """An operation of the math or arith dialect on values: ``call(math.ExpOp, x)``."""
        return self.emit(op(*operands))  # pyright: ignore[reportArgumentType, reportCallIssue]

    def widened(self, x: SSAValue, kind: Attribute) -> SSAValue:
        """A float in a wider float type, or the value itself if it has the type."""
        return x if x.type == kind else self.emit(arith.ExtFOp(x, kind))

    def narrowed(self, x: SSAValue, kind: Attribute) -> SSAValue:
        """A float rounded to a narrower float type, or the value itself if it has the type."""
        return x if x.type == kind else self.emit(arith.TruncFOp(x, kind))

    def index(self, x: SSAValue) -> SSAValue:
        """An integer as ``index``, or an ``index`` as i64."""
        return self.emit(arith.IndexCastOp(x, i64 if isinstance(x.type, IndexType) else IndexType()))


def is_float(value: SSAValue) -> bool:
    """Whether a scalar is a float."""
    return isinstance(value.type, AnyFloat)


def scalar_attribute(value: float | int | bool, kind: Attribute) -> IntegerAttr | FloatAttr:
    """The attribute of a scalar constant; integers wrap to the type's width."""
    if isinstance(kind, IndexType):
        return IntegerAttr(int(value), kind)
    if isinstance(kind, IntegerType):
        width = kind.width.data
        wrapped = int(value) & ((1 << width) - 1)
        negative = kind != i1 and wrapped >> (width - 1)
        return IntegerAttr(wrapped - (1 << width) if negative else wrapped, kind)
    assert isinstance(kind, AnyFloat)
    return FloatAttr(float(value), kind)


def lowest(element: Attribute, unsigned: bool = False) -> float | int:
    """The neutral element of the maximum: minus infinity, or the least integer."""
    if isinstance(element, IntegerType):
        return 0 if unsigned else -(1 << (element.width.data - 1))
    return -np.inf


def highest(element: Attribute, unsigned: bool = False) -> float | int:
    """The neutral element of the minimum: infinity, or the greatest integer."""
    if isinstance(element, IntegerType):
        return (1 << (element.width.data - (0 if unsigned else 1))) - 1
    return np.inf
