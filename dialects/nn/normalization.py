"""Normalisations with learned scale and bias."""

from __future__ import annotations

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, TensorType, f64, i64
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from lamina.dialects.nn.base import NnOp


@irdl_op_definition
class BatchNormOp(NnOp):
    """``(x - mean) / sqrt(variance + epsilon) * scale + bias`` per channel (ONNX BatchNormalization).

    x: any shape with C channels along ``axis`` (default 1); scale, bias, mean, variance: ``[C]``; result: x's
    shape. Element types: floating-point, equal; f16 and bf16 compute in f32 and round once.

    Errors: a parameter of another shape, an axis out of range, an integer element type.

    ```mlir
    %0 = nn.batch_norm %x, %scale, %bias, %mean, %variance {epsilon = 1.0e-05 : f64}
      : (tensor<1x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x3x4xf32>
    ```
    """

    name = "nn.batch_norm"
    x = operand_def(TensorType)
    scale = operand_def(TensorType)
    bias = operand_def(TensorType)
    mean = operand_def(TensorType)
    variance = operand_def(TensorType)
    epsilon = prop_def(FloatAttr, default_value=FloatAttr(1e-5, f64))
    axis = prop_def(IntegerAttr, default_value=IntegerAttr(1, i64))
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class LayerNormOp(NnOp):
    """``(x - mean) / sqrt(variance + epsilon) * scale + bias`` over the last axes (ONNX LayerNormalization).

    Mean and (biased) variance are taken over the axes from ``axis`` (default -1) to the last. scale and bias
    (optional) broadcast one way to those axes' shape, or to x's. result: x's shape. Element types:
    floating-point, equal; f16 and bf16 compute in f32 and round once.

    Errors: an axis out of range, parameters that do not broadcast, an integer element type.

    ```mlir
    %0 = nn.layer_norm %x, %scale, %bias {axis = -1 : i64, epsilon = 1.0e-05 : f64}
      : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
    ```
    """

    name = "nn.layer_norm"
    x = operand_def(TensorType)
    scale = operand_def(TensorType)
    bias = opt_operand_def(TensorType)
    axis = prop_def(IntegerAttr, default_value=IntegerAttr(-1, i64))
    epsilon = prop_def(FloatAttr, default_value=FloatAttr(1e-5, f64))
    result = result_def(TensorType)
    traits = traits_def(Pure())
