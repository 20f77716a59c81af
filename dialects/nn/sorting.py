"""Sorting along an axis."""

from __future__ import annotations

from xdsl.dialects.builtin import BoolAttr, IntegerAttr, TensorType
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from lamina.dialects.nn.base import NnOp

_FALSE = BoolAttr.from_bool(False)


@irdl_op_definition
class SortOp(NnOp):
    """The elements along an axis in rising order, or with descending in falling order (NumPy ``sort``).

    NaN counts as the largest, and -0.0 as equal to 0.0; equal elements stay in their order. x: any shape;
    the result has x's type. Element types: any.

    Errors: an axis out of range.

    ```mlir
    %0 = nn.sort %x {axis = -1 : i64, descending = true} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "nn.sort"
    x = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    descending = prop_def(BoolAttr, default_value=_FALSE)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class ArgsortOp(NnOp):
    """Where the elements of ``nn.sort`` come from: their indices along the axis, as i64 (NumPy ``argsort``).

    Shapes, attributes, element types and errors are those of ``nn.sort``; of equal elements the first comes
    first, also in falling order.

    ```mlir
    %0 = nn.argsort %x {axis = 0 : i64} : (tensor<4xf32>) -> tensor<4xi64>
    ```
    """

    name = "nn.argsort"
    x = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    descending = prop_def(BoolAttr, default_value=_FALSE)
    result = result_def(TensorType)
    traits = traits_def(Pure())
