"""Lowering of operations whose bounds are values."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, math, tensor
from xdsl.dialects.builtin import AnyFloat, Float64Type, IndexType, IntegerType, f64, i64
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, SSAValue

from lamina.dialects.nn.base import DYNAMIC, NnOp
from lamina.lowering.linalg._builder import LinalgBuilder, Size, element
from lamina.lowering.linalg._gather import read_at, size_in
from lamina.lowering.linalg._scalars import Scalars
from lamina.lowering.linalg._types import element_of, is_unsigned
from lamina.lowering.linalg.rules import linalg_rule


@linalg_rule("nn.dynamic_slice")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    x, starts, ends = operands
    sizes = list(builder.sizes(x))
    firsts: list[Size] = [0] * len(sizes)
    steps = [1] * len(sizes)
    for k, (axis, step) in enumerate(zip(op.attribute("axes"), op.attribute("steps"), strict=True)):
        bounds = [_entry(builder, value, k) for value in (starts, ends)]
        firsts[axis], sizes[axis] = _range(builder, bounds[0], bounds[1], step, sizes[axis])
        steps[axis] = step
    kind = op.results[0].type
    known = kind.get_shape()  # pyright: ignore[reportAttributeAccessIssue]
    sizes = [size if n == DYNAMIC else n for size, n in zip(sizes, known, strict=True)]

    def places(s: Scalars, loops: Sequence[SSAValue]) -> list[SSAValue]:
        terms = zip(loops, steps, firsts, strict=True)
        return [s.add(s.mul(loop, step), size_in(s, first)) for loop, step, first in terms]

    return read_at(builder, x, sizes, places)


def _entry(builder: LinalgBuilder, values: SSAValue, index: int) -> SSAValue:
    """An entry of an i64 vector as an index."""
    s = builder.arithmetic()
    return s.index(s.emit(tensor.ExtractOp(values, [s.constant(index, IndexType())], i64)))


def _range(
    builder: LinalgBuilder, start: SSAValue, end: SSAValue, step: int, extent: Size
) -> tuple[SSAValue, SSAValue]:
    """The first index and the number of elements along an axis: ONNX's clamping, at run time."""
    s = builder.arithmetic()
    size = size_in(s, extent)
    start, end = (s.select(s.compare("lt", b, 0), s.add(b, size), b) for b in (start, end))
    if step > 0:
        start, end = (s.minimum(s.maximum(b, 0), size) for b in (start, end))
        return start, s.maximum(s.ceil_div(s.sub(end, start), step), 0)
    last = s.sub(size, 1)
    start = s.maximum(s.minimum(start, last), 0)
    end = s.maximum(s.minimum(end, last), -1)
    return start, s.maximum(s.ceil_div(s.sub(start, end), -step), 0)


@linalg_rule("nn.arange")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    """Counted and computed in f64 or i64."""
    kind = element(operands[0].type)
    unsigned = is_unsigned(element_of(op.operands[0].type))
    s = builder.arithmetic()
    start, limit, step = (_wide(s, s.emit(tensor.ExtractOp(v, [], kind)), unsigned) for v in operands)
    known = op.results[0].type.get_shape()[0]  # pyright: ignore[reportAttributeAccessIssue]
    count: Size = _count(s, start, limit, step) if known == DYNAMIC else known

    def body(s: Scalars, *_: SSAValue) -> SSAValue:
        place = s.index(s.emit(linalg.IndexOp(0)))
        number = s.emit(arith.SIToFPOp(place, f64)) if isinstance(kind, AnyFloat) else place
        return _narrow(s, s.add(start, s.mul(number, step)), kind)

    return builder.map([], [count], kind, body)


def _wide(s: Scalars, value: SSAValue, unsigned: bool) -> SSAValue:
    """A number as f64 or i64."""
    kind = value.type
    if isinstance(kind, AnyFloat):
        return value if isinstance(kind, Float64Type) else s.emit(arith.ExtFOp(value, f64))
    if kind == i64:
        return value
    return s.emit((arith.ExtUIOp if unsigned else arith.ExtSIOp)(value, i64))


def _narrow(s: Scalars, value: SSAValue, kind: Attribute) -> SSAValue:
    """A number from f64 or i64 in an element type."""
    if value.type == kind:
        return value
    if isinstance(kind, AnyFloat):
        return s.emit(arith.TruncFOp(value, kind))
    assert isinstance(kind, IntegerType)
    return s.emit(arith.TruncIOp(value, kind))


def _count(s: Scalars, start: SSAValue, limit: SSAValue, step: SSAValue) -> SSAValue:
    """The number of elements as an index; 0 for a step of 0."""
    stands = s.compare("eq", step, 0)
    divisor = s.select(stands, 1, step)
    span = s.sub(limit, start)
    if isinstance(step.type, AnyFloat):
        quotient = s.emit(arith.FPToSIOp(s.emit(math.CeilOp(s.div(span, divisor))), i64))
    else:
        quotient = s.ceil_div(span, divisor)
    return s.index(s.select(stands, 0, s.maximum(quotient, 0)))
