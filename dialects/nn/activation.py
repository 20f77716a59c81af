"""Activation functions."""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import irdl_op_definition

from lamina.dialects.nn.elementwise import UnaryOp
from lamina.dialects.nn.kinds import Kind


class ActivationOp(UnaryOp):
    """``x: [*S] -> [*S]`` on floats. f16 and bf16 are computed wider and rounded once."""

    ELEMENTS: ClassVar[Kind] = Kind.FLOAT


@irdl_op_definition
class ReluOp(ActivationOp):
    """``maximum(x, 0)``: NaN stays NaN, -0.0 becomes +0.0. Floats and integers. ONNX Relu."""

    name = "nn.relu"
    ELEMENTS: ClassVar[Kind] = Kind.NUMBER


@irdl_op_definition
class SigmoidOp(ActivationOp):
    """``1 / (1 + exp(-x))``. ONNX Sigmoid."""

    name = "nn.sigmoid"
