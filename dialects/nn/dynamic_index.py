"""Operations whose bounds are values, which importers need for models of unknown shape."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, TensorType
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from lamina.dialects.nn.base import NnOp


@irdl_op_definition
class DynamicSliceOp(NnOp):
    """``nn.slice`` along some axes, between bounds that are values (ONNX Slice).

    x: any shape; starts, ends: ``tensor<K x i64>``, an entry for each of the K ``axes``; steps: an attribute
    of K entries. Bounds are clamped as by ``nn.slice``. result: x's shape but for the axes, whose extents
    follow where the bounds are constants, and are unknown otherwise. Element types of x: any.

    Errors: an axis out of range or named twice, lists of another length, a step of 0.

    ```mlir
    %0 = nn.dynamic_slice %x, %s, %e {axes = array<i64: 1>, steps = array<i64: 1>}
      : (tensor<2x6xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x?xf32>
    ```
    """

    name = "nn.dynamic_slice"
    x = operand_def(TensorType)
    starts = operand_def(TensorType)
    ends = operand_def(TensorType)
    axes = prop_def(DenseArrayBase)
    steps = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class ArangeOp(NnOp):
    """``start, start + step, …`` up to, and without, ``limit`` (NumPy ``arange``, ONNX Range).

    start, limit, step: scalars of one type, integers or floats; result: ``tensor<N x type>`` with
    ``N = max(ceil((limit - start) / step), 0)``, which is known where all three are constants. Elements are
    ``start + i * step``. A step of 0 gives no elements.

    Errors: operands that are no scalars, or of several types.

    ```mlir
    %0 = nn.arange %start, %limit, %step : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
    ```
    """

    name = "nn.arange"
    start = operand_def(TensorType)
    limit = operand_def(TensorType)
    step = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())
