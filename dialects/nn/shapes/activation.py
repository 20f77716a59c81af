"""Result types of activation functions, and the checks of their attributes."""

from __future__ import annotations

import math

from xdsl.dialects.builtin import FloatAttr, IntegerType, TensorType
from xdsl.ir import Attribute

from lamina.dialects.core.dtypes import integer_limits
from lamina.dialects.nn.activation import ActivationOp
from lamina.dialects.nn.activation_parameters import AxisOp, ClipOp, PreluOp
from lamina.dialects.nn.base import NnOp, ShapeError, shape_rule
from lamina.dialects.nn.kinds import Kind, kind_of, require_kind
from lamina.dialects.nn.shapes._checks import (
    axis_in,
    broadcast,
    choice,
    integer,
    same_element,
    shape_of,
    text,
)
from lamina.dialects.nn.shapes.elementwise import operand_type


@shape_rule("nn.relu", "nn.sigmoid", "nn.softplus", "nn.softsign", "nn.silu", "nn.hard_swish")
def plain(op: ActivationOp) -> list[TensorType]:
    """The operand's type."""
    return [operand_type(op)]


@shape_rule(
    *("nn.leaky_relu", "nn.elu", "nn.selu", "nn.celu", "nn.hard_sigmoid", "nn.thresholded_relu"),
)
def with_parameters(op: ActivationOp) -> list[TensorType]:
    """The operand's type; the parameters are finite numbers (and celu's alpha is not 0)."""
    for name, attr in op.properties.items():
        if not isinstance(attr, FloatAttr):
            raise ShapeError(f"attribute '{name}' is {attr}, expected an f64")
        if not math.isfinite(attr.value.data):
            raise ShapeError(f"attribute '{name}' is {attr.value.data}, expected a finite number")
    if op.name == "nn.celu" and op.attribute("alpha") == 0:
        raise ShapeError("attribute 'alpha' is 0, expected a number to divide by")
    return [operand_type(op)]


@shape_rule("nn.gelu")
def gelu(op: ActivationOp) -> list[TensorType]:
    """The operand's type."""
    if "approximate" in op.properties:
        choice(op, "approximate", ("none", "tanh"))
    return [operand_type(op)]


@shape_rule("nn.clip")
def clip(op: ClipOp) -> list[TensorType]:
    """The operand's type; the bounds are values of its element type."""
    result = operand_type(op)
    for name in ("min", "max"):
        if name in op.properties:
            _check_bound(op, name, result.element_type)
    return [result]


def _check_bound(op: NnOp, name: str, element: Attribute) -> None:
    attr = op.properties[name]
    if kind_of(element) is Kind.FLOAT:
        if not isinstance(attr, FloatAttr):
            raise ShapeError(f"attribute '{name}' is {attr}, expected an f64 for elements of {element}")
        return
    value = integer(op, name)
    assert isinstance(element, IntegerType)
    low, high = integer_limits(element)
    if not low <= value <= high:
        raise ShapeError(f"attribute '{name}' is {value}, expected a value of {element}")


@shape_rule("nn.prelu")
def prelu(op: PreluOp) -> list[TensorType]:
    """The type of x, which the slope must not widen."""
    element = same_element(op, op.operands)
    require_kind("its operands", element, op.ELEMENTS)
    shape, slope = shape_of(op.x, "operand 0"), shape_of(op.slope, "operand 1")
    joint = broadcast(shape, slope)
    grows = any(n != m and m == 1 for n, m in zip(joint, shape, strict=False))
    if len(joint) != len(shape) or grows:
        raise ShapeError(f"the slope of shape {text(slope)} does not broadcast to x of shape {text(shape)}")
    return [TensorType(element, joint)]


@shape_rule("nn.softmax", "nn.log_softmax")
def along_axis(op: AxisOp) -> list[TensorType]:
    """The operand's type; the axis is one of its."""
    result = operand_type(op)
    axis_in(integer(op, "axis"), result.get_num_dims())
    return [result]
