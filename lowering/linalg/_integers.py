"""Integer arithmetic that is defined for all operands, where arith and LLVM leave cases undefined."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Block, Region, SSAValue

from lamina.lowering.linalg._scalars import Scalars


def width(value: SSAValue) -> int:
    """The number of bits of an integer."""
    assert isinstance(value.type, IntegerType)
    return value.type.width.data


def quotient(s: Scalars, a: SSAValue, b: SSAValue) -> SSAValue:
    """The quotient truncated toward zero; 0 where the divisor is 0, and -a (wrapped) where it is -1."""
    by_zero = s.compare("eq", b, 0)
    if s.unsigned:
        return s.select(by_zero, 0, s.div(a, s.select(by_zero, 1, b)))
    negates = s.compare("eq", b, -1)
    plain = s.div(a, s.select(s.logical_or(by_zero, negates), 1, b))
    return s.select(by_zero, 0, s.select(negates, s.neg(a), plain))


def remainder(s: Scalars, a: SSAValue, b: SSAValue) -> SSAValue:
    """The remainder with the dividend's sign; 0 where the divisor is 0 or -1."""
    special = s.compare("eq", b, 0)
    if not s.unsigned:
        special = s.logical_or(special, s.compare("eq", b, -1))
    return s.rem(a, s.select(special, 1, b))


def integer_power(s: Scalars, a: SSAValue, b: SSAValue) -> SSAValue:
    """The wrapped power by squaring; negative exponents give the truncated reciprocal (0 for base 0)."""
    if s.unsigned:
        return _power_by_squaring(s, a, b)
    negative = s.compare("lt", b, 0)
    power = _power_by_squaring(s, a, s.select(negative, 0, b))
    odd = s.compare("ne", s.logical_and(b, 1), 0)
    of_minus_one = s.select(odd, s.constant(-1, a.type), s.constant(1, a.type))
    reciprocal = s.select(s.compare("eq", a, -1), of_minus_one, s.constant(0, a.type))
    reciprocal = s.select(s.compare("eq", a, 1), 1, reciprocal)
    return s.select(negative, reciprocal, power)


def _power_by_squaring(s: Scalars, base: SSAValue, exponent: SSAValue) -> SSAValue:
    """A loop over the exponent's bits that carries the power, the squared base and the bits left."""

    kind = base.type
    block = Block(arg_types=[IndexType(), kind, kind, kind])
    inner = Scalars(block, s.location, s.unsigned)
    _, power, square, bits = block.args
    taken = inner.compare("ne", inner.logical_and(bits, 1), 0)
    new_power = inner.select(taken, inner.mul(power, square), power)
    new_square = inner.mul(square, square)
    shifted = inner.emit(arith.ShRUIOp(bits, inner.constant(1, kind)))
    block.add_op(scf.YieldOp(new_power, new_square, shifted))
    first, end, step = (s.constant(n, IndexType()) for n in (0, width(base), 1))
    return s.emit(scf.ForOp(first, end, step, [s.constant(1, kind), base, exponent], Region(block)))


def shift_left(s: Scalars, value: SSAValue, amount: SSAValue) -> SSAValue:
    """The value shifted left; 0 where the amount, read as unsigned, is the width or more."""
    out = s.emit(arith.CmpiOp(amount, s.constant(width(value), value.type), "uge"))
    return s.select(out, 0, s.emit(arith.ShLIOp(value, s.select(out, 0, amount))))


def shift_right(s: Scalars, value: SSAValue, amount: SSAValue) -> SSAValue:
    """The value shifted right by its sign; a large amount gives 0, or the sign."""
    if s.unsigned:
        out = s.compare("ge", amount, width(value))
        return s.select(out, 0, s.emit(arith.ShRUIOp(value, s.select(out, 0, amount))))
    most = s.emit(arith.MinUIOp(amount, s.constant(width(value) - 1, value.type)))
    return s.emit(arith.ShRSIOp(value, most))
