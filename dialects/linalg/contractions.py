"""Contractions of upstream's linalg that xDSL lacks, and its matmul with mixed element types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, TensorType
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.abstract_ops import NamedOperation
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import irdl_op_definition, opt_prop_def

from lamina.dialects.linalg._bodies import multiply_accumulate
from lamina.dialects.linalg.windows import window_form


class MatmulOp(linalg.MatmulOp):
    """Matrix product [M, K] x [K, N] added to [M, N]; narrower inputs are promoted to the output's type."""

    @classmethod
    def get_hidden_region(cls, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> Region:
        return multiply_accumulate(inputs, outputs)


class _Contraction(NamedOperation):
    """Sum of products, added to the output. FORM lists loops, operand indices and reductions."""

    FORM: ClassVar[str]
    PRINT_ATTRS_IN_FRONT: ClassVar[bool] = True

    indexing_maps = opt_prop_def(ArrayAttr[AffineMapAttr])
    """Given where an operand is read transposed or broadcast."""

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        outputs: Sequence[SSAValue],
        res: Sequence[Attribute] | None = None,
        attributes: dict[str, Attribute] | None = None,
    ) -> None:
        if res is None:
            res = [output.type for output in outputs if isinstance(output.type, TensorType)]
        super().__init__(
            ins=inputs,
            outs=outputs,
            result_types=[list(res)],
            attributes=attributes,
            hidden_region=self.get_hidden_region(inputs, outputs),
        )

    @classmethod
    def get_hidden_region(cls, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> Region:
        return multiply_accumulate(inputs, outputs)

    def get_default_indexing_maps(self) -> Sequence[AffineMap]:
        if self.indexing_maps is not None:
            return tuple(attribute.data for attribute in self.indexing_maps)
        return window_form(self.FORM).maps((), ())

    def get_iterator_types(self) -> ArrayAttr[IteratorTypeAttr]:
        form = window_form(self.FORM)
        parallel = (IteratorTypeAttr.parallel(),) * (len(form.loops) - form.reductions)
        return ArrayAttr(parallel + (IteratorTypeAttr.reduction(),) * form.reductions)


@irdl_op_definition
class BatchMatmulOp(_Contraction):
    """[B, M, K] x [B, K, N] added to [B, M, N]."""

    name = "linalg.batch_matmul"
    FORM: ClassVar[str] = "b m n k | b m k, b k n, b m n | 1"


@irdl_op_definition
class MatvecOp(_Contraction):
    """[M, K] x [K] added to [M]."""

    name = "linalg.matvec"
    FORM: ClassVar[str] = "m k | m k, k, m | 1"


@irdl_op_definition
class VecmatOp(_Contraction):
    """[K] x [K, N] added to [N]."""

    name = "linalg.vecmat"
    FORM: ClassVar[str] = "n k | k, k n, n | 1"


@irdl_op_definition
class BatchMatvecOp(_Contraction):
    """[B, M, K] x [B, K] added to [B, M]."""

    name = "linalg.batch_matvec"
    FORM: ClassVar[str] = "b m k | b m k, b k, b m | 1"


@irdl_op_definition
class BatchVecmatOp(_Contraction):
    """[B, K] x [B, K, N] added to [B, N]."""

    name = "linalg.batch_vecmat"
    FORM: ClassVar[str] = "b n k | b k, b k n, b n | 1"


@irdl_op_definition
class DotOp(_Contraction):
    """[K] x [K] added to a scalar tensor."""

    name = "linalg.dot"
    FORM: ClassVar[str] = "k | k, k, | 1"


CONTRACTIONS: list[type[Operation]] = [
    MatmulOp,
    BatchMatmulOp,
    MatvecOp,
    VecmatOp,
    BatchMatvecOp,
    BatchVecmatOp,
    DotOp,
]
