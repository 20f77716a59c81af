"""Vector ops that reduce or multiply: ``contract``, ``outerproduct`` and ``multi_reduction``, as upstream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DenseArrayBase, VectorType, i64
from xdsl.dialects.utils import EnumAttribute
from xdsl.dialects.vector import CombiningKindAttr, CombiningKindFlag
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.str_enum import StrEnum

ADD = CombiningKindAttr(CombiningKindFlag.ADD)


class IteratorKind(StrEnum):
    """How a dimension of a contraction is run through."""

    PARALLEL = "parallel"
    REDUCTION = "reduction"


@irdl_attr_definition
class IteratorTypeAttr(EnumAttribute[IteratorKind]):
    """``#vector.iterator_type<parallel>``; printed as a string inside ``vector.contract``."""

    name = "vector.iterator_type"

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> IteratorKind:
        with parser.in_angle_brackets():
            return IteratorKind(parser.parse_identifier())


def _shape(type_: Attribute) -> tuple[int, ...]:
    return type_.get_shape() if isinstance(type_, VectorType) else ()


@irdl_op_definition
class ContractOp(IRDLOperation):
    """A generalised product, as ``result[m, n] = acc[m, n] + sum over k of lhs[m, k] * rhs[k, n]`` is one.

    Every dimension is an iterator; a reduction iterator occurs in both factors and not in the accumulator.
    """

    name = "vector.contract"

    lhs = operand_def(VectorType)
    rhs = operand_def(VectorType)
    acc = operand_def()
    result = result_def()
    indexing_maps = prop_def(ArrayAttr[AffineMapAttr])
    iterator_types = prop_def(ArrayAttr[IteratorTypeAttr])
    kind = opt_prop_def(CombiningKindAttr)
    fastmath = opt_prop_def(FastMathFlagsAttr)

    traits = traits_def(Pure())

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        acc: SSAValue,
        indexing_maps: Sequence[AffineMapAttr],
        iterator_types: Sequence[IteratorTypeAttr],
        kind: CombiningKindAttr = ADD,
    ) -> None:
        super().__init__(
            operands=[lhs, rhs, acc],
            result_types=[acc.type],
            properties={
                "indexing_maps": ArrayAttr(indexing_maps),
                "iterator_types": ArrayAttr(iterator_types),
                "kind": kind,
            },
        )

    def sizes(self) -> list[int]:
        """The extent of each iterator, read off the operands; 0 where no operand has the dimension."""
        found = [0] * len(self.iterator_types)
        for operand, attr in zip(self.operands, self.indexing_maps, strict=True):
            for expr, size in zip(attr.data.results, _shape(operand.type), strict=True):
                for position in expr.used_dims():
                    found[position] = size
        return found


@irdl_op_definition
class OuterProductOp(IRDLOperation):
    """``result[m, n] = acc[m, n] + lhs[m] * rhs[n]``, or ``lhs * rhs`` with a scalar ``rhs`` (AXPY)."""

    name = "vector.outerproduct"

    lhs = operand_def(VectorType)
    rhs = operand_def()
    acc = opt_operand_def(VectorType)
    result = result_def(VectorType)
    kind = opt_prop_def(CombiningKindAttr)

    traits = traits_def(Pure())

    def __init__(
        self, lhs: SSAValue, rhs: SSAValue, acc: SSAValue | None = None, kind: CombiningKindAttr = ADD
    ):
        super().__init__(
            operands=[lhs, rhs, acc], result_types=[self.result_type(lhs, rhs)], properties={"kind": kind}
        )

    @staticmethod
    def result_type(lhs: SSAValue, rhs: SSAValue) -> Attribute:
        """The type of the product of two factors."""
        assert isinstance(lhs.type, VectorType)
        if not isinstance(rhs.type, VectorType):
            return lhs.type
        return VectorType(lhs.type.element_type, (*lhs.type.get_shape(), *rhs.type.get_shape()))


@irdl_op_definition
class MultiReductionOp(IRDLOperation):
    """Reduces the listed dimensions of a vector into an accumulator of the remaining shape."""

    name = "vector.multi_reduction"

    _KEPT: ClassVar = VarConstraint("KEPT", AnyAttr())

    kind = prop_def(CombiningKindAttr)
    source = operand_def(VectorType)
    acc = operand_def(_KEPT)
    reduction_dims = prop_def(DenseArrayBase.constr(i64))
    dest = result_def(_KEPT)

    traits = traits_def(Pure())

    def __init__(
        self, source: SSAValue, acc: SSAValue, reduction_dims: Sequence[int], kind: CombiningKindAttr
    ):
        dims = DenseArrayBase.from_list(i64, list(reduction_dims))
        super().__init__(
            operands=[source, acc], result_types=[acc.type], properties={"kind": kind, "reduction_dims": dims}
        )


OPERATIONS: list[type[Operation]] = [ContractOp, OuterProductOp, MultiReductionOp]
ATTRIBUTES: list[type[Attribute]] = [IteratorTypeAttr]
