"""Vector ops that move elements: casts of shape, transposition, slices, and lists of scalars, as upstream."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IndexType, IntegerAttr, VectorType, i64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
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
from xdsl.traits import Pure

from lamina.dialects.core.making import integers_of


@irdl_op_definition
class ShapeCastOp(IRDLOperation):
    """The same elements in the same row-major order under another shape."""

    name = "vector.shape_cast"

    source = operand_def(VectorType)
    result = result_def(VectorType)

    traits = traits_def(Pure())

    def __init__(self, source: SSAValue, result_type: VectorType) -> None:
        super().__init__(operands=[source], result_types=[result_type])


@irdl_op_definition
class TransposeOp(IRDLOperation):
    """``result``'s dimension ``i`` is ``vector``'s dimension ``permutation[i]``."""

    name = "vector.transpose"

    vector = operand_def(VectorType)
    permutation = prop_def(DenseArrayBase.constr(i64))
    result = result_def(VectorType)

    traits = traits_def(Pure())

    def __init__(self, vector: SSAValue, permutation: Sequence[int]) -> None:
        assert isinstance(vector.type, VectorType)
        shape = vector.type.get_shape()
        super().__init__(
            operands=[vector],
            result_types=[VectorType(vector.type.element_type, [shape[p] for p in permutation])],
            properties={"permutation": DenseArrayBase.from_list(i64, list(permutation))},
        )


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

    def __init__(self, source: SSAValue, offsets: Sequence[int], sizes: Sequence[int]) -> None:
        assert isinstance(source.type, VectorType)
        shape = (*sizes, *source.type.get_shape()[len(sizes) :])
        super().__init__(
            operands=[source],
            result_types=[VectorType(source.type.element_type, shape)],
            properties={
                "offsets": integers_of(offsets),
                "sizes": integers_of(sizes),
                "strides": integers_of([1] * len(sizes)),
            },
        )


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

    def __init__(self, source: SSAValue, dest: SSAValue, offsets: Sequence[int]) -> None:
        assert isinstance(source.type, VectorType)
        super().__init__(
            operands=[source, dest],
            result_types=[dest.type],
            properties={
                "offsets": integers_of(offsets),
                "strides": integers_of([1] * len(source.type.get_shape())),
            },
        )


@irdl_op_definition
class FromElementsOp(IRDLOperation):
    """A vector made of scalars, in row-major order."""

    name = "vector.from_elements"

    elements = var_operand_def()
    dest = result_def(VectorType)

    traits = traits_def(Pure())

    def __init__(self, elements: Sequence[SSAValue], result_type: VectorType) -> None:
        super().__init__(operands=[elements], result_types=[result_type])


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


@irdl_op_definition
class StepOp(IRDLOperation):
    """The vector ``[0, 1, …, n - 1]`` of index elements."""

    name = "vector.step"

    result = result_def(VectorType.constr(IndexType()))

    traits = traits_def(Pure())

    def __init__(self, size: int) -> None:
        super().__init__(result_types=[VectorType(IndexType(), [size])])


OPERATIONS: list[type[Operation]] = [
    ShapeCastOp,
    TransposeOp,
    ExtractStridedSliceOp,
    InsertStridedSliceOp,
    FromElementsOp,
    ToElementsOp,
    StepOp,
]
