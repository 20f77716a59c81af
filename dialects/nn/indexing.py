"""Reading and writing parts of a tensor at places that are values."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr, TensorType, i64
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from lamina.dialects.nn.base import NnOp


@irdl_op_definition
class GatherNdOp(NnOp):
    """Parts of data of one size, each at a place that is read from indices (XLA Gather, ONNX GatherND).

    data: ``[B…, D0, …, Dn]``, indices: ``[B…, I…, K]`` of an integer type, result: ``[B…, I…, s0, …, sn]``.
    For each batch and each ``i``, a part of ``sizes`` = ``[s0, …, sn]`` begins at index ``indices[b, i, k]``
    of the dimension ``D<axes[k]>``, and at 0 of the others. It is moved so that it lies within data: there
    are no negative indices.

    Attributes: axes, K different dimensions of data behind the batches; sizes; batch_dims, the number of
    leading dimensions that both share (0). Element types of data: any.

    Errors: batch dimensions that differ, another K than axes has, a size larger than its dimension.

    ```mlir
    %0 = nn.gather_nd %data, %i {axes = array<i64: 0, 1>, sizes = array<i64: 1, 2>}
      : (tensor<9x4xf32>, tensor<5x2xi32>) -> tensor<5x1x2xf32>
    ```
    """

    name = "nn.gather_nd"
    data = operand_def(TensorType)
    indices = operand_def(TensorType)
    axes = prop_def(DenseArrayBase)
    sizes = prop_def(DenseArrayBase)
    batch_dims = prop_def(IntegerAttr, default_value=IntegerAttr(0, i64))
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class ScatterNdOp(NnOp):
    """data with updates combined into it, each at a place that is read from indices (XLA Scatter).

    data: ``[B…, D0, …, Dn]``, indices: ``[B…, I…, K]`` of an integer type, updates: ``[B…, I…, s0, …, sn]``
    of data's element type; the result has data's type. Places are those of ``nn.gather_nd``, but an update
    that does not lie within data is left out as a whole. mode says what a written element becomes: ``"set"``
    (the update; of several the last in row-major order), ``"add"``, ``"mul"``, ``"max"`` or ``"min"`` of it
    and the update, one after the other.

    Attributes: axes, K different dimensions of data behind the batches; batch_dims (0); mode (``"set"``).
    Element types: any; i1 only with ``"set"``.

    Errors: batch or index dimensions that differ, another K than axes has, updates larger than data.

    ```mlir
    %0 = nn.scatter_nd %data, %i, %u {axes = array<i64: 0>, mode = "add"}
      : (tensor<9x4xf32>, tensor<5x1xi32>, tensor<5x1x4xf32>) -> tensor<9x4xf32>
    ```
    """

    name = "nn.scatter_nd"
    data = operand_def(TensorType)
    indices = operand_def(TensorType)
    updates = operand_def(TensorType)
    axes = prop_def(DenseArrayBase)
    batch_dims = prop_def(IntegerAttr, default_value=IntegerAttr(0, i64))
    mode = prop_def(StringAttr, default_value=StringAttr("set"))
    result = result_def(TensorType)
    traits = traits_def(Pure())
