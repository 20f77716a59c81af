"""Lowering of random numbers: one generic, whose body computes a block of the generator for its place."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import Float64Type, IndexType, f32, f64, i32
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, SSAValue

from lamina.dialects.core.dtypes import numpy_dtype
from lamina.dialects.nn.base import NnOp
from lamina.dialects.nn.reference._threefry import PARITY, ROTATIONS
from lamina.dialects.nn.reference.random import FRACTION_BITS
from lamina.lowering.linalg._builder import Body, LinalgBuilder, constant
from lamina.lowering.linalg._scalars import Scalars
from lamina.lowering.linalg._types import element_of
from lamina.lowering.linalg.rules import linalg_rule

_INDEX = IndexType()


@linalg_rule("nn.rng_uniform")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    kind = element_of(op.results[0].type)
    low, high = op.attribute("low"), op.attribute("high")

    def numbers(s: Scalars, a: SSAValue, b: SSAValue) -> SSAValue:
        if isinstance(kind, Float64Type):
            wide = s.mul(_fraction(s, a, 27, f64), 2.0**27)
            bits = s.add(s.mul(wide, 2.0**26), s.mul(_fraction(s, b, 26, f64), 2.0**26))
            fraction = s.mul(bits, 2.0**-53)
        else:
            fraction = _fraction(s, a, FRACTION_BITS[numpy_dtype(kind).name], f32)
        width = s.sub(s.constant(high, fraction.type), s.constant(low, fraction.type))
        return s.narrowed(s.add(s.constant(low, fraction.type), s.mul(fraction, width)), kind)

    return _generated(op, operands[0], builder, numbers)


@linalg_rule("nn.rng_normal")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    kind = element_of(op.results[0].type)
    wide = f64 if isinstance(kind, Float64Type) else f32

    def numbers(s: Scalars, a: SSAValue, b: SSAValue) -> SSAValue:
        u = s.add(_fraction(s, a, 24, wide), 2.0**-24)
        angle = s.mul(_fraction(s, b, 24, wide), 2 * math.pi)
        radius = s.emit(math_dialect.SqrtOp(s.mul(s.emit(math_dialect.LogOp(u)), -2.0)))
        number = s.mul(s.mul(radius, s.emit(math_dialect.CosOp(angle))), op.attribute("stddev"))
        return s.narrowed(s.add(number, op.attribute("mean")), kind)

    return _generated(op, operands[0], builder, numbers)


def _fraction(s: Scalars, word: SSAValue, bits: int, kind: Attribute) -> SSAValue:
    """The upper bits of a word as a fraction of 1, exactly."""
    upper = s.emit(arith.ShRUIOp(word, s.constant(32 - bits, i32)))
    return s.mul(s.emit(arith.SIToFPOp(upper, kind)), 2.0**-bits)  # pyright: ignore[reportArgumentType]


def _generated(op: NnOp, key: SSAValue, builder: LinalgBuilder, numbers: Body) -> SSAValue:
    """A tensor of the result's shape whose elements follow from the words of the blocks at their places."""
    shape = op.attribute("shape")

    def body(s: Scalars, first: SSAValue, second: SSAValue) -> SSAValue | Sequence[SSAValue]:
        place = s.constant(0, _INDEX)
        for dim, extent in enumerate(shape):
            place = s.add(s.mul(place, extent), s.emit(linalg.IndexOp(dim)))
        counter = s.emit(arith.IndexCastOp(place, i32))
        return numbers(s, *_threefry(s, (first, second), counter))

    words = [(key, [constant(i)]) for i in range(2)]
    return builder.map(words, shape, element_of(op.results[0].type), body)


def _threefry(s: Scalars, key: tuple[SSAValue, SSAValue], counter: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The block at the counter ``(counter, 0)``: see :func:`threefry2x32`."""

    def xor(a: SSAValue, b: SSAValue) -> SSAValue:
        return s.emit(arith.XOrIOp(a, b))

    keys = (*key, xor(xor(key[0], key[1]), s.constant(PARITY, i32)))
    a, b = s.add(counter, keys[0]), keys[1]
    for turn in range(5):
        for bits in ROTATIONS[turn % 2]:
            a = s.add(a, b)
            left = s.emit(arith.ShLIOp(b, s.constant(bits, i32)))
            right = s.emit(arith.ShRUIOp(b, s.constant(32 - bits, i32)))
            b = xor(s.emit(arith.OrIOp(left, right)), a)
        a = s.add(a, keys[(turn + 1) % 3])
        b = s.add(s.add(b, keys[(turn + 2) % 3]), turn + 1)
    return a, b
