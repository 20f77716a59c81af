"""Operations whose shapes are values, which importers need for models of unknown shape."""

from __future__ import annotations

from xdsl.dialects.builtin import BoolAttr, TensorType
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from lamina.dialects.nn.base import NnOp


@irdl_op_definition
class ShapeOfOp(NnOp):
    """The extents of x as a vector (ONNX Shape): ``tensor<rank x i64>``.

    ```mlir
    %0 = nn.shape_of %x : (tensor<?x3xf32>) -> tensor<2xi64>
    ```
    """

    name = "nn.shape_of"
    x = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class DynamicReshapeOp(NnOp):
    """The elements of x in row-major order under a shape that is a value (ONNX Reshape).

    shape: ``tensor<R x i64>`` with a static R, the result's rank. At most one entry is -1, which follows
    from the number of elements; 0 takes x's extent at that place, or with allowzero means an extent of 0.
    The result's extents are unknown unless shape is a constant; the result type may state what else is known.

    Errors: shape of another type, or a constant shape that x does not fit.

    ```mlir
    %0 = nn.dynamic_reshape %x, %s : (tensor<?x6xf32>, tensor<3xi64>) -> tensor<?x2x3xf32>
    ```
    """

    name = "nn.dynamic_reshape"
    x = operand_def(TensorType)
    shape = operand_def(TensorType)
    allowzero = prop_def(BoolAttr, default_value=BoolAttr.from_bool(False))
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class DynamicBroadcastToOp(NnOp):
    """x broadcast with a shape that is a value (ONNX Expand): extents of 1 on either side give way.

    shape: ``tensor<R x i64>`` with a static R. The result's rank is the larger one; an extent of x other
    than 1 is the result's, the others are unknown unless shape is a constant.

    Errors: shape of another type, or a constant shape that x does not broadcast with.

    ```mlir
    %0 = nn.dynamic_broadcast_to %x, %s : (tensor<3x1xf32>, tensor<3xi64>) -> tensor<?x3x?xf32>
    ```
    """

    name = "nn.dynamic_broadcast_to"
    x = operand_def(TensorType)
    shape = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())
