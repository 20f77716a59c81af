"""Vector ops that reduce or multiply: ``contract``, ``outerproduct`` and ``multi_reduction``, as upstream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DenseArrayBase, StringAttr, VectorType, i64
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
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
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

    def print(self, printer: Printer) -> None:
        iterators = ArrayAttr(StringAttr(kind.data.value) for kind in self.iterator_types)
        shown: dict[str, Attribute] = {
            "indexing_maps": self.indexing_maps,
            "iterator_types": iterators,
            "kind": self.kind or ADD,
        }
        if self.fastmath is not None:
            shown["fastmath"] = self.fastmath
        printer.print_op_attributes(shown | self.attributes)
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_list([self.lhs.type, self.rhs.type], printer.print_attribute)
        printer.print_string(" into ")
        printer.print_attribute(self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> ContractOp:
        attributes = parser.parse_optional_attr_dict()
        names = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_unresolved_operand)
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_type)
        parser.parse_keyword("into")
        types.append(parser.parse_type())
        operands = parser.resolve_operands(names, types, parser.pos)
        iterators = attributes.get("iterator_types")
        if isinstance(iterators, ArrayAttr):
            attributes["iterator_types"] = ArrayAttr(
                IteratorTypeAttr(IteratorKind(item.data)) if isinstance(item, StringAttr) else item
                for item in iterators
            )
        known = {name: attributes.pop(name) for name in list(cls._properties()) if name in attributes}
        return cls.create(
            operands=operands, result_types=[types[-1]], properties=known, attributes=attributes
        )

    @classmethod
    def _properties(cls) -> Sequence[str]:
        return tuple(cls.get_irdl_definition().properties)

    def sizes(self) -> list[int]:
        """The extent of each iterator, read off the operands; 0 where no operand has the dimension."""
        found = [0] * len(self.iterator_types)
        for operand, attr in zip(self.operands, self.indexing_maps, strict=True):
            for expr, size in zip(attr.data.results, _shape(operand.type), strict=True):
                for position in expr.used_dims():
                    found[position] = size
        return found

    def verify_(self) -> None:
        if len(self.indexing_maps) != 3:
            raise VerifyException("expected an indexing map for each vector operand")
        for operand, attr in zip(self.operands, self.indexing_maps, strict=True):
            if len(attr.data.results) != len(_shape(operand.type)):
                raise VerifyException(f"expected a map of rank {len(_shape(operand.type))}, got {attr}")
            if attr.data.num_dims != len(self.iterator_types):
                raise VerifyException("expected one iterator type for each dimension of the indexing maps")
        if self.acc.type != self.result.type:
            raise VerifyException("expected the accumulator and the result to be of one type")
        if all(kind.data is not IteratorKind.REDUCTION for kind in self.iterator_types):
            raise VerifyException("expected at least one contracting dimension pair")
        sizes = self.sizes()
        for operand, attr in zip(self.operands, self.indexing_maps, strict=True):
            for expr, size in zip(attr.data.results, _shape(operand.type), strict=True):
                if any(sizes[d] != size for d in expr.used_dims()):
                    raise VerifyException(
                        f"invalid contracting dimension map: {operand.type} does not fit {attr}"
                    )


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

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        shown = dict(self.attributes)
        if self.kind not in (None, ADD):
            shown["kind"] = self.kind
        printer.print_op_attributes(shown)
        printer.print_string(" : ")
        printer.print_list([self.lhs.type, self.rhs.type], printer.print_attribute)

    @classmethod
    def parse(cls, parser: Parser) -> OuterProductOp:
        names = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_unresolved_operand)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        lhs_type = parser.parse_type()
        parser.parse_punctuation(",")
        rhs_type = parser.parse_type()
        lhs = parser.resolve_operand(names[0], lhs_type)
        rhs = parser.resolve_operand(names[1], rhs_type)
        result = cls.result_type(lhs, rhs)
        acc = parser.resolve_operand(names[2], result) if len(names) > 2 else None
        kind = attributes.pop("kind", ADD)
        op = cls.build(operands=[lhs, rhs, acc], result_types=[result], properties={"kind": kind})
        op.attributes |= attributes
        return op

    def verify_(self) -> None:
        expected = self.result_type(self.lhs, self.rhs)
        if self.result.type != expected or (self.acc is not None and self.acc.type != expected):
            raise VerifyException(f"expected accumulator and result of type {expected}")


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
    assembly_format = (
        "$kind `,` $source `,` $acc attr-dict $reduction_dims `:` type($source) `to` type($dest)"
    )

    def __init__(
        self, source: SSAValue, acc: SSAValue, reduction_dims: Sequence[int], kind: CombiningKindAttr
    ):
        dims = DenseArrayBase.from_list(i64, list(reduction_dims))
        super().__init__(
            operands=[source, acc], result_types=[acc.type], properties={"kind": kind, "reduction_dims": dims}
        )

    def verify_(self) -> None:
        dims = self.reduction_dims.get_values()
        kept = tuple(size for d, size in enumerate(_shape(self.source.type)) if d not in dims)
        if self.acc.type != self.dest.type or _shape(self.dest.type) != kept:
            raise VerifyException(f"expected accumulator and result of shape {kept}")


OPERATIONS: list[type[Operation]] = [ContractOp, OuterProductOp, MultiReductionOp]
ATTRIBUTES: list[type[Attribute]] = [IteratorTypeAttr]
