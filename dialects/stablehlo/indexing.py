"""Operations whose places are values: slices at an index, gather, scatter, sort."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, IntegerAttr, TensorType
from xdsl.irdl import (
    SameVariadicOperandSize,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure

from lamina.dialects.stablehlo.attributes import GatherDimensionNumbers, ScatterDimensionNumbers
from lamina.dialects.stablehlo.syntax import Clause, PrettyOp, StablehloOp, numbers_clause


@irdl_op_definition
class DynamicSliceOp(PrettyOp):
    """A part of the given sizes at start indices, one scalar per dimension, held so that the part fits.

    ```mlir
    %0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [1, 2]
      : (tensor<4x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    ```
    """

    name = "stablehlo.dynamic_slice"
    CLAUSES: ClassVar[tuple[Clause, ...]] = (numbers_clause("sizes", "slice_sizes"),)
    operand = operand_def(TensorType)
    start_indices = var_operand_def(TensorType)
    slice_sizes = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class DynamicUpdateSliceOp(PrettyOp):
    """The operand with the part at start indices replaced by update, held so that it fits."""

    name = "stablehlo.dynamic_update_slice"
    operand = operand_def(TensorType)
    update = operand_def(TensorType)
    start_indices = var_operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class GatherOp(StablehloOp):
    """Slices of the operand at start indices, with XLA's general dimension numbers."""

    name = "stablehlo.gather"
    operand = operand_def(TensorType)
    start_indices = operand_def(TensorType)
    dimension_numbers = prop_def(GatherDimensionNumbers)
    slice_sizes = prop_def(DenseArrayBase)
    indices_are_sorted = opt_prop_def(BoolAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class DynamicGatherOp(StablehloOp):
    """``stablehlo.gather`` of slice sizes that are values."""

    name = "stablehlo.dynamic_gather"
    operand = operand_def(TensorType)
    start_indices = operand_def(TensorType)
    slice_sizes = operand_def(TensorType)
    dimension_numbers = prop_def(GatherDimensionNumbers)
    indices_are_sorted = opt_prop_def(BoolAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class ScatterOp(StablehloOp):
    """The inputs with updates combined into them at scatter indices by a computation; others fall away."""

    name = "stablehlo.scatter"
    inputs = var_operand_def(TensorType)
    scatter_indices = operand_def(TensorType)
    updates = var_operand_def(TensorType)
    scatter_dimension_numbers = prop_def(ScatterDimensionNumbers)
    indices_are_sorted = opt_prop_def(BoolAttr)
    unique_indices = opt_prop_def(BoolAttr)
    update_computation = region_def()
    outputs = var_result_def(TensorType)
    traits = traits_def(Pure())
    irdl_options = (SameVariadicOperandSize(),)


@irdl_op_definition
class SortOp(StablehloOp):
    """Tensors sorted together along a dimension, by a comparator of pairs of elements of each."""

    name = "stablehlo.sort"
    inputs = var_operand_def(TensorType)
    dimension = opt_prop_def(IntegerAttr)
    is_stable = opt_prop_def(BoolAttr)
    comparator = region_def()
    outputs = var_result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class TorchIndexSelectOp(StablehloOp):
    """Slices along a dimension, as PyTorch's index_select."""

    name = "stablehlo.torch_index_select"
    operand = operand_def(TensorType)
    index = operand_def(TensorType)
    dim = prop_def(IntegerAttr)
    batch_dims = prop_def(IntegerAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())
