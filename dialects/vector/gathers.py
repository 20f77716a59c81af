"""Vector accesses to memory that xDSL lacks: by a vector of positions; and masks that are constant."""

from __future__ import annotations

from xdsl.dialects.builtin import I1, DenseArrayBase, IndexType, MemRefType, TensorType, VectorType, i64
from xdsl.ir import Operation
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class GatherOp(IRDLOperation):
    """The elements at an index moved by each lane's position along the innermost dimension.

    Lanes whose mask is not set come from the pass-through vector.

    See https://mlir.llvm.org/docs/Dialects/Vector/#vectorgather-vectorgatherop
    """

    name = "vector.gather"
    base = operand_def(MemRefType | TensorType)
    offsets = var_operand_def(IndexType)
    indices = operand_def(VectorType)
    mask = operand_def(VectorType[I1])
    pass_thru = operand_def(VectorType)
    result = result_def(VectorType)
    traits = traits_def(MemoryReadEffect())
    assembly_format = (
        "$base `[` $offsets `]` `[` $indices `]` `,` $mask `,` $pass_thru attr-dict `:` type($base) `,`"
        " type($indices) `,` type($mask) `,` type($pass_thru) `into` type($result)"
    )

    def verify_(self) -> None:
        _same_shape(self.indices.type, self.mask.type, self.pass_thru.type, self.result.type)


@irdl_op_definition
class ScatterOp(IRDLOperation):
    """The lanes whose mask is set, written where :class:`GatherOp` reads them.

    See https://mlir.llvm.org/docs/Dialects/Vector/#vectorscatter-vectorscatterop
    """

    name = "vector.scatter"
    base = operand_def(MemRefType)
    offsets = var_operand_def(IndexType)
    indices = operand_def(VectorType)
    mask = operand_def(VectorType[I1])
    valueToStore = operand_def(VectorType)
    traits = traits_def(MemoryWriteEffect())
    assembly_format = (
        "$base `[` $offsets `]` `[` $indices `]` `,` $mask `,` $valueToStore attr-dict `:` type($base) `,`"
        " type($indices) `,` type($mask) `,` type($valueToStore)"
    )

    def verify_(self) -> None:
        _same_shape(self.indices.type, self.mask.type, self.valueToStore.type)


def _same_shape(*types: object) -> None:
    shapes = {type.get_shape() for type in types if isinstance(type, VectorType)}
    if len(shapes) != 1:
        raise VerifyException("positions, mask and values must have one shape")


@irdl_op_definition
class ConstantMaskOp(IRDLOperation):
    """A mask that is set below a bound in each dimension: ``vector.constant_mask [3] : vector<8xi1>``.

    See https://mlir.llvm.org/docs/Dialects/Vector/#vectorconstant_mask-vectorconstantmaskop
    """

    name = "vector.constant_mask"
    mask_dim_sizes = prop_def(DenseArrayBase.constr(i64))
    result = result_def(VectorType[I1])
    traits = traits_def(Pure())

    def print(self, printer: Printer) -> None:
        printer.print_string(" [")
        printer.print_list(self.mask_dim_sizes.get_values(), printer.print_int)
        printer.print_string("]")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> ConstantMaskOp:
        sizes = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        return cls.create(
            result_types=[parser.parse_type()],
            properties={"mask_dim_sizes": DenseArrayBase.from_list(i64, sizes)},
            attributes=attributes,
        )

    def verify_(self) -> None:
        if len(self.mask_dim_sizes) != self.result.type.get_num_dims():
            raise VerifyException("needs one bound for each dimension of the mask")


OPERATIONS: list[type[Operation]] = [GatherOp, ScatterOp, ConstantMaskOp]
