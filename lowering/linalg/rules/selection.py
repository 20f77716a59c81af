"""Lowering of ``nn.select``, which copies bits and never rounds."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from lamina.dialects.nn.comparison import SelectOp
from lamina.lowering.linalg._builder import LinalgBuilder, element
from lamina.lowering.linalg._scalars import Scalars
from lamina.lowering.linalg.rules import linalg_rule


@linalg_rule("nn.select")
def _(op: SelectOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    def body(s: Scalars, condition: SSAValue, on_true: SSAValue, on_false: SSAValue) -> SSAValue:
        return s.select(s.emit(arith.TruncIOp(condition, i1)), on_true, on_false)

    return builder.pointwise(operands, element(operands[1].type), body)
