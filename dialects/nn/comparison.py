"""Comparisons, which give i1, and the choice between two tensors by an i1 tensor.

Operands broadcast as in NumPy. Comparisons of floats follow IEEE 754: NaN is unequal to everything,
itself included, and neither less nor greater; -0.0 equals +0.0. Unsigned integers compare as unsigned.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import TensorType
from xdsl.irdl import irdl_op_definition, operand_def, result_def

from lamina.dialects.nn.elementwise import BinaryOp, ElementwiseOp
from lamina.dialects.nn.kinds import Kind


class ComparisonOp(BinaryOp):
    """``lhs: [*A], rhs: [*B] -> [*broadcast(A, B)]`` of i1; floats or integers."""

    ELEMENTS: ClassVar[Kind] = Kind.NUMBER
    GIVES_BOOLEAN: ClassVar[bool] = True


@irdl_op_definition
class EqualOp(ComparisonOp):
    """``lhs == rhs``; also on i1. ONNX Equal."""

    name = "nn.equal"
    ELEMENTS: ClassVar[Kind] = Kind.ANY


@irdl_op_definition
class NotEqualOp(ComparisonOp):
    """``lhs != rhs``; also on i1. True where either is NaN. NumPy's not_equal."""

    name = "nn.not_equal"
    ELEMENTS: ClassVar[Kind] = Kind.ANY


@irdl_op_definition
class LessOp(ComparisonOp):
    """``lhs < rhs``. ONNX Less."""

    name = "nn.less"


@irdl_op_definition
class LessEqualOp(ComparisonOp):
    """``lhs <= rhs``. ONNX LessOrEqual."""

    name = "nn.less_equal"


@irdl_op_definition
class GreaterOp(ComparisonOp):
    """``lhs > rhs``. ONNX Greater."""

    name = "nn.greater"


@irdl_op_definition
class GreaterEqualOp(ComparisonOp):
    """``lhs >= rhs``. ONNX GreaterOrEqual."""

    name = "nn.greater_equal"


@irdl_op_definition
class SelectOp(ElementwiseOp):
    """``on_true`` where the condition holds, else ``on_false``. ONNX Where.

    ``condition: [*C] of i1, on_true: [*A], on_false: [*B] -> [*broadcast(C, A, B)]``. The two values have
    one element type, any. Bits are copied: NaN payloads and signs of zeros survive.

    Errors: a condition that is not i1, values of two element types, shapes that do not broadcast.

    ```mlir
    %0 = nn.select %c, %x, %y : (tensor<3xi1>, tensor<?x3xf32>, tensor<f32>) -> tensor<?x3xf32>
    ```
    """

    name = "nn.select"

    condition = operand_def(TensorType)
    on_true = operand_def(TensorType)
    on_false = operand_def(TensorType)
    result = result_def(TensorType)
