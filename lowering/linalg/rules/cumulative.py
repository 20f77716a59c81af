"""Lowering of cumulative operations: a loop along the axis, whose turns combine a slice with the last one."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import SSAValue

from lamina.dialects.nn.base import NnOp
from lamina.lowering.linalg._builder import LinalgBuilder, Size, element
from lamina.lowering.linalg._contraction import accumulator, narrowed
from lamina.lowering.linalg._loops import loop
from lamina.lowering.linalg._padding import extract, insert
from lamina.lowering.linalg._scalars import Scalars
from lamina.lowering.linalg._types import element_of, is_unsigned
from lamina.lowering.linalg.rules import linalg_rule
from lamina.lowering.linalg.rules.reduction import neutral

_START = {"nn.cumsum": 0, "nn.cumprod": 1}


@linalg_rule("nn.cumsum", "nn.cumprod", "nn.cummax", "nn.cummin")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    [x] = operands
    sizes = list(builder.sizes(x))
    axis = op.attribute("axis") % len(sizes)
    kind = element(x.type)
    wide = accumulator(kind) if op.name in _START else kind
    unsigned = is_unsigned(element_of(op.operands[0].type))
    part: list[Size] = [1 if d == axis else n for d, n in enumerate(sizes)]
    start = _START.get(op.name)
    if start is None:
        start = neutral(element_of(op.operands[0].type), kind, largest=op.name == "nn.cummax")
    count = sizes[axis]

    def combine(s: Scalars, value: SSAValue, before: SSAValue) -> SSAValue:
        value = s.widened(value, wide) if isinstance(wide, AnyFloat) else value
        methods = {"nn.cumsum": s.add, "nn.cumprod": s.mul, "nn.cummax": s.maximum, "nn.cummin": s.minimum}
        return methods[op.name](before, value)

    def turn(inner: LinalgBuilder, index: SSAValue, carried: list[SSAValue]) -> list[SSAValue]:
        before, into = carried
        s = inner.arithmetic()
        place = s.sub(s.sub(inner.index(count), 1), index) if op.attribute("reverse") else index
        offsets: list[Size] = [place if d == axis else 0 for d in range(len(sizes))]
        now = extract(inner, x, offsets, part, [1] * len(sizes))
        total = inner.pointwise([now, before], wide, combine, unsigned)
        return [total, insert(inner, narrowed(inner, total, kind), into, offsets)]

    carried = [builder.fill(start, part, wide), builder.empty(sizes, kind)]
    return loop(builder, 0, count, 1, carried, turn)[1]
