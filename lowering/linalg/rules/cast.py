"""Lowering of ``nn.cast`` and ``nn.bitcast``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, BFloat16Type, IntegerType, f32, i1
from xdsl.ir import Attribute, SSAValue

from lamina.dialects.core.dtypes import numpy_dtype
from lamina.dialects.nn.cast import BitcastOp, CastOp
from lamina.lowering.linalg._builder import LinalgBuilder, dims, element
from lamina.lowering.linalg._elementwise import elementwise
from lamina.lowering.linalg._scalars import Scalars, highest, is_float, lowest
from lamina.lowering.linalg._types import converted_element, element_of, is_bool, is_half, is_unsigned
from lamina.lowering.linalg.rules import linalg_rule


@elementwise("nn.cast")
def _(s: Scalars, op: CastOp, x: SSAValue) -> SSAValue:
    target = element_of(op.results[0].type)
    if is_bool(target):
        return x if x.type == i1 else s.compare("ne", x, 0)
    if isinstance(target, AnyFloat):
        wide = f32 if is_half(target) else target
        return to_float(s, x, target if is_float(x) and not isinstance(target, BFloat16Type) else wide)
    assert isinstance(target, IntegerType)
    return to_integer(s, x, target) if is_float(x) else resized(s, x, converted_element(target))


@linalg_rule("nn.bitcast")
def _(op: BitcastOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    [x] = operands
    target = converted_element(element_of(op.results[0].type))
    if element(x.type) == target:
        return x

    def body(s: Scalars, value: SSAValue) -> SSAValue:
        return s.emit(arith.BitcastOp(value, target))  # pyright: ignore[reportArgumentType]

    return builder.map([(x, dims(len(builder.sizes(x))))], builder.sizes(x), target, body)


def to_float(s: Scalars, x: SSAValue, kind: Attribute) -> SSAValue:
    """A number as a float of a type."""
    if not is_float(x):
        signed = x.type != i1 and not s.unsigned
        return s.emit((arith.SIToFPOp if signed else arith.UIToFPOp)(x, kind))  # pyright: ignore[reportArgumentType]
    bits, wanted = (numpy_dtype(t).itemsize for t in (x.type, kind))
    if bits == wanted:
        return x
    return s.emit((arith.ExtFOp if bits < wanted else arith.TruncFOp)(x, kind))


def resized(s: Scalars, x: SSAValue, kind: Attribute) -> SSAValue:
    """An integer of another width: cut off, or extended by its sign."""
    assert isinstance(x.type, IntegerType) and isinstance(kind, IntegerType)
    if x.type.width.data == kind.width.data:
        return x
    if x.type.width.data > kind.width.data:
        return s.emit(arith.TruncIOp(x, kind))
    zero = x.type == i1 or s.unsigned
    return s.emit((arith.ExtUIOp if zero else arith.ExtSIOp)(x, kind))


def to_integer(s: Scalars, x: SSAValue, target: IntegerType) -> SSAValue:
    """A float truncated toward zero, held at the ends of the integer's range; NaN gives 0.

    The float is clamped before the conversion, which is undefined outside the range. Where the greatest
    integer is no float, larger floats are told apart by a comparison.
    """
    unsigned = is_unsigned(target)
    kind = IntegerType(target.width.data)
    low, high = lowest(kind, unsigned), highest(kind, unsigned)
    limit = _greatest_float(x.type, int(high))
    clamped = s.minimum(s.maximum(x, float(low)), limit)
    value = s.emit((arith.FPToUIOp if unsigned else arith.FPToSIOp)(clamped, kind))
    if int(limit) != high:
        value = s.select(s.compare("gt", x, limit), high, value)
    return s.select(s.is_nan(x), 0, value)


def _greatest_float(kind: Attribute, bound: int) -> float:
    """The greatest float of a type that is no more than an integer."""
    dtype = numpy_dtype(kind)
    value = dtype.type(bound)
    if int(value) > bound:
        value = np.nextafter(value, dtype.type(0))
    return float(value)
