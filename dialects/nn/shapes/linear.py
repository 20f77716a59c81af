"""Shape rules of matrix products."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute

from lamina.dialects.nn.base import ShapeError, shape_rule
from lamina.dialects.nn.linear import MatmulOp
from lamina.dialects.nn.shapes._checks import broadcast, expect_number, same_element, same_extent, shape_of


@shape_rule("nn.matmul")
def _(op: MatmulOp) -> Sequence[Attribute]:
    a, b = shape_of(op.a, "operand a"), shape_of(op.b, "operand b")
    for name, shape in (("a", a), ("b", b)):
        if len(shape) < 2:
            raise ShapeError(f"operand {name} has rank {len(shape)}, expected at least 2")
    kind = same_element(op, [op.a, op.b])
    expect_number(kind)
    same_extent(a[-1], b[-2], "the columns of a and the rows of b")
    batch = broadcast(a[:-2], b[:-2], "batch dimensions")
    return [TensorType(kind, [*batch, a[-2], b[-1]])]
