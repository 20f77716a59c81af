"""Operations of arith that xDSL lacks, under upstream's names and syntax."""

from __future__ import annotations

from xdsl.dialects.arith import FloatingPointLikeBinaryOperation
from xdsl.ir import Attribute, Operation
from xdsl.irdl import irdl_op_definition, traits_def
from xdsl.traits import Pure

from lamina.dialects.arith import on_vectors


@irdl_op_definition
class RemFOp(FloatingPointLikeBinaryOperation):
    """The floating-point remainder with the sign of the dividend: C's ``fmod``.

    See https://mlir.llvm.org/docs/Dialects/ArithOps/#arithremf-arithremfop
    """

    name = "arith.remf"

    traits = traits_def(Pure())


OPERATIONS: list[type[Operation]] = [RemFOp, *on_vectors.OPERATIONS]
ATTRIBUTES: list[type[Attribute]] = []
