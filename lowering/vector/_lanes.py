"""Arithmetic on a float type, scalar or vector, with Python's operators: what expansions are written in."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import Float32Type, FloatAttr, IntegerAttr, IntegerType, VectorType
from xdsl.ir import Attribute, SSAValue

from lamina.dialects.arith.on_vectors import SIToFPOp
from lamina.dialects.core.constants import splat_attr
from lamina.lowering.vector._emitter import Emitter


@dataclass(frozen=True)
class Format:
    """The layout of a float type."""

    mantissa: int
    """Bits of the fraction that are stored."""
    bias: int
    bits: int

    @property
    def magic(self) -> float:
        """Adding it to a small number leaves the number, rounded to an integer, in the lowest bits."""
        return 1.5 * 2.0**self.mantissa


F32 = Format(23, 127, 32)
F64 = Format(52, 1023, 64)


class Lanes:
    """Makes the operations of one expansion, all on one float type (and the integer type of its size)."""

    def __init__(self, emitter: Emitter, type_: Attribute) -> None:
        self.emitter = emitter
        self.type = type_
        element = type_.element_type if isinstance(type_, VectorType) else type_
        self.format = F32 if isinstance(element, Float32Type) else F64
        self.is_f32 = self.format is F32
        integer = IntegerType(self.format.bits)
        self.integer = VectorType(integer, type_.shape) if isinstance(type_, VectorType) else integer

    def constant(self, value: float) -> Lane:
        """The same number in all lanes."""
        if isinstance(self.type, VectorType):
            return Lane(self, self.emitter.constant(splat_attr(value, self.type)))
        return Lane(self, self.emitter.constant(FloatAttr(value, self.format.bits)))

    def integer_constant(self, value: int) -> SSAValue:
        """The same integer in all lanes."""
        if isinstance(self.integer, VectorType):
            return self.emitter.constant(splat_attr(value, self.integer))
        return self.emitter.constant(IntegerAttr(value, self.format.bits))

    def lift(self, value: Lane | float) -> Lane:
        """A number as a lane value."""
        return value if isinstance(value, Lane) else self.constant(value)

    def float_of(self, bits: SSAValue) -> Lane:
        """The floats whose bits are given."""
        return Lane(self, self.emitter.value(arith.BitcastOp(bits, self.type)))

    def float_from(self, integers: SSAValue) -> Lane:
        """Integers as floats of the same value."""
        op = SIToFPOp.create(operands=[integers], result_types=[self.type])
        return Lane(self, self.emitter.value(op))

    def integer_op(
        self, kind: type[arith.SignlessIntegerBinaryOperation], lhs: SSAValue, rhs: int
    ) -> SSAValue:
        """An integer operation with a constant."""
        return self.emitter.value(
            kind.create(operands=[lhs, self.integer_constant(rhs)], result_types=[self.integer])
        )


@dataclass(frozen=True, eq=False)
class Lane:
    """A value of an expansion."""

    lanes: Lanes
    value: SSAValue

    def _binary(self, kind: type[arith.FloatingPointLikeBinaryOperation], other: Lane | float) -> Lane:
        return Lane(self.lanes, self.lanes.emitter.value(kind(self.value, self.lanes.lift(other).value)))

    def __add__(self, other: Lane | float) -> Lane:
        return self._binary(arith.AddfOp, other)

    def __sub__(self, other: Lane | float) -> Lane:
        return self._binary(arith.SubfOp, other)

    def __mul__(self, other: Lane | float) -> Lane:
        return self._binary(arith.MulfOp, other)

    def __truediv__(self, other: Lane | float) -> Lane:
        return self._binary(arith.DivfOp, other)

    def __neg__(self) -> Lane:
        return Lane(self.lanes, self.lanes.emitter.value(arith.NegfOp(self.value)))

    def __abs__(self) -> Lane:
        return Lane(self.lanes, self.lanes.emitter.value(math.AbsFOp(self.value)))

    def with_sign_of(self, other: Lane) -> Lane:
        """The magnitude of this, the sign of another."""
        return self._from(math.CopySignOp(self.value, other.value))

    def _from(self, op: math.CopySignOp | math.FmaOp) -> Lane:
        return Lane(self.lanes, self.lanes.emitter.value(op))

    def fma(self, factor: Lane | float, summand: Lane | float) -> Lane:
        """``self * factor + summand``, rounded once."""
        factor, summand = self.lanes.lift(factor), self.lanes.lift(summand)
        return self._from(math.FmaOp(self.value, factor.value, summand.value))

    def polynomial(self, coefficients: tuple[float, ...]) -> Lane:
        """A polynomial in this value by Horner's rule; the lowest coefficient comes first."""
        *rest, total = (self.lanes.constant(c) for c in coefficients)
        for coefficient in reversed(rest):
            total = total.fma(self, coefficient)
        return total

    def bits(self) -> SSAValue:
        """The bits as integers."""
        return self.lanes.emitter.value(arith.BitcastOp(self.value, self.lanes.integer))

    def compare(self, predicate: str, other: Lane | float) -> SSAValue:
        """A comparison, by arith's name of the predicate."""
        return self.lanes.emitter.compare(predicate, self.value, self.lanes.lift(other).value)

    def where(self, condition: SSAValue, other: Lane | float) -> Lane:
        """This where a condition holds, the other elsewhere."""
        other = self.lanes.lift(other)
        return Lane(self.lanes, self.lanes.emitter.select(condition, self.value, other.value))

    def at_most(self, bound: float) -> Lane:
        """The lesser of this and a bound; NaN stays NaN."""
        limit = self.lanes.constant(bound)
        return limit.where(limit.compare("olt", self), self)

    def at_least(self, bound: float) -> Lane:
        """The greater of this and a bound; NaN stays NaN."""
        limit = self.lanes.constant(bound)
        return limit.where(limit.compare("ogt", self), self)
