"""Convolutions."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr, TensorType, i64
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from lamina.dialects.nn.base import NnOp


@irdl_op_definition
class Conv2dOp(NnOp):
    """Two-dimensional cross-correlation with stride, padding, dilation and groups (ONNX Conv, 2-d).

    ``result[n, o, i, j] = bias[o] + sum over c, p, q of
    x[n, g*C/G + c, i*sh + p*dh - top, j*sw + q*dw - left] * w[o, c, p, q]`` where g is o's group and x is
    zero outside its extent.

    | layout | x | w | result |
    |---|---|---|---|
    | ``"NCHW"`` | ``[N, C, H, W]`` | ``[O, C/G, KH, KW]`` | ``[N, O, OH, OW]`` |
    | ``"NHWC"`` | ``[N, H, W, C]`` | ``[KH, KW, C/G, O]`` | ``[N, OH, OW, O]`` |

    bias (optional): ``[O]``. ``OH = floor((H + top + bottom - (KH - 1) * dh - 1) / sh) + 1``, OW likewise.
    Attributes: strides ``[sh, sw]``, pads ``[top, left, bottom, right]`` (not negative), dilations
    ``[dh, dw]``, groups G. Element types: equal, any but i1; f16 and bf16 accumulate in f32 and round once,
    integers wrap. Depthwise: G = C.

    Errors: other ranks, channels or filters that G does not divide, a window larger than the padded input.

    ```mlir
    %0 = nn.conv2d %x, %w, %b {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>}
      : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<1x4x4x4xf32>
    ```
    """

    name = "nn.conv2d"
    x = operand_def(TensorType)
    w = operand_def(TensorType)
    bias = opt_operand_def(TensorType)
    strides = prop_def(DenseArrayBase, default_value=DenseArrayBase.from_list(i64, [1, 1]))
    pads = prop_def(DenseArrayBase, default_value=DenseArrayBase.from_list(i64, [0, 0, 0, 0]))
    dilations = prop_def(DenseArrayBase, default_value=DenseArrayBase.from_list(i64, [1, 1]))
    groups = prop_def(IntegerAttr, default_value=IntegerAttr(1, i64))
    layout = prop_def(StringAttr, default_value=StringAttr("NCHW"))
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class ConvTranspose2dOp(NnOp):
    """The transpose of ``nn.conv2d`` as a linear function of its input: its gradient by the input.

    For the convolution with these attributes from ``[N, C, H, W]`` to ``[N, O, OH, OW]``, x is of the
    convolution's result type, w is its filter, and the result is of its input's type:
    ``result[n, c, a, b] = sum of x[n, o, i, j] * w[o, c, p, q]`` over all places with
    ``a = i*sh + p*dh - top`` and ``b = j*sw + q*dw - left``.

    | layout | x | w | result |
    |---|---|---|---|
    | ``"NCHW"`` | ``[N, O, OH, OW]`` | ``[O, C/G, KH, KW]`` | ``[N, C, H, W]`` |
    | ``"NHWC"`` | ``[N, OH, OW, O]`` | ``[KH, KW, C/G, O]`` | ``[N, H, W, C]`` |

    Attributes: those of ``nn.conv2d``, and size ``[H, W]`` (several extents have one OH). Element types:
    equal, any but i1; f16 and bf16 accumulate in f32 and round once. ONNX ConvTranspose, with its filter
    ``[C, O/G, KH, KW]`` as w.

    Errors: other ranks, channels or filters that do not fit, a size that the convolution does not take to
    x's extents.

    ```mlir
    %0 = nn.conv_transpose2d %x, %w {strides = array<i64: 2, 2>, size = array<i64: 9, 9>}
      : (tensor<1x4x4x4xf32>, tensor<4x3x3x3xf32>) -> tensor<1x3x9x9xf32>
    ```
    """

    name = "nn.conv_transpose2d"
    x = operand_def(TensorType)
    w = operand_def(TensorType)
    strides = prop_def(DenseArrayBase, default_value=DenseArrayBase.from_list(i64, [1, 1]))
    pads = prop_def(DenseArrayBase, default_value=DenseArrayBase.from_list(i64, [0, 0, 0, 0]))
    dilations = prop_def(DenseArrayBase, default_value=DenseArrayBase.from_list(i64, [1, 1]))
    groups = prop_def(IntegerAttr, default_value=IntegerAttr(1, i64))
    layout = prop_def(StringAttr, default_value=StringAttr("NCHW"))
    size = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class Conv2dFilterGradientOp(NnOp):
    """The gradient of ``nn.conv2d`` by its filter, a product of input and cotangent for each place of it.

    ``result[o, c, p, q] = sum over n, i, j of x[n, g*C/G + c, i*sh + p*dh - top, j*sw + q*dw - left] *
    grad[n, o, i, j]`` where g is o's group and x is zero outside its extent.

    x is the convolution's input, grad is of its result's type, the result of its filter's type, each in the
    layout. Attributes: those of ``nn.conv2d``, and kernel ``[KH, KW]``. Element types: as ``nn.conv2d``.

    Errors: other ranks, channels that G does not divide, a grad whose extents are not those of the
    convolution.

    ```mlir
    %0 = nn.conv2d_filter_gradient %x, %g {kernel = array<i64: 3, 3>}
      : (tensor<2x3x8x8xf32>, tensor<2x4x6x6xf32>) -> tensor<4x3x3x3xf32>
    ```
    """

    name = "nn.conv2d_filter_gradient"
    x = operand_def(TensorType)
    grad = operand_def(TensorType)
    strides = prop_def(DenseArrayBase, default_value=DenseArrayBase.from_list(i64, [1, 1]))
    pads = prop_def(DenseArrayBase, default_value=DenseArrayBase.from_list(i64, [0, 0, 0, 0]))
    dilations = prop_def(DenseArrayBase, default_value=DenseArrayBase.from_list(i64, [1, 1]))
    groups = prop_def(IntegerAttr, default_value=IntegerAttr(1, i64))
    layout = prop_def(StringAttr, default_value=StringAttr("NCHW"))
    kernel = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure())
