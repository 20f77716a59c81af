"""Operations that exist for derivatives."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure

from lamina.dialects.nn.base import NnOp


@irdl_op_definition
class StopGradientOp(NnOp):
    """x itself, as a constant to derivatives (JAX ``lax.stop_gradient``).

    Any type. It stays through simplification, and goes when the model leaves the ``nn`` level.

    ```mlir
    %0 = nn.stop_gradient %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "nn.stop_gradient"
    x = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class SumToOp(NnOp):
    """x summed over the dimensions along which a tensor of ``like``'s shape is broadcast to x's.

    The transpose of broadcasting, for shapes of which some extents are unknown: what is known becomes
    ``nn.reduce_sum``. x: ``[*S]``, like: any shape that broadcasts to ``[*S]`` (its values do not count);
    result: like's shape, x's element type (any but i1).

    Errors: a like that does not broadcast to x.

    ```mlir
    %0 = nn.sum_to %x, %y : (tensor<?x3xf32>, tensor<?xf32>) -> tensor<?xf32>
    ```
    """

    name = "nn.sum_to"
    x = operand_def(TensorType)
    like = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())
