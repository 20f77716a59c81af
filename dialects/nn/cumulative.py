"""Reductions of everything up to an element, along an axis."""

from __future__ import annotations

from xdsl.dialects.builtin import BoolAttr, IntegerAttr, TensorType
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from lamina.dialects.nn.base import NnOp

_FALSE = BoolAttr.from_bool(False)


class CumulativeOp(NnOp):
    """What cumulative operations share: x of any shape, an axis, and whether they run from its end."""


@irdl_op_definition
class CumsumOp(CumulativeOp):
    """The sum of all elements up to each one, and with it, along an axis (NumPy ``cumsum``, ONNX CumSum).

    x: any shape; the result has x's type. With reverse, of all elements from each one to the end. Element
    types: any but i1; f16 and bf16 accumulate in f32, integers wrap.

    Errors: an axis out of range.

    ```mlir
    %0 = nn.cumsum %x {axis = 1 : i64, reverse = true} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "nn.cumsum"
    x = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    reverse = prop_def(BoolAttr, default_value=_FALSE)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class CumprodOp(CumulativeOp):
    """The product of all elements up to each one (NumPy ``cumprod``). Otherwise as ``nn.cumsum``."""

    name = "nn.cumprod"
    x = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    reverse = prop_def(BoolAttr, default_value=_FALSE)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class CummaxOp(CumulativeOp):
    """The largest of all elements up to each one; NaN from the first one on. Otherwise as ``nn.cumsum``."""

    name = "nn.cummax"
    x = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    reverse = prop_def(BoolAttr, default_value=_FALSE)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class CumminOp(CumulativeOp):
    """The smallest of all elements up to each one; NaN from the first one on. Otherwise as ``nn.cumsum``."""

    name = "nn.cummin"
    x = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    reverse = prop_def(BoolAttr, default_value=_FALSE)
    result = result_def(TensorType)
    traits = traits_def(Pure())
