"""Reductions over axes, and the places of extreme values."""

from __future__ import annotations

from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, IntegerAttr, TensorType
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from lamina.dialects.nn.base import NnOp

_FALSE = BoolAttr.from_bool(False)


class ReduceOp(NnOp):
    """What reductions share: x ``[d0, …, dn]``, without the axes in ``axes`` (extent 1 with keepdims).

    Attributes: axes (negative ones count from the back; none reduces nothing), keepdims (false). An axis of
    extent 0 gives the reduction's identity.
    """


@irdl_op_definition
class ReduceSumOp(ReduceOp):
    """The sum over axes (NumPy ``sum``, ONNX ReduceSum with its axes spelled out).

    x: ``[d0, …, dn]``; result: x's shape without the axes, or with extent 1 there if keepdims. Element
    types: any but i1, the result has x's. f16 and bf16 accumulate in f32 and round once; integers wrap. The
    order of a floating-point sum, and the sign of a sum that is zero, are not specified. Identity: 0.

    Errors: an axis out of range or named twice.

    ```mlir
    %0 = nn.reduce_sum %x {axes = array<i64: -1>, keepdims = true} : (tensor<2x3xf32>) -> tensor<2x1xf32>
    ```
    """

    name = "nn.reduce_sum"
    x = operand_def(TensorType)
    axes = prop_def(DenseArrayBase)
    keepdims = prop_def(BoolAttr, default_value=_FALSE)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class ReduceMeanOp(ReduceOp):
    """The arithmetic mean over axes (ONNX ReduceMean): ``nn.reduce_sum`` divided by the number of elements.

    Integers divide the wrapped sum and truncate toward zero, as ONNX does. Over no elements: NaN, integers 0.
    Shapes, attributes and errors are those of ``nn.reduce_sum``.
    """

    name = "nn.reduce_mean"
    x = operand_def(TensorType)
    axes = prop_def(DenseArrayBase)
    keepdims = prop_def(BoolAttr, default_value=_FALSE)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class ReduceProdOp(ReduceOp):
    """The product over axes (ONNX ReduceProd). Identity: 1. Otherwise as ``nn.reduce_sum``."""

    name = "nn.reduce_prod"
    x = operand_def(TensorType)
    axes = prop_def(DenseArrayBase)
    keepdims = prop_def(BoolAttr, default_value=_FALSE)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class ReduceMaxOp(ReduceOp):
    """The largest element over axes (NumPy ``max``, ONNX ReduceMax); NaN wherever there is one.

    Element types: any. Identity: -inf, the lowest integer, false. Shapes, attributes and errors are those of
    ``nn.reduce_sum``.
    """

    name = "nn.reduce_max"
    x = operand_def(TensorType)
    axes = prop_def(DenseArrayBase)
    keepdims = prop_def(BoolAttr, default_value=_FALSE)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class ReduceMinOp(ReduceOp):
    """The smallest element over axes (NumPy ``min``, ONNX ReduceMin); NaN wherever there is one.

    Element types: any. Identity: inf, the highest integer, true. Shapes, attributes and errors are those of
    ``nn.reduce_sum``.
    """

    name = "nn.reduce_min"
    x = operand_def(TensorType)
    axes = prop_def(DenseArrayBase)
    keepdims = prop_def(BoolAttr, default_value=_FALSE)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class ReduceAndOp(ReduceOp):
    """Whether all elements over axes are true (NumPy ``all``). Element type i1. Identity: true."""

    name = "nn.reduce_and"
    x = operand_def(TensorType)
    axes = prop_def(DenseArrayBase)
    keepdims = prop_def(BoolAttr, default_value=_FALSE)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class ReduceOrOp(ReduceOp):
    """Whether any element over axes is true (NumPy ``any``). Element type i1. Identity: false."""

    name = "nn.reduce_or"
    x = operand_def(TensorType)
    axes = prop_def(DenseArrayBase)
    keepdims = prop_def(BoolAttr, default_value=_FALSE)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class ArgmaxOp(NnOp):
    """The index of the largest element along an axis (NumPy ``argmax``, ONNX ArgMax).

    x: ``[d0, …, dn]`` of any element type; result: i64, without the axis, or with extent 1 there if
    keepdims. Of equal elements the first counts, or the last with select_last_index. NaN counts as the
    largest, as in NumPy.

    Errors: an axis out of range or of extent 0.

    ```mlir
    %0 = nn.argmax %x {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2xi64>
    ```
    """

    name = "nn.argmax"
    x = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    keepdims = prop_def(BoolAttr, default_value=_FALSE)
    select_last_index = prop_def(BoolAttr, default_value=_FALSE)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class ArgminOp(NnOp):
    """The index of the smallest element along an axis (NumPy ``argmin``, ONNX ArgMin).

    NaN counts as the smallest, as in NumPy. Otherwise as ``nn.argmax``.
    """

    name = "nn.argmin"
    x = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    keepdims = prop_def(BoolAttr, default_value=_FALSE)
    select_last_index = prop_def(BoolAttr, default_value=_FALSE)
    result = result_def(TensorType)
    traits = traits_def(Pure())
