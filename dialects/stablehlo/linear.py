"""Products, convolutions and what else is linear algebra."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
)
from xdsl.ir import Attribute, Operation
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from lamina.dialects.stablehlo.attributes import (
    ConvDimensionNumbers,
    DotAlgorithm,
    DotDimensionNumbers,
    FftType,
    Precision,
    Transpose,
)
from lamina.dialects.stablehlo.syntax import (
    Clause,
    PrettyOp,
    SameTypeOp,
    StablehloOp,
    numbers_clause,
    parse_function_types,
    parse_numbers,
    text_clause,
    truth_clause,
    word_clause,
)
from lamina.dialects.stablehlo.window_syntax import parse_window, print_window

_DOT_FIELDS = {
    "batching_dims": ("lhs_batching_dimensions", "rhs_batching_dimensions"),
    "contracting_dims": ("lhs_contracting_dimensions", "rhs_contracting_dimensions"),
}
"""The lists of ``#stablehlo.dot`` for each keyword of the pretty form."""


@irdl_op_definition
class DotGeneralOp(StablehloOp):
    """Sums of products over contracted dimensions: batches, then what is left of lhs, then of rhs.

    ```mlir
    %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1],
      precision = [DEFAULT, DEFAULT] : (tensor<4x2x3xf32>, tensor<4x3x5xf32>) -> tensor<4x2x5xf32>
    ```
    """

    name = "stablehlo.dot_general"
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    dot_dimension_numbers = prop_def(DotDimensionNumbers)
    precision_config = opt_prop_def(ArrayAttr[Precision])
    algorithm = opt_prop_def(DotAlgorithm)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> Operation:
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        fields: dict[str, tuple[int, ...]] = {}
        properties: dict[str, Attribute] = {}
        while parser.parse_optional_punctuation(","):
            word = parser.parse_keyword_in(("batching_dims", "contracting_dims", "precision", "algorithm"))
            parser.parse_punctuation("=")
            if word == "precision":
                properties["precision_config"] = _precisions(parser)
            elif word == "algorithm":
                properties["algorithm"] = DotAlgorithm(DotAlgorithm.parse_parameter(parser))
            else:
                names = _DOT_FIELDS[word]
                fields[names[0]] = tuple(parse_numbers(parser))
                parser.parse_characters("x")
                fields[names[1]] = tuple(parse_numbers(parser))
        given = tuple((name, numbers) for name, numbers in fields.items() if numbers)
        properties["dot_dimension_numbers"] = DotDimensionNumbers(given)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":", " before the type of the operation")
        values, results = parse_function_types(parser, [lhs, rhs])
        return cls.built(parser, values, results, properties, attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        for keyword, names in _DOT_FIELDS.items():
            lists = [list(self.dot_dimension_numbers.numbers(name)) for name in names]
            if any(lists) or keyword == "contracting_dims":
                printer.print_string(f", {keyword} = {lists[0]} x {lists[1]}")
        if self.precision_config is not None:
            words = ", ".join(precision.data for precision in self.precision_config)
            printer.print_string(f", precision = [{words}]")
        if self.algorithm is not None:
            printer.print_string(", algorithm = ")
            self.algorithm.print_parameter(printer)
        self.print_rest(printer, ["dot_dimension_numbers", "precision_config", "algorithm"])
        printer.print_string(" : ")
        printer.print_operation_type(self)


def _precisions(parser: Parser) -> Attribute:
    words = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_identifier)
    return ArrayAttr([Precision(word) for word in words])


