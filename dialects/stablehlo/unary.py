"""Functions of one tensor, element by element: the result has the operand's shape."""

from __future__ import annotations

import re

from xdsl.dialects.builtin import IntegerAttr, TensorType, i32
from xdsl.ir import Attribute, Operation
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from lamina.dialects.stablehlo.attributes import ResultAccuracy
from lamina.dialects.stablehlo.syntax import SameTypeOp, parse_operands


class UnaryOp(SameTypeOp):
    """``operand: [*S] -> [*S]``."""

    operand = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())


class FunctionOp(UnaryOp):
    """A function whose accuracy can be asked for."""

    result_accuracy = opt_prop_def(ResultAccuracy)


@irdl_op_definition
class AbsOp(UnaryOp):
    """The absolute value; of a complex number its modulus."""

    name = "stablehlo.abs"


@irdl_op_definition
class CeilOp(UnaryOp):
    """The next integer above."""

    name = "stablehlo.ceil"


@irdl_op_definition
class CountLeadingZerosOp(UnaryOp):
    """The number of zero bits before the first one of an integer."""

    name = "stablehlo.count_leading_zeros"


@irdl_op_definition
class FloorOp(UnaryOp):
    """The next integer below."""

    name = "stablehlo.floor"


@irdl_op_definition
class ImagOp(UnaryOp):
    """The imaginary part."""

    name = "stablehlo.imag"


@irdl_op_definition
class IsFiniteOp(UnaryOp):
    """Whether a float is neither infinite nor NaN, as i1."""

    name = "stablehlo.is_finite"


@irdl_op_definition
class NegateOp(UnaryOp):
    """The negative; integers wrap."""

    name = "stablehlo.negate"


@irdl_op_definition
class NotOp(UnaryOp):
    """The logical negation of i1, the complement of an integer's bits."""

    name = "stablehlo.not"


@irdl_op_definition
class PopcntOp(UnaryOp):
    """The number of one bits of an integer."""

    name = "stablehlo.popcnt"


@irdl_op_definition
class RealOp(UnaryOp):
    """The real part."""

    name = "stablehlo.real"


@irdl_op_definition
class RoundNearestAfzOp(UnaryOp):
    """The nearest integer, halves away from zero."""

    name = "stablehlo.round_nearest_afz"


@irdl_op_definition
class RoundNearestEvenOp(UnaryOp):
    """The nearest integer, halves to the even one."""

    name = "stablehlo.round_nearest_even"


@irdl_op_definition
class SignOp(UnaryOp):
    """-1, 0 or 1; NaN and signed zeros stay."""

    name = "stablehlo.sign"


@irdl_op_definition
class ConvertOp(UnaryOp):
    """Elements in another type: floats to integers truncate, to i1 tell what is not zero."""

    name = "stablehlo.convert"


@irdl_op_definition
class BitcastConvertOp(UnaryOp):
    """The same bits as another element type; the last dimension takes up a change of width."""

    name = "stablehlo.bitcast_convert"


@irdl_op_definition
class UniformQuantizeOp(UnaryOp):
    """Floats, or quantised numbers, as quantised numbers of the result's type."""

    name = "stablehlo.uniform_quantize"


@irdl_op_definition
class UniformDequantizeOp(UnaryOp):
    """Quantised numbers as floats."""

    name = "stablehlo.uniform_dequantize"


@irdl_op_definition
class CbrtOp(FunctionOp):
    """The real cube root."""

    name = "stablehlo.cbrt"


@irdl_op_definition
class CosineOp(FunctionOp):
    """The cosine."""

    name = "stablehlo.cosine"


@irdl_op_definition
class ExponentialOp(FunctionOp):
    """e to the power of the operand."""

    name = "stablehlo.exponential"


@irdl_op_definition
class ExponentialMinusOneOp(FunctionOp):
    """e to the power of the operand, minus 1, exact near 0."""

    name = "stablehlo.exponential_minus_one"


@irdl_op_definition
class LogOp(FunctionOp):
    """The natural logarithm."""

    name = "stablehlo.log"


@irdl_op_definition
class LogPlusOneOp(FunctionOp):
    """The natural logarithm of 1 + operand, exact near 0."""

    name = "stablehlo.log_plus_one"


@irdl_op_definition
class LogisticOp(FunctionOp):
    """1 / (1 + e^-operand)."""

    name = "stablehlo.logistic"


@irdl_op_definition
class RsqrtOp(FunctionOp):
    """1 / sqrt(operand)."""

    name = "stablehlo.rsqrt"


@irdl_op_definition
class SineOp(FunctionOp):
    """The sine."""

    name = "stablehlo.sine"


@irdl_op_definition
class SqrtOp(FunctionOp):
    """The square root."""

    name = "stablehlo.sqrt"


@irdl_op_definition
class TanOp(FunctionOp):
    """The tangent."""

    name = "stablehlo.tan"


@irdl_op_definition
class TanhOp(FunctionOp):
    """The hyperbolic tangent."""

    name = "stablehlo.tanh"


@irdl_op_definition
class ReducePrecisionOp(UnaryOp):
    """Elements rounded to a float of so many bits of exponent and mantissa, in their own type.

    ```mlir
    %0 = stablehlo.reduce_precision %x, format = e8m7 : tensor<3xf32>
    ```
    """

    name = "stablehlo.reduce_precision"
    exponent_bits = prop_def(IntegerAttr)
    mantissa_bits = prop_def(IntegerAttr)

    @classmethod
    def parse(cls, parser: Parser) -> Operation:
        operands = parse_operands(parser)
        parser.parse_keyword("format")
        parser.parse_punctuation("=")
        position = parser.pos
        found = re.fullmatch(r"e(\d+)m(\d+)", parser.parse_identifier())
        if found is None:
            parser.raise_error("expected a format such as e8m7", position)
        exponent, mantissa = (IntegerAttr(int(n), i32) for n in found.groups())
        properties: dict[str, Attribute] = {"exponent_bits": exponent, "mantissa_bits": mantissa}
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        values, results = cls.parse_types(parser, operands)
        return cls.built(parser, values, results, properties, attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.operand)
        bits = self.exponent_bits.value.data, self.mantissa_bits.value.data
        printer.print_string(f", format = e{bits[0]}m{bits[1]}")
        self.print_rest(printer, ["exponent_bits", "mantissa_bits"])
        printer.print_string(" : ")
        self.print_types(printer)
