"""Pooling over two-dimensional windows."""

from __future__ import annotations

from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, StringAttr, TensorType, i64
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from lamina.dialects.nn.base import NnOp

_FALSE = BoolAttr.from_bool(False)


@irdl_op_definition
class MaxPool2dOp(NnOp):
    """The largest element of each window (ONNX MaxPool, 2-d).

    x: ``[N, C, H, W]``, result ``[N, C, OH, OW]`` in layout ``"NCHW"``; ``[N, H, W, C]`` and
    ``[N, OH, OW, C]`` in ``"NHWC"``. Padding never is the maximum, NaN is wherever a window holds one; a
    window without any element gives the lowest value (-inf for floats). Element types: any.

    Attributes: kernel ``[KH, KW]``, strides ``[sh, sw]``, pads ``[top, left, bottom, right]``, dilations
    ``[dh, dw]``. ``OH = floor((H + top + bottom - (KH - 1) * dh - 1) / sh) + 1``; with ceil_mode the
    division rounds up, but no window starts in the padding at the bottom (right), as in ONNX 19 and later.

    Errors: another rank, a window larger than the padded input.

    ```mlir
    %0 = nn.max_pool2d %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>}
      : (tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32>
    ```
    """

    name = "nn.max_pool2d"
    x = operand_def(TensorType)
    kernel = prop_def(DenseArrayBase)
    strides = prop_def(DenseArrayBase, default_value=DenseArrayBase.from_list(i64, [1, 1]))
    pads = prop_def(DenseArrayBase, default_value=DenseArrayBase.from_list(i64, [0, 0, 0, 0]))
    dilations = prop_def(DenseArrayBase, default_value=DenseArrayBase.from_list(i64, [1, 1]))
    ceil_mode = prop_def(BoolAttr, default_value=_FALSE)
    layout = prop_def(StringAttr, default_value=StringAttr("NCHW"))
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class AvgPool2dOp(NnOp):
    """The mean of each window (ONNX AveragePool, 2-d, as of opset 19).

    Shapes and attributes are those of ``nn.max_pool2d``. The divisor is the number of elements of x in the
    window, or with count_include_pad the number of places in the window that lie in the padded input (not
    those that ceil_mode adds beyond it). A window without any place gives NaN. Element types:
    floating-point; f16 and bf16 accumulate in f32 and round once.

    Errors: as ``nn.max_pool2d``; an integer element type.

    ```mlir
    %0 = nn.avg_pool2d %x {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, count_include_pad = true}
      : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
    ```
    """

    name = "nn.avg_pool2d"
    x = operand_def(TensorType)
    kernel = prop_def(DenseArrayBase)
    strides = prop_def(DenseArrayBase, default_value=DenseArrayBase.from_list(i64, [1, 1]))
    pads = prop_def(DenseArrayBase, default_value=DenseArrayBase.from_list(i64, [0, 0, 0, 0]))
    dilations = prop_def(DenseArrayBase, default_value=DenseArrayBase.from_list(i64, [1, 1]))
    ceil_mode = prop_def(BoolAttr, default_value=_FALSE)
    count_include_pad = prop_def(BoolAttr, default_value=_FALSE)
    layout = prop_def(StringAttr, default_value=StringAttr("NCHW"))
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class MaxPool2dGradientOp(NnOp):
    """The gradient of ``nn.max_pool2d`` by its operand: each cotangent goes to its window's largest element.

    Of equal elements the first in row-major order gets all (as in JAX and XLA's select-and-scatter); where
    windows overlap, an element gets the sum. A window that holds NaN gives nothing.

    x: the pooling's operand; grad: of its result's type; result: of x's type. Attributes: those of the
    pooling. Element types: floats.

    Errors: as ``nn.max_pool2d``, a grad of another type than the pooling's result.

    ```mlir
    %0 = nn.max_pool2d_gradient %x, %g {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>}
      : (tensor<1x3x8x8xf32>, tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32>
    ```
    """

    name = "nn.max_pool2d_gradient"
    x = operand_def(TensorType)
    grad = operand_def(TensorType)
    kernel = prop_def(DenseArrayBase)
    strides = prop_def(DenseArrayBase, default_value=DenseArrayBase.from_list(i64, [1, 1]))
    pads = prop_def(DenseArrayBase, default_value=DenseArrayBase.from_list(i64, [0, 0, 0, 0]))
    dilations = prop_def(DenseArrayBase, default_value=DenseArrayBase.from_list(i64, [1, 1]))
    ceil_mode = prop_def(BoolAttr, default_value=_FALSE)
    layout = prop_def(StringAttr, default_value=StringAttr("NCHW"))
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class AvgPool2dGradientOp(NnOp):
    """The transpose of ``nn.avg_pool2d``, its gradient: each cotangent is spread evenly over its window.

    grad: of the pooling's result type; result: of its operand's type. Attributes: those of the pooling, and
    size ``[H, W]``, the operand's extents. Element types: floats.

    Errors: as ``nn.avg_pool2d``, a size that the pooling does not take to grad's extents.

    ```mlir
    %0 = nn.avg_pool2d_gradient %g {kernel = array<i64: 3, 3>, size = array<i64: 8, 8>}
      : (tensor<1x3x6x6xf32>) -> tensor<1x3x8x8xf32>
    ```
    """

    name = "nn.avg_pool2d_gradient"
    grad = operand_def(TensorType)
    kernel = prop_def(DenseArrayBase)
    strides = prop_def(DenseArrayBase, default_value=DenseArrayBase.from_list(i64, [1, 1]))
    pads = prop_def(DenseArrayBase, default_value=DenseArrayBase.from_list(i64, [0, 0, 0, 0]))
    dilations = prop_def(DenseArrayBase, default_value=DenseArrayBase.from_list(i64, [1, 1]))
    ceil_mode = prop_def(BoolAttr, default_value=_FALSE)
    count_include_pad = prop_def(BoolAttr, default_value=_FALSE)
    layout = prop_def(StringAttr, default_value=StringAttr("NCHW"))
    size = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure())
