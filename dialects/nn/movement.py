"""Operations that move, repeat or drop elements without computing."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr, TensorType
from xdsl.ir import Attribute
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure

from lamina.dialects.nn.base import NnOp


@irdl_op_definition
class ReshapeOp(NnOp):
    """The elements of x in row-major order under another shape (NumPy ``reshape``).

    Attribute shape: the new extents, at most one of them -1, which follows from the number of elements; 0
    means an extent of 0. Element types: any.

    Errors: a different number of elements, a -1 that does not follow.

    ```mlir
    %0 = nn.reshape %x {shape = array<i64: 2, -1>} : (tensor<4x3xf32>) -> tensor<2x6xf32>
    ```
    """

    name = "nn.reshape"
    x = operand_def(TensorType)
    shape = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class TransposeOp(NnOp):
    """Dimensions in another order: dimension i of the result is dimension permutation[i] of x (NumPy, ONNX).

    Element types: any. Errors: a permutation that is none of x's dimensions.

    ```mlir
    %0 = nn.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x3x4x5xf32>) -> tensor<1x4x5x3xf32>
    ```
    """

    name = "nn.transpose"
    x = operand_def(TensorType)
    permutation = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class ConcatOp(NnOp):
    """Tensors one after the other along an axis (NumPy ``concatenate``, ONNX Concat).

    One operand or more, equal but for their extent along ``axis``. Element types: any, equal.

    Errors: no operand, ranks or other extents that differ.

    ```mlir
    %0 = nn.concat %x, %y {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
    ```
    """

    name = "nn.concat"
    inputs = var_operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class SliceOp(NnOp):
    """Every ``step``-th element from ``start`` up to, and without, ``end`` along each dimension (ONNX Slice).

    starts, ends, steps: one entry per dimension. Negative starts and ends count from the back; both are then
    clamped to the dimension (``[0, d]``, for a negative step starts to ``[0, d-1]`` and ends to
    ``[-1, d-1]``), so a large end means "to the end", and a very negative one with a negative step "through
    the first". Element types: any.

    Errors: lists of another length than x's rank, a step of 0.

    ```mlir
    %0 = nn.slice %x {starts = array<i64: 0, 1>, ends = array<i64: 2, 9>, steps = array<i64: 1, 2>}
      : (tensor<2x6xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "nn.slice"
    x = operand_def(TensorType)
    starts = prop_def(DenseArrayBase)
    ends = prop_def(DenseArrayBase)
    steps = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class PadOp(NnOp):
    """Elements added before and after along each dimension (NumPy ``pad``, ONNX Pad).

    low, high: how many, one non-negative entry per dimension. mode ``"constant"`` (default) adds ``value``
    (an f64, i64 or i1 attribute that is converted to the element type; zero if absent), ``"edge"`` repeats
    the outermost element, ``"reflect"`` mirrors without repeating it. Element types: any.

    Errors: lists of another length than x's rank, negative entries, a reflection longer than the dimension.

    ```mlir
    %0 = nn.pad %x {low = array<i64: 0, 1>, high = array<i64: 0, 2>, value = 1.0 : f64}
      : (tensor<2x3xf32>) -> tensor<2x6xf32>
    ```
    """

    name = "nn.pad"
    x = operand_def(TensorType)
    low = prop_def(DenseArrayBase)
    high = prop_def(DenseArrayBase)
    mode = prop_def(StringAttr, default_value=StringAttr("constant"))
    value = opt_prop_def(Attribute)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class SplitOp(NnOp):
    """Consecutive parts of x along an axis (ONNX Split): result i has extent sizes[i] there.

    Element types: any. Errors: sizes that do not add up to the axis's extent.

    ```mlir
    %0, %1 = nn.split %x {axis = 0 : i64, sizes = array<i64: 1, 3>}
      : (tensor<4xf32>) -> (tensor<1xf32>, tensor<3xf32>)
    ```
    """

    name = "nn.split"
    x = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    sizes = prop_def(DenseArrayBase)
    parts = var_result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class GatherOp(NnOp):
    """Slices of data at indices along an axis (NumPy ``take``, ONNX Gather).

    data: ``[a…, D, b…]``, indices: ``[i…]`` of an integer type, result: ``[a…, i…, b…]``. Negative indices
    count from the back; an index outside ``[-D, D)`` is clamped to the nearest element (never an error or
    undefined behaviour). Element types of data: any.

    Errors: an axis out of range; indices into an axis of extent 0.

    ```mlir
    %0 = nn.gather %data, %i {axis = 0 : i64} : (tensor<9x4xf32>, tensor<2x3xi64>) -> tensor<2x3x4xf32>
    ```
    """

    name = "nn.gather"
    data = operand_def(TensorType)
    indices = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class BroadcastToOp(NnOp):
    """x repeated along dimensions of extent 1 to a shape (NumPy ``broadcast_to``).

    Attribute shape: the result's extents; dimensions are aligned at the back. -1 keeps x's extent (also an
    unknown one). Element types: any.

    Errors: a shape of lower rank, an extent that x's does not broadcast to.

    ```mlir
    %0 = nn.broadcast_to %x {shape = array<i64: 2, 4, 3>} : (tensor<4x1xf32>) -> tensor<2x4x3xf32>
    ```
    """

    name = "nn.broadcast_to"
    x = operand_def(TensorType)
    shape = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class SqueezeOp(NnOp):
    """x without the dimensions named by axes, each of extent 1 (ONNX Squeeze with its axes spelled out).

    Element types: any. Errors: an axis out of range, named twice, or of another extent than 1.

    ```mlir
    %0 = nn.squeeze %x {axes = array<i64: 0, -1>} : (tensor<1x3x1xf32>) -> tensor<3xf32>
    ```
    """

    name = "nn.squeeze"
    x = operand_def(TensorType)
    axes = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class UnsqueezeOp(NnOp):
    """x with dimensions of extent 1 at the places axes of the result (ONNX Unsqueeze, NumPy ``expand_dims``).

    Element types: any. Errors: an axis out of the result's range or named twice.

    ```mlir
    %0 = nn.unsqueeze %x {axes = array<i64: 0, -1>} : (tensor<3xf32>) -> tensor<1x3x1xf32>
    ```
    """

    name = "nn.unsqueeze"
    x = operand_def(TensorType)
    axes = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class TileOp(NnOp):
    """x repeated as a whole repeats[i] times along each dimension i (NumPy and ONNX Tile).

    repeats: one non-negative entry per dimension. Element types: any. Errors: another number of entries.

    ```mlir
    %0 = nn.tile %x {repeats = array<i64: 2, 1>} : (tensor<2x3xf32>) -> tensor<4x3xf32>
    ```
    """

    name = "nn.tile"
    x = operand_def(TensorType)
    repeats = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure())
