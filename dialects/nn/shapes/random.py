"""Shape rules of random numbers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat, IntegerType, Signedness, TensorType
from xdsl.ir import Attribute, SSAValue

from lamina.dialects.nn.base import ShapeError, shape_rule
from lamina.dialects.nn.random import DropoutOp, RngNormalOp, RngUniformOp
from lamina.dialects.nn.shapes._checks import expect_float, integers, type_of

KEY = TensorType(IntegerType(32, Signedness.UNSIGNED), [2])


@shape_rule("nn.rng_uniform", "nn.rng_normal")
def _(op: RngUniformOp | RngNormalOp) -> Sequence[Attribute]:
    _check_key(op.key)
    kind = op.properties["type"]
    if not isinstance(kind, AnyFloat):
        raise ShapeError(f"attribute 'type' is {kind}, expected a floating-point type")
    return [TensorType(kind, integers(op, "shape", minimum=0))]


@shape_rule("nn.dropout")
def _(op: DropoutOp) -> Sequence[Attribute]:
    _check_key(op.key)
    expect_float(type_of(op.x, "the operand").get_element_type())
    rate = op.attribute("rate")
    if not 0 <= rate < 1:
        raise ShapeError(f"attribute 'rate' is {rate}, expected at least 0 and less than 1")
    return [op.x.type]


def _check_key(key: SSAValue) -> None:
    if key.type != KEY:
        raise ShapeError(f"the key has type {key.type}, expected {KEY}")
