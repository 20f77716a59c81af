"""Functions of one tensor, element by element.

The operand's shape is the result's. Functions that IEEE 754 does not define exactly are meant to the
precision of the element type: the reference evaluates them in f64 and rounds once.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import irdl_op_definition

from lamina.dialects.nn.elementwise import UnaryOp
from lamina.dialects.nn.kinds import Kind


class NumberFunction(UnaryOp):
    """``x: [*S] -> [*S]`` on floats or integers."""

    ELEMENTS: ClassVar[Kind] = Kind.NUMBER


class FloatFunction(UnaryOp):
    """``x: [*S] -> [*S]`` on floats."""

    ELEMENTS: ClassVar[Kind] = Kind.FLOAT


@irdl_op_definition
class TanhOp(FloatFunction):
    """The hyperbolic tangent. ONNX Tanh."""

    name = "nn.tanh"
