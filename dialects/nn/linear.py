"""Matrix products."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure

from lamina.dialects.nn.base import NnOp


@irdl_op_definition
class MatmulOp(NnOp):
    """``result[…, m, n] = sum over k of a[…, m, k] * b[…, k, n]`` (NumPy's ``matmul``, ONNX MatMul).

    a: ``[…, M, K]``, b: ``[…, K, N]``, both of rank 2 or more; the leading (batch) dimensions broadcast as
    NumPy's do. result: ``[…, M, N]``. Element types: equal, any but i1. f16 and bf16 accumulate in f32 and
    round once; integers wrap. K = 0 gives zeros.

    Errors: a rank below 2, K that differs, batch dimensions that do not broadcast.

    ```mlir
    %0 = nn.matmul %a, %b : (tensor<4x2x3xf32>, tensor<3x5xf32>) -> tensor<4x2x5xf32>
    ```
    """

    name = "nn.matmul"
    a = operand_def(TensorType)
    b = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())
