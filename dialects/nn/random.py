"""Random numbers by a counter: the same key gives the same numbers, wherever and in whatever order."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, TensorType, f32, f64
from xdsl.ir import TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from lamina.dialects.nn.base import NnOp


@irdl_op_definition
class RngUniformOp(NnOp):
    """Numbers evenly distributed in ``[low, high)``, from a key (Threefry2x32 with 20 rounds, Random123).

    key: ``tensor<2xui32>``, any two words (a seed and the number of a stream, say). Attributes: shape, and
    type, a floating-point type; result: of that shape and element type. Element i in row-major order comes
    from the key's block at the counter ``(i, 0)``: the upper 8, 11 or 24 bits of the first word for bf16, f16
    and f32, the upper 27 and 26 bits of the two words for f64, as a fraction of 1. The number is
    ``low + fraction * (high - low)``, computed in f32 (f64 for f64).

    Errors: a key of another type, a type that is no float, a negative extent.

    ```mlir
    %0 = nn.rng_uniform %key {shape = array<i64: 2, 3>, type = f32} : (tensor<2xui32>) -> tensor<2x3xf32>
    ```
    """

    name = "nn.rng_uniform"
    key = operand_def(TensorType)
    shape = prop_def(DenseArrayBase)
    type = prop_def(TypeAttribute, default_value=f32)
    low = prop_def(FloatAttr, default_value=FloatAttr(0.0, f64))
    high = prop_def(FloatAttr, default_value=FloatAttr(1.0, f64))
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class RngNormalOp(NnOp):
    """Numbers of a normal distribution, from a key (Box and Muller's transform).

    key, shape, type: as ``nn.rng_uniform``. Element i is ``mean + stddev * sqrt(-2 ln u) * cos(2 pi v)`` with
    ``u = (a + 1) / 2^24`` and ``v = b / 2^24``, a and b being the upper 24 bits of the two words of block
    ``(i, 0)``; computed in f32 (f64 for f64).

    Errors: as ``nn.rng_uniform``.

    ```mlir
    %0 = nn.rng_normal %key {shape = array<i64: 2, 3>, stddev = 0.1} : (tensor<2xui32>) -> tensor<2x3xf32>
    ```
    """

    name = "nn.rng_normal"
    key = operand_def(TensorType)
    shape = prop_def(DenseArrayBase)
    type = prop_def(TypeAttribute, default_value=f32)
    mean = prop_def(FloatAttr, default_value=FloatAttr(0.0, f64))
    stddev = prop_def(FloatAttr, default_value=FloatAttr(1.0, f64))
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class DropoutOp(NnOp):
    """``x / (1 - rate)`` where a random number is at least ``rate``, else 0 (ONNX Dropout in training).

    x: any shape (known before numbers are made), floats; key: ``tensor<2xui32>``; the numbers are those of
    ``nn.rng_uniform`` with x's shape. Its gradient is the same op on the cotangent, with the
    same key: no mask is kept.

    Errors: a rate outside of ``[0, 1)``, integers.

    ```mlir
    %0 = nn.dropout %x, %key {rate = 0.1} : (tensor<2x3xf32>, tensor<2xui32>) -> tensor<2x3xf32>
    ```
    """

    name = "nn.dropout"
    x = operand_def(TensorType)
    key = operand_def(TensorType)
    rate = prop_def(FloatAttr, default_value=FloatAttr(0.5, f64))
    result = result_def(TensorType)
    traits = traits_def(Pure())
