"""The attributes of the `stablehlo` dialect: words of enumerations, dimension numbers, and the token type."""

from __future__ import annotations

from typing import Any, TypeAlias

from xdsl.ir import Attribute, Data, ParametrizedAttribute, SpacedOpaqueSyntaxAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

Field: TypeAlias = "int | float | bool | str | tuple[int, ...] | Attribute"
"""The value of a field of a structure."""
Dimension: TypeAlias = "int | str"
"""A dimension of a convolution: the number of a spatial one, or a letter."""


class Word(Data[str], SpacedOpaqueSyntaxAttribute):
    """A word of an enumeration: ``#stablehlo<precision HIGHEST>``."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        opened = parser.parse_optional_punctuation("<") is not None
        word = parser.parse_identifier()
        if opened:
            parser.parse_punctuation(">")
        return word

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(self.data)


@irdl_attr_definition
class Precision(Word):
    """How exact a product is computed: DEFAULT, HIGH, HIGHEST."""

    name = "stablehlo.precision"


@irdl_attr_definition
class ComparisonDirection(Word):
    """EQ, NE, LT, LE, GT, GE."""

    name = "stablehlo.comparison_direction"


@irdl_attr_definition
class ComparisonType(Word):
    """How elements are compared: FLOAT, TOTALORDER, SIGNED, UNSIGNED."""

    name = "stablehlo.comparison_type"


@irdl_attr_definition
class FftType(Word):
    """FFT, IFFT, RFFT, IRFFT."""

    name = "stablehlo.fft_type"


@irdl_attr_definition
class RngAlgorithm(Word):
    """The generator of random bits: DEFAULT, THREE_FRY, PHILOX."""

    name = "stablehlo.rng_algorithm"


@irdl_attr_definition
class RngDistribution(Word):
    """UNIFORM, NORMAL."""

    name = "stablehlo.rng_distribution"


@irdl_attr_definition
class Transpose(Word):
    """What a triangular solve takes its matrix as: NO_TRANSPOSE, TRANSPOSE, ADJOINT."""

    name = "stablehlo.transpose"


@irdl_attr_definition
class CustomCallApiVersion(Word):
    """The calling convention of a custom call."""

    name = "stablehlo.custom_call_api_version"


class Structure(Data[tuple[tuple[str, Field], ...]]):
    """Named fields in the order of the text: ``<offset_dims = [1], index_vector_dim = 1>``."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[tuple[str, Field], ...]:
        def field() -> tuple[str, Field]:
            name = parser.parse_identifier()
            parser.parse_punctuation("=")
            return name, _field_value(parser)

        return tuple(parser.parse_comma_separated_list(parser.Delimiter.ANGLE, field))

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_list(self.data, lambda item: _print_field(printer, *item))

    def field(self, name: str, default: Any = None) -> Any:
        """The value of a field, or a default where it is left out."""
        return dict(self.data).get(name, default)

    def numbers(self, name: str) -> tuple[int, ...]:
        """The numbers of a field that is a list, none where it is left out."""
        return tuple(self.field(name, ()))


def _field_value(parser: AttrParser) -> Field:
    numbers = parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
    if numbers is not None:
        return tuple(numbers)
    number = parser.parse_optional_number()
    if number is not None:
        return number
    word = parser.parse_optional_identifier()
    return parser.parse_attribute() if word is None else word


def _print_field(printer: Printer, name: str, value: Field) -> None:
    printer.print_string(f"{name} = ")
    if isinstance(value, Attribute):
        printer.print_attribute(value)
    elif isinstance(value, bool):
        printer.print_string("true" if value else "false")
    elif isinstance(value, tuple):
        printer.print_string(f"[{', '.join(map(str, value))}]")
    else:
        printer.print_string(str(value))


@irdl_attr_definition
class GatherDimensionNumbers(Structure):
    """Which dimensions of operand, indices and result of a gather belong together.

    Lists offset_dims, collapsed_slice_dims, operand_batching_dims, start_indices_batching_dims,
    start_index_map; number index_vector_dim.
    """

    name = "stablehlo.gather"


@irdl_attr_definition
class ScatterDimensionNumbers(Structure):
    """Which dimensions of operand, indices and updates of a scatter belong together.

    Lists update_window_dims, inserted_window_dims, input_batching_dims, scatter_indices_batching_dims,
    scatter_dims_to_operand_dims; number index_vector_dim.
    """

    name = "stablehlo.scatter"


@irdl_attr_definition
class DotDimensionNumbers(Structure):
    """Which dimensions of a product are batches and which are summed over, by side."""

    name = "stablehlo.dot"


@irdl_attr_definition
class DotAlgorithm(Structure):
    """How a product is computed: element types and counts of its parts."""

    name = "stablehlo.dot_algorithm"


@irdl_attr_definition
class ChannelHandle(Structure):
    """The channel of a communication: handle and type."""

    name = "stablehlo.channel_handle"


@irdl_attr_definition
class OutputOperandAlias(Structure):
    """A result of a custom call that lies where an operand lay."""

    name = "stablehlo.output_operand_alias"


@irdl_attr_definition
class ResultAccuracyMode(Data[str]):
    """DEFAULT, HIGHEST, TOLERANCE; it stands within ``ResultAccuracy`` and is written with a dot."""

    name = "stablehlo.result_accuracy_mode"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        return Word.parse_parameter(parser)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data)


@irdl_attr_definition
class ResultAccuracy(Structure):
    """How exact a function is computed: atol, rtol, ulps, mode."""

    name = "stablehlo.result_accuracy"


@irdl_attr_definition
class ConvDimensionNumbers(Data[tuple[tuple[Dimension, ...], ...]]):
    """The order of dimensions of input, kernel and result: ``<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>``.

    Letters: batch b, feature f, input feature i, output feature o; numbers are spatial dimensions.
    """

    name = "stablehlo.conv"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[tuple[Dimension, ...], ...]:
        with parser.in_angle_brackets():
            return cls.parse_lists(parser)

    @classmethod
    def parse_lists(cls, parser: AttrParser) -> tuple[tuple[Dimension, ...], ...]:
        """The three lists without brackets around them."""

        def dimension() -> Dimension:
            number = parser.parse_optional_integer(allow_boolean=False)
            return parser.parse_identifier() if number is None else number

        lists: list[tuple[Dimension, ...]] = []
        for separator in ("x", "->", ""):
            lists.append(tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, dimension)))
            if separator == "x":
                parser.parse_characters("x")
            elif separator:
                parser.parse_punctuation("->")
        return tuple(lists)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            self.print_lists(printer)

    def print_lists(self, printer: Printer) -> None:
        """Write the three lists without brackets around them."""
        lhs, rhs, out = (f"[{', '.join(map(str, dims))}]" for dims in self.data)
        printer.print_string(f"{lhs}x{rhs}->{out}")


@irdl_attr_definition
class TokenType(ParametrizedAttribute, TypeAttribute):
    """The order of side effects: ``!stablehlo.token``."""

    name = "stablehlo.token"


ATTRIBUTES: list[type[Attribute]] = [
    Precision,
    ComparisonDirection,
    ComparisonType,
    FftType,
    RngAlgorithm,
    RngDistribution,
    Transpose,
    CustomCallApiVersion,
    GatherDimensionNumbers,
    ScatterDimensionNumbers,
    DotDimensionNumbers,
    DotAlgorithm,
    ChannelHandle,
    OutputOperandAlias,
    ResultAccuracyMode,
    ResultAccuracy,
    ConvDimensionNumbers,
    TokenType,
]
