"""Shape rules of ops that exist for derivatives."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute

from lamina.dialects.nn.base import DYNAMIC, ShapeError, shape_rule
from lamina.dialects.nn.gradients import StopGradientOp, SumToOp
from lamina.dialects.nn.shapes._checks import expect_number, shape_of, text, type_of


@shape_rule("nn.stop_gradient")
def _(op: StopGradientOp) -> Sequence[Attribute]:
    return [op.x.type]


@shape_rule("nn.sum_to")
def _(op: SumToOp) -> Sequence[Attribute]:
    x, like = shape_of(op.x), shape_of(op.like, "like")
    kind = type_of(op.x, "the operand").get_element_type()
    expect_number(kind)
    added = len(x) - len(like)
    if added < 0 or any(
        b not in (1, a, DYNAMIC) and a != DYNAMIC for a, b in zip(x[added:], like, strict=True)
    ):
        raise ShapeError(f"a tensor of shape {text(like)} does not broadcast to {text(x)}")
    return [TensorType(kind, like)]
