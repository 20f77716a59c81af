"""Vector ops that move elements: casts of shape, transposition, slices, and lists of scalars, as upstream."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IndexType, IntegerAttr, VectorType, i64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException


def _integers(values: Sequence[int]) -> ArrayAttr[IntegerAttr]:
    return ArrayAttr(IntegerAttr(value, i64) for value in values)


@irdl_op_definition
class ShapeCastOp(IRDLOperation):
    """The same elements in the same row-major order under another shape."""

    name = "vector.shape_cast"

    source = operand_def(VectorType)
    result = result_def(VectorType)

    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"

    def __init__(self, source: SSAValue, result_type: VectorType) -> None:
        super().__init__(operands=[source], result_types=[result_type])

    def verify_(self) -> None:
        assert isinstance(self.source.type, VectorType) and isinstance(self.result.type, VectorType)
        if prod(self.source.type.get_shape()) != prod(self.result.type.get_shape()):
            raise VerifyException("expected the same number of elements in source and result")
        if self.source.type.element_type != self.result.type.element_type:
            raise VerifyException("expected one element type")


@irdl_op_definition
class TransposeOp(IRDLOperation):
    """``result``'s dimension ``i`` is ``vector``'s dimension ``permutation[i]``."""

    name = "vector.transpose"

    vector = operand_def(VectorType)
    permutation = prop_def(DenseArrayBase.constr(i64))
    result = result_def(VectorType)

    traits = traits_def(Pure())
    assembly_format = "$vector `,` $permutation attr-dict `:` type($vector) `to` type($result)"

    def __init__(self, vector: SSAValue, permutation: Sequence[int]) -> None:
        assert isinstance(vector.type, VectorType)
        shape = vector.type.get_shape()
        super().__init__(
            operands=[vector],
            result_types=[VectorType(vector.type.element_type, [shape[p] for p in permutation])],
            properties={"permutation": DenseArrayBase.from_list(i64, list(permutation))},
        )

    def verify_(self) -> None:
        assert isinstance(self.vector.type, VectorType) and isinstance(self.result.type, VectorType)
        permutation, shape = self.permutation.get_values(), self.vector.type.get_shape()
        if sorted(permutation) != list(range(len(shape))):
            raise VerifyException("expected a permutation of the vector's dimensions")
        if self.result.type.get_shape() != tuple(shape[p] for p in permutation):
            raise VerifyException("dimension size mismatch between the source and the permuted result")


@irdl_op_definition
class ExtractStridedSliceOp(IRDLOperation):
    """A slice of the leading dimensions of a vector; strides are 1."""

    name = "vector.extract_strided_slice"

    source = operand_def(VectorType)
    offsets = prop_def(ArrayAttr[IntegerAttr])
    sizes = prop_def(ArrayAttr[IntegerAttr])
    strides = prop_def(ArrayAttr[IntegerAttr])
    result = result_def(VectorType)

    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"

    def __init__(self, source: SSAValue, offsets: Sequence[int], sizes: Sequence[int]) -> None:
        assert isinstance(source.type, VectorType)
        shape = (*sizes, *source.type.get_shape()[len(sizes) :])
        super().__init__(
            operands=[source],
            result_types=[VectorType(source.type.element_type, shape)],
            properties={
                "offsets": _integers(offsets),
                "sizes": _integers(sizes),
                "strides": _integers([1] * len(sizes)),
            },
        )

    def verify_(self) -> None:
        assert isinstance(self.source.type, VectorType) and isinstance(self.result.type, VectorType)
        sizes = [size.value.data for size in self.sizes]
        shape = self.source.type.get_shape()
        if any(stride.value.data != 1 for stride in self.strides):
            raise VerifyException("expected strides to be confined to [1, 2)")
        for offset, size, whole in zip(self.offsets, sizes, shape, strict=False):
            if offset.value.data < 0 or offset.value.data + size > whole:
                raise VerifyException("expected the slice to lie inside the source")
        if self.result.type.get_shape() != (*sizes, *shape[len(sizes) :]):
            raise VerifyException("expected the result's shape to be that of the slice")


@irdl_op_definition
class InsertStridedSliceOp(IRDLOperation):
    """A vector with a smaller one written over a part of it; strides are 1."""

    name = "vector.insert_strided_slice"

    _WHOLE: ClassVar = VarConstraint("WHOLE", base(VectorType))

    source = operand_def(VectorType)
    dest = operand_def(_WHOLE)
    offsets = prop_def(ArrayAttr[IntegerAttr])
    strides = prop_def(ArrayAttr[IntegerAttr])
    result = result_def(_WHOLE)

    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$source `,` $dest attr-dict `:` type($source) `into` type($dest)"

    def __init__(self, source: SSAValue, dest: SSAValue, offsets: Sequence[int]) -> None:
        assert isinstance(source.type, VectorType)
        super().__init__(
            operands=[source, dest],
            result_types=[dest.type],
            properties={
                "offsets": _integers(offsets),
                "strides": _integers([1] * len(source.type.get_shape())),
            },
        )

    def verify_(self) -> None:
        assert isinstance(self.source.type, VectorType) and isinstance(self.dest.type, VectorType)
        small, whole = self.source.type.get_shape(), self.dest.type.get_shape()
        offsets = [offset.value.data for offset in self.offsets]
        if len(offsets) != len(whole):
            raise VerifyException("expected an offset for each dimension of the destination")
        padded = (1,) * (len(whole) - len(small)) + small
        if any(o < 0 or o + s > w for o, s, w in zip(offsets, padded, whole, strict=True)):
            raise VerifyException("expected the slice to lie inside the destination")


@irdl_op_definition
class FromElementsOp(IRDLOperation):
    """A vector made of scalars, in row-major order."""

    name = "vector.from_elements"

    elements = var_operand_def()
    dest = result_def(VectorType)

    traits = traits_def(Pure())

    def __init__(self, elements: Sequence[SSAValue], result_type: VectorType) -> None:
        super().__init__(operands=[elements], result_types=[result_type])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.elements, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.dest.type)

    @classmethod
    def parse(cls, parser: Parser) -> FromElementsOp:
        names = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_unresolved_operand)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        result_type = parser.parse_type()
        if not isinstance(result_type, VectorType):
            parser.raise_error("expected a vector type")
        elements = [parser.resolve_operand(name, result_type.element_type) for name in names]
        op = cls(elements, result_type)
        op.attributes |= attributes
        return op

    def verify_(self) -> None:
        assert isinstance(self.dest.type, VectorType)
        if len(self.elements) != prod(self.dest.type.get_shape()):
            raise VerifyException("expected one operand for each element of the result")
        if any(element.type != self.dest.type.element_type for element in self.elements):
            raise VerifyException("expected operands of the result's element type")


@irdl_op_definition
class ToElementsOp(IRDLOperation):
    """The elements of a vector as scalars, in row-major order."""

    name = "vector.to_elements"

    source = operand_def(VectorType)
    elements = var_result_def()

    traits = traits_def(Pure())

    def __init__(self, source: SSAValue) -> None:
        assert isinstance(source.type, VectorType)
        types = [source.type.element_type] * prod(source.type.get_shape())
        super().__init__(operands=[source], result_types=[types])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.source.type)

    @classmethod
    def parse(cls, parser: Parser) -> ToElementsOp:
        name = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        op = cls(parser.resolve_operand(name, parser.parse_type()))
        op.attributes |= attributes
        return op


@irdl_op_definition
class StepOp(IRDLOperation):
    """The vector ``[0, 1, …, n - 1]`` of index elements."""

    name = "vector.step"

    result = result_def(VectorType.constr(IndexType()))

    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, size: int) -> None:
        super().__init__(result_types=[VectorType(IndexType(), [size])])

    def verify_(self) -> None:
        assert isinstance(self.result.type, VectorType)
        if len(self.result.type.get_shape()) != 1:
            raise VerifyException("expected a 1-d vector of index values")


OPERATIONS: list[type[Operation]] = [
    ShapeCastOp,
    TransposeOp,
    ExtractStridedSliceOp,
    InsertStridedSliceOp,
    FromElementsOp,
    ToElementsOp,
    StepOp,
]
