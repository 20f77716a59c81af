"""Operations that move, repeat or drop elements by numbers that stand in the text."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, Operation
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from lamina.dialects.stablehlo.syntax import (
    Clause,
    PrettyOp,
    SameTypeOp,
    StablehloOp,
    number_clause,
    numbers,
    numbers_clause,
    parse_function_types,
)


class MovementOp(PrettyOp):
    """Elements of one operand in other places."""

    operand = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class ReshapeOp(MovementOp):
    """The elements in row-major order under the result's shape."""

    name = "stablehlo.reshape"


@irdl_op_definition
class TransposeOp(MovementOp):
    """Dimension i of the result is dimension dims[i] of the operand."""

    name = "stablehlo.transpose"
    CLAUSES: ClassVar[tuple[Clause, ...]] = (numbers_clause("dims", "permutation"),)
    permutation = prop_def(DenseArrayBase)


@irdl_op_definition
class BroadcastInDimOp(MovementOp):
    """Dimension i of the operand is dimension dims[i] of the result; others, and extents of 1, repeat.

    ```mlir
    %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "stablehlo.broadcast_in_dim"
    CLAUSES: ClassVar[tuple[Clause, ...]] = (numbers_clause("dims", "broadcast_dimensions"),)
    broadcast_dimensions = prop_def(DenseArrayBase)


@irdl_op_definition
class BroadcastOp(MovementOp):
    """The operand repeated along new leading dimensions."""

    name = "stablehlo.broadcast"
    CLAUSES: ClassVar[tuple[Clause, ...]] = (numbers_clause("sizes", "broadcast_sizes"),)
    broadcast_sizes = prop_def(DenseArrayBase)


@irdl_op_definition
class ReverseOp(SameTypeOp):
    """Elements in reverse order along dimensions."""

    name = "stablehlo.reverse"
    CLAUSES: ClassVar[tuple[Clause, ...]] = (numbers_clause("dims", "dimensions"),)
    dimensions = prop_def(DenseArrayBase)
    operand = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class ConcatenateOp(PrettyOp):
    """Tensors one after the other along a dimension."""

    name = "stablehlo.concatenate"
    CLAUSES: ClassVar[tuple[Clause, ...]] = (number_clause("dim", "dimension"),)
    inputs = var_operand_def(TensorType)
    dimension = prop_def(IntegerAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class PadOp(PrettyOp):
    """padding_value before, after and between elements; negative numbers take elements away at the ends.

    ```mlir
    %0 = stablehlo.pad %x, %v, low = [0], high = [1], interior = [2]
      : (tensor<3xf32>, tensor<f32>) -> tensor<8xf32>
    ```
    """

    name = "stablehlo.pad"
    CLAUSES: ClassVar[tuple[Clause, ...]] = (
        numbers_clause("low", "edge_padding_low"),
        numbers_clause("high", "edge_padding_high"),
        numbers_clause("interior", "interior_padding"),
    )
    operand = operand_def(TensorType)
    padding_value = operand_def(TensorType)
    edge_padding_low = prop_def(DenseArrayBase)
    edge_padding_high = prop_def(DenseArrayBase)
    interior_padding = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class SliceOp(StablehloOp):
    """Every stride-th element from start up to, and without, limit along each dimension.

    ```mlir
    %0 = stablehlo.slice %x [0:2, 0:6:2] : (tensor<2x6xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "stablehlo.slice"
    operand = operand_def(TensorType)
    start_indices = prop_def(DenseArrayBase)
    limit_indices = prop_def(DenseArrayBase)
    strides = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> Operation:
        operand = parser.parse_unresolved_operand()

        def bounds() -> tuple[int, int, int]:
            start = parser.parse_integer()
            parser.parse_punctuation(":")
            limit = parser.parse_integer()
            stride = parser.parse_integer() if parser.parse_optional_punctuation(":") else 1
            return start, limit, stride

        ranges = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, bounds)
        names = ("start_indices", "limit_indices", "strides")
        properties: dict[str, Attribute] = {
            name: DenseArrayBase.from_list(i64, [r[i] for r in ranges]) for i, name in enumerate(names)
        }
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":", " before the type of the operation")
        values, results = parse_function_types(parser, [operand])
        return cls.built(parser, values, results, properties, attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.operand)
        bounds = (self.start_indices, self.limit_indices, self.strides)
        ranges = zip(*(numbers(b) for b in bounds), strict=True)
        text = ", ".join(f"{a}:{b}" if s == 1 else f"{a}:{b}:{s}" for a, b, s in ranges)
        printer.print_string(f" [{text}]")
        self.print_rest(printer, ["start_indices", "limit_indices", "strides"])
        printer.print_string(" : ")
        printer.print_operation_type(self)


@irdl_op_definition
class GetDimensionSizeOp(MovementOp):
    """The extent of a dimension, as a scalar i32."""

    name = "stablehlo.get_dimension_size"
    CLAUSES: ClassVar[tuple[Clause, ...]] = (number_clause("dim", "dimension"),)
    dimension = prop_def(IntegerAttr)


@irdl_op_definition
class SetDimensionSizeOp(StablehloOp):
    """The operand with an extent of a dimension that is a value."""

    name = "stablehlo.set_dimension_size"
    operand = operand_def(TensorType)
    size = operand_def(TensorType)
    dimension = prop_def(IntegerAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class DynamicReshapeOp(PrettyOp):
    """``stablehlo.reshape`` to a shape that is a value."""

    name = "stablehlo.dynamic_reshape"
    operand = operand_def(TensorType)
    output_shape = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class DynamicBroadcastInDimOp(PrettyOp):
    """``stablehlo.broadcast_in_dim`` to a shape that is a value."""

    name = "stablehlo.dynamic_broadcast_in_dim"
    CLAUSES: ClassVar[tuple[Clause, ...]] = (numbers_clause("dims", "broadcast_dimensions"),)
    operand = operand_def(TensorType)
    output_dimensions = operand_def(TensorType)
    broadcast_dimensions = prop_def(DenseArrayBase)
    known_expanding_dimensions = opt_prop_def(DenseArrayBase)
    known_nonexpanding_dimensions = opt_prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class DynamicPadOp(PrettyOp):
    """``stablehlo.pad`` by numbers that are values."""

    name = "stablehlo.dynamic_pad"
    operand = operand_def(TensorType)
    padding_value = operand_def(TensorType)
    edge_padding_low = operand_def(TensorType)
    edge_padding_high = operand_def(TensorType)
    interior_padding = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class RealDynamicSliceOp(PrettyOp):
    """``stablehlo.slice`` between bounds that are values."""

    name = "stablehlo.real_dynamic_slice"
    operand = operand_def(TensorType)
    start_indices = operand_def(TensorType)
    limit_indices = operand_def(TensorType)
    strides = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())