@irdl_op_definition
class DotOp(PrettyOp):
    """The product of vectors and matrices (of an older form)."""

    name = "stablehlo.dot"
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    precision_config = opt_prop_def(ArrayAttr[Precision])
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class ConvolutionOp(StablehloOp):
    """The cross-correlation of lhs with the windows of rhs, with dilation of both, groups and batch groups.

    ```mlir
    %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {stride = [2, 2], pad = [[0, 1], [0, 1]]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x4x4xf32>
    ```
    """

    name = "stablehlo.convolution"
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    window_strides = opt_prop_def(DenseArrayBase)
    padding = opt_prop_def(DenseIntOrFPElementsAttr)
    lhs_dilation = opt_prop_def(DenseArrayBase)
    rhs_dilation = opt_prop_def(DenseArrayBase)
    window_reversal = opt_prop_def(DenseArrayBase)
    dimension_numbers = prop_def(ConvDimensionNumbers)
    feature_group_count = prop_def(IntegerAttr)
    batch_group_count = prop_def(IntegerAttr)
    precision_config = opt_prop_def(ArrayAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> Operation:
        operands = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        parser.parse_keyword("dim_numbers")
        parser.parse_punctuation("=")
        dims = ConvDimensionNumbers(ConvDimensionNumbers.parse_lists(parser))
        properties: dict[str, Attribute] = {"dimension_numbers": dims}
        parser.parse_punctuation(",")
        parser.parse_keyword("window")
        parser.parse_punctuation("=")
        properties |= parse_window(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":", " before the type of the operation")
        values, results = parse_function_types(parser, operands)
        return cls.built(parser, values, results, properties, attributes)

    def print(self, printer: Printer) -> None:
        with printer.in_parens():
            printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_string(" dim_numbers = ")
        self.dimension_numbers.print_lists(printer)
        printer.print_string(", window = ")
        shown = print_window(printer, self.properties)
        self.print_rest(printer, ["dimension_numbers", *shown])
        printer.print_string(" : ")
        printer.print_operation_type(self)


@irdl_op_definition
class EinsumOp(PrettyOp):
    """Einstein's sum of two operands (of an older form)."""

    name = "stablehlo.einsum"
    CLAUSES: ClassVar[tuple[Clause, ...]] = (text_clause("config", "einsum_config"),)
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    einsum_config = prop_def(StringAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class CholeskyOp(SameTypeOp):
    """The Cholesky factor of symmetric positive definite matrices."""

    name = "stablehlo.cholesky"
    CLAUSES: ClassVar[tuple[Clause, ...]] = (truth_clause("lower", "lower"),)
    a = operand_def(TensorType)
    lower = opt_prop_def(BoolAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class TriangularSolveOp(StablehloOp):
    """The solution of systems of linear equations with a triangular matrix."""

    name = "stablehlo.triangular_solve"
    a = operand_def(TensorType)
    b = operand_def(TensorType)
    left_side = prop_def(BoolAttr)
    lower = prop_def(BoolAttr)
    unit_diagonal = prop_def(BoolAttr)
    transpose_a = prop_def(Transpose)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class FftOp(PrettyOp):
    """The Fourier transform over the last dimensions."""

    name = "stablehlo.fft"
    CLAUSES: ClassVar[tuple[Clause, ...]] = (
        word_clause("type", "fft_type", FftType),
        numbers_clause("length", "fft_length"),
    )
    operand = operand_def(TensorType)
    fft_type = prop_def(FftType)
    fft_length = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class BatchNormInferenceOp(StablehloOp):
    """``(operand - mean) / sqrt(variance + epsilon) * scale + offset`` along a feature dimension."""

    name = "stablehlo.batch_norm_inference"
    operand = operand_def(TensorType)
    scale = operand_def(TensorType)
    offset = operand_def(TensorType)
    mean = operand_def(TensorType)
    variance = operand_def(TensorType)
    epsilon = prop_def(FloatAttr)
    feature_index = prop_def(IntegerAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class BatchNormTrainingOp(StablehloOp):
    """The operand normalised by its own mean and variance along a feature dimension, and both of them."""

    name = "stablehlo.batch_norm_training"
    operand = operand_def(TensorType)
    scale = operand_def(TensorType)
    offset = operand_def(TensorType)
    epsilon = prop_def(FloatAttr)
    feature_index = prop_def(IntegerAttr)
    output = result_def(TensorType)
    batch_mean = result_def(TensorType)
    batch_var = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class BatchNormGradOp(StablehloOp):
    """The derivatives of ``stablehlo.batch_norm_training`` with respect to operand, scale and offset."""

    name = "stablehlo.batch_norm_grad"
    operand = operand_def(TensorType)
    scale = operand_def(TensorType)
    mean = operand_def(TensorType)
    variance = operand_def(TensorType)
    grad_output = operand_def(TensorType)
    epsilon = prop_def(FloatAttr)
    feature_index = prop_def(IntegerAttr)
    grad_operand = result_def(TensorType)
    grad_scale = result_def(TensorType)
    grad_offset = result_def(TensorType)
    traits = traits_def(Pure())
