"""Functions of CHLO, element by element: ``chlo.erf_inv %x : tensor<3xf32> -> tensor<3xf32>``."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import Pure

from lamina.dialects.stablehlo.syntax import PrettyOp


class ArrowOp(PrettyOp):
    """The types are written without brackets: ``: types -> type``."""

    @classmethod
    def parse_types(
        cls, parser: Parser, operands: Sequence[UnresolvedOperand]
    ) -> tuple[Sequence[SSAValue], Sequence[Attribute]]:
        position = parser.pos
        kinds = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        parser.parse_punctuation("->")
        return parser.resolve_operands(operands, kinds, position), [parser.parse_type()]

    def print_types(self, printer: Printer) -> None:
        printer.print_list([value.type for value in self.operands], printer.print_attribute)
        printer.print_string(" -> ")
        printer.print_attribute(self.results[0].type)


class UnaryOp(ArrowOp):
    """``operand: [*S] -> [*S]``."""

    operand = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())


class BinaryOp(ArrowOp):
    """``lhs: [*S], rhs: [*S] -> [*S]``."""

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class AcosOp(UnaryOp):
    """The arc cosine."""

    name = "chlo.acos"


@irdl_op_definition
class AcoshOp(UnaryOp):
    """The inverse hyperbolic cosine."""

    name = "chlo.acosh"


@irdl_op_definition
class AsinOp(UnaryOp):
    """The arc sine."""

    name = "chlo.asin"


@irdl_op_definition
class AsinhOp(UnaryOp):
    """The inverse hyperbolic sine."""

    name = "chlo.asinh"


@irdl_op_definition
class AtanOp(UnaryOp):
    """The arc tangent."""

    name = "chlo.atan"


@irdl_op_definition
class AtanhOp(UnaryOp):
    """The inverse hyperbolic tangent."""

    name = "chlo.atanh"


@irdl_op_definition
class BesselI1eOp(UnaryOp):
    """The exponentially scaled modified Bessel function of order 1."""

    name = "chlo.bessel_i1e"


@irdl_op_definition
class ConjOp(UnaryOp):
    """The complex conjugate."""

    name = "chlo.conj"


@irdl_op_definition
class CoshOp(UnaryOp):
    """The hyperbolic cosine."""

    name = "chlo.cosh"


@irdl_op_definition
class DigammaOp(UnaryOp):
    """The logarithmic derivative of the gamma function."""

    name = "chlo.digamma"


@irdl_op_definition
class ErfOp(UnaryOp):
    """The error function."""

    name = "chlo.erf"


@irdl_op_definition
class ErfInvOp(UnaryOp):
    """The inverse of the error function."""

    name = "chlo.erf_inv"


@irdl_op_definition
class ErfcOp(UnaryOp):
    """1 - erf(operand), exact where erf is near 1."""

    name = "chlo.erfc"


@irdl_op_definition
class IsInfOp(UnaryOp):
    """Whether an element is infinite, as i1."""

    name = "chlo.is_inf"


@irdl_op_definition
class IsNegInfOp(UnaryOp):
    """Whether an element is -inf, as i1."""

    name = "chlo.is_neg_inf"


@irdl_op_definition
class IsPosInfOp(UnaryOp):
    """Whether an element is inf, as i1."""

    name = "chlo.is_pos_inf"


@irdl_op_definition
class LgammaOp(UnaryOp):
    """The logarithm of the absolute value of the gamma function."""

    name = "chlo.lgamma"


@irdl_op_definition
class SinhOp(UnaryOp):
    """The hyperbolic sine."""

    name = "chlo.sinh"


@irdl_op_definition
class SquareOp(UnaryOp):
    """The operand times itself."""

    name = "chlo.square"


@irdl_op_definition
class TanOp(UnaryOp):
    """The tangent."""

    name = "chlo.tan"


@irdl_op_definition
class NextAfterOp(BinaryOp):
    """The next float after lhs in the direction of rhs."""

    name = "chlo.next_after"


@irdl_op_definition
class PolygammaOp(BinaryOp):
    """The derivative of order lhs of the digamma function at rhs."""

    name = "chlo.polygamma"


@irdl_op_definition
class ZetaOp(BinaryOp):
    """Hurwitz's zeta function."""

    name = "chlo.zeta"


@irdl_op_definition
class MulhiOp(BinaryOp):
    """The upper half of the product of integers."""

    name = "chlo.mulhi"
