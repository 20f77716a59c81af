"""Elementary functions as additions, multiplications and selections.

Each takes NaN to NaN, treats infinities, overflow and denormal numbers as the function itself does, and
makes no intermediate value that arith leaves undefined. Where a function is named as exact to some ulp,
the bound was measured against 50-digit arithmetic over the whole range of the type.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np
from xdsl.dialects import arith, math
from xdsl.ir import Operation, SSAValue

from lamina.lowering.vector import _polynomials as tables
from lamina.lowering.vector._lanes import Lane, Lanes

_LOG2_E = 1.4426950408889634
_LN2_HIGH = {True: 0.693359375, False: 0.6931471803691238}
_LN2_LOW = {True: -2.12194440054690583e-4, False: 1.9082149292705877e-10}
"""ln(2) in two parts, by whether it is for f32: the high part times a small integer is exact."""


def _reduced(x: Lane, added: int) -> tuple[SSAValue, Lane]:
    """``n`` and ``r`` with ``x = n ln(2) + r`` and ``|r| <= ln(2) / 2``.

    Of ``n`` the bits, in the lowest of which stands ``n + added``, an even number; others are not 0.
    """
    lanes = x.lanes
    magic = lanes.format.magic + added
    shifted = x.fma(_LOG2_E, magic)
    n = shifted - magic
    r = n.fma(-_LN2_HIGH[lanes.is_f32], x)
    return shifted.bits(), n.fma(-_LN2_LOW[lanes.is_f32], r)


def _bits_of(lanes: Lanes, value: float) -> int:
    """The bits of a positive float, as an integer."""
    kinds = (np.float32, np.int32) if lanes.is_f32 else (np.float64, np.int64)
    return int(np.array(value, kinds[0]).view(kinds[1]))


def _power_of_two(lanes: Lanes, biased: SSAValue) -> Lane:
    """The normal number whose exponent, with its bias, stands in the lowest bits; others are shifted out."""
    return lanes.float_of(lanes.integer_op(arith.ShLIOp, biased, lanes.format.mantissa))


def _exp_minus_one(r: Lane) -> Lane:
    """exp(r) - 1 on the reduced range."""
    return (r * r).fma(r.polynomial(tables.EXP_F32 if r.lanes.is_f32 else tables.EXP_F64), r)


def exp(x: Lane) -> Lane:
    """e^x, within 1.2 ulp."""
    lanes = x.lanes
    low, high = (-104.0, 89.0) if lanes.is_f32 else (-746.0, 710.0)
    biased, r = _reduced(x.at_most(high).at_least(low), 2 * lanes.format.bias)
    half = lanes.integer_op(arith.ShRSIOp, biased, 1)
    rest = lanes.emitter.value(arith.SubiOp(biased, half))
    value = _exp_minus_one(r) + 1.0
    return value * _power_of_two(lanes, half) * _power_of_two(lanes, rest)


def expm1(x: Lane) -> Lane:
    """e^x - 1, within 2 ulp."""
    lanes = x.lanes
    low, high = (-18.0, 89.0) if lanes.is_f32 else (-40.0, 710.0)
    biased, r = _reduced(x.at_most(high).at_least(low), lanes.format.bias - 1)
    scale = _power_of_two(lanes, biased)
    value = _exp_minus_one(r).fma(scale, scale - 0.5) * 2.0
    return x.where((x * x).compare("oeq", 0.0), value)


def log(x: Lane) -> Lane:
    """The natural logarithm, within 1.5 ulp; -inf at 0, NaN below."""
    lanes = x.lanes
    mantissa = lanes.format.mantissa
    least = 2.0 ** (1 - lanes.format.bias)
    is_small = x.compare("olt", least)
    scaled = (x * 2.0**mantissa).where(is_small, x)
    root = _bits_of(lanes, sqrt(0.5))
    offset = lanes.integer_op(arith.SubiOp, scaled.bits(), root)
    exponent = lanes.integer_op(arith.ShRSIOp, offset, mantissa)
    fraction = lanes.integer_op(arith.AndIOp, offset, (1 << mantissa) - 1)
    f = lanes.float_of(lanes.integer_op(arith.AddiOp, fraction, root)) - 1.0
    e = lanes.float_from(exponent)
    e = (e - float(mantissa)).where(is_small, e)
    value = _log_of_product(f, e)
    value = value.where(x.compare("olt", float("inf")), x)
    value = value.where(x.compare("une", 0.0), float("-inf"))
    return value.where(x.compare("uge", 0.0), float("nan"))


def _log_of_product(f: Lane, e: Lane) -> Lane:
    """log((1 + f) 2^e)."""
    is_f32 = f.lanes.is_f32
    square = f * f
    half = square * 0.5
    if is_f32:
        cubic = square * f
        tail = e.fma(_LN2_LOW[is_f32], cubic * f.polynomial(tables.LOG_F32)) - half
        return e.fma(_LN2_HIGH[is_f32], f + tail)
    s = f / (f + 2.0)
    z = s * s
    tail = e.fma(_LN2_LOW[is_f32], s * z.fma(z.polynomial(tables.LOG_F64), half))
    return e.fma(_LN2_HIGH[is_f32], f - (half - tail))


def log1p(x: Lane) -> Lane:
    """log(1 + x), within 3 ulp: what 1 + x loses to rounding is put back to first order."""
    u = x + 1.0
    lost = (x - (u - 1.0)) / u
    value = log(u) + lost.where(lost.compare("ord", lost), 0.0)
    return x.where(u.compare("oeq", 1.0), value)


def tanh(x: Lane) -> Lane:
    """The hyperbolic tangent, within 2 ulp."""
    size = abs(x)
    square = size * size
    table = tables.TANH_F32 if x.lanes.is_f32 else tables.TANH_F64
    near = (square * size).fma(square.polynomial(table), size)
    far = x.lanes.constant(1.0) - x.lanes.constant(2.0) / (exp(size + size) + 1.0)
    return near.where(size.compare("olt", 0.625), far).with_sign_of(x)


def erf(x: Lane) -> Lane:
    """The error function, within 6 ulp for f32 and 2 ulp for f64.

    For f32 it is a quotient of polynomials, half the work of the other form and exact enough for gelu.
    """
    if x.lanes.is_f32:
        t = x.at_most(4.0).at_least(-4.0)
        square = t * t
        value = t * square.polynomial(tables.ERF_F32) / square.polynomial(tables.ERF_DIVISOR_F32)
        return value.at_most(1.0).at_least(-1.0)
    size = abs(x)
    square = size * size
    near = square.polynomial(tables.ERF_F64).fma(size, size)
    t = size.at_most(6.0)
    ratio = (t - 2.0) / (t + 2.0)
    far = x.lanes.constant(1.0) - exp(-(t * t)) * ratio.polynomial(tables.ERFC_F64)
    return near.where(size.compare("olt", 1.0), far).with_sign_of(x)


EXPANSIONS: dict[type[Operation], Callable[[Lane], Lane]] = {
    math.ExpOp: exp,
    math.ExpM1Op: expm1,
    math.LogOp: log,
    math.Log1pOp: log1p,
    math.TanhOp: tanh,
    math.ErfOp: erf,
}
