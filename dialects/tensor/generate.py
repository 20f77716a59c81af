"""`tensor.generate`, which xDSL's tensor dialect lacks."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, TensorType
from xdsl.dialects.tensor import YieldOp
from xdsl.irdl import IRDLOperation, irdl_op_definition, region_def, result_def, traits_def, var_operand_def
from xdsl.traits import SingleBlockImplicitTerminator
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class GenerateOp(IRDLOperation):
    """A tensor whose elements a region computes from their indices.

    The region takes an index for each dimension and yields the element. There is an operand for each
    dynamic dimension of the result.

    `%t = tensor.generate %m { ^bb0(%i: index): … tensor.yield %x : f32 } : tensor<?xf32>`
    """

    name = "tensor.generate"

    dynamic_extents = var_operand_def(IndexType)
    body = region_def("single_block")
    result = result_def(TensorType)

    assembly_format: ClassVar = "$dynamic_extents $body attr-dict `:` type($result)"

    traits = traits_def(SingleBlockImplicitTerminator(YieldOp))

    def verify_(self) -> None:
        kind = self.result.type
        assert isinstance(kind, TensorType)
        if kind.get_shape().count(DYNAMIC_INDEX) != len(self.dynamic_extents):
            raise VerifyException("needs as many sizes as the result has dynamic dimensions")
        if [argument.type for argument in self.body.block.args] != [IndexType()] * kind.get_num_dims():
            raise VerifyException("needs a region with an index for each dimension of the result")
        last = self.body.block.last_op
        if not isinstance(last, YieldOp) or [v.type for v in last.operands] != [kind.element_type]:
            raise VerifyException(f"needs a region that yields one element of type {kind.element_type}")
