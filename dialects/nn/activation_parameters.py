"""Activations with more than a number beside the tensor: bounds, a tensor of slopes, an axis."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, TensorType
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from lamina.dialects.nn.base import NnOp
from lamina.dialects.nn.elementwise import ElementwiseOp, UnaryOp
from lamina.dialects.nn.kinds import Kind


@irdl_op_definition
class ClipOp(UnaryOp):
    """``minimum(maximum(x, min), max)``, with IEEE's maximum and minimum, so NaN stays NaN. ONNX Clip.

    ``x: [*S] -> [*S]`` on floats or integers. A bound that is absent does not apply; where ``min`` is
    above ``max`` all is ``max``. Bounds of floats are f64 attributes, rounded to the element type; those
    of integers are i64 attributes within the type's range.

    Errors: bounds of another kind than the elements, integer bounds out of the type's range.

    ```mlir
    %0 = nn.clip %x {min = 0.0, max = 6.0} : (tensor<?x3xf32>) -> tensor<?x3xf32>
    ```
    """

    name = "nn.clip"
    ELEMENTS: ClassVar[Kind] = Kind.NUMBER

    min = opt_prop_def(FloatAttr | IntegerAttr)
    max = opt_prop_def(FloatAttr | IntegerAttr)


@irdl_op_definition
class PreluOp(ElementwiseOp):
    """``x`` where ``x >= 0``, else ``slope * x``. ONNX PRelu.

    ``x: [*S], slope: [*T] -> [*S]``: the slope broadcasts to x, never x to the slope. Floats or integers
    of one type.

    Errors: a slope that does not broadcast to x, element types that differ.

    ```mlir
    %0 = nn.prelu %x, %slope : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
    ```
    """

    name = "nn.prelu"
    ELEMENTS: ClassVar[Kind] = Kind.NUMBER

    x = operand_def(TensorType)
    slope = operand_def(TensorType)
    result = result_def(TensorType)


class AxisOp(NnOp):
    """``x: [*S] -> [*S]`` on floats, over the elements along one axis; a negative one counts from the end."""

    ELEMENTS: ClassVar[Kind] = Kind.FLOAT

    operand = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    result = result_def(TensorType)

    traits = traits_def(Pure())


@irdl_op_definition
class SoftmaxOp(AxisOp):
    """``exp(x - m) / sum(exp(x - m))`` along an axis, m being the maximum. ONNX Softmax (opset 13).

    ``operand: [*S] -> [*S]``. Element types: floats. Where the maximum is infinite, NaN results.

    Errors: an axis out of range, other element types.

    ```mlir
    %0 = nn.softmax %x {axis = -1 : i64} : (tensor<?x3xf32>) -> tensor<?x3xf32>
    ```
    """

    name = "nn.softmax"


@irdl_op_definition
class LogSoftmaxOp(AxisOp):
    """``x - m - log(sum(exp(x - m)))`` along an axis, m being the maximum. ONNX LogSoftmax (opset 13).

    ``operand: [*S] -> [*S]``. Element types: floats. Where the maximum is infinite, NaN results.

    Errors: an axis out of range, other element types.

    ```mlir
    %0 = nn.log_softmax %x {axis = -1 : i64} : (tensor<?x3xf32>) -> tensor<?x3xf32>
    ```
    """

    name = "nn.log_softmax"
