"""Functions of one tensor, element by element.

The operand's shape is the result's. Functions that IEEE 754 does not define exactly are meant to the
precision of the element type: the reference evaluates them in f64 and rounds once.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import irdl_op_definition

from lamina.dialects.nn.elementwise import UnaryOp
from lamina.dialects.nn.kinds import Kind


class NumberFunction(UnaryOp):
    """``x: [*S] -> [*S]`` on floats or integers."""

    ELEMENTS: ClassVar[Kind] = Kind.NUMBER


class FloatFunction(UnaryOp):
    """``x: [*S] -> [*S]`` on floats."""

    ELEMENTS: ClassVar[Kind] = Kind.FLOAT


class FloatPredicate(UnaryOp):
    """``x: [*S] -> [*S]`` from floats to i1."""

    ELEMENTS: ClassVar[Kind] = Kind.FLOAT
    GIVES_BOOLEAN: ClassVar[bool] = True


@irdl_op_definition
class NegOp(NumberFunction):
    """``-x``; the smallest integer and unsigned ones wrap around. ONNX Neg."""

    name = "nn.neg"


@irdl_op_definition
class AbsOp(NumberFunction):
    """The absolute value; that of the smallest signed integer is itself. ONNX Abs."""

    name = "nn.abs"


@irdl_op_definition
class SignOp(NumberFunction):
    """-1, 0 or 1 by the sign of x; zeros and NaN are returned as they are. ONNX Sign."""

    name = "nn.sign"


@irdl_op_definition
class ExpOp(FloatFunction):
    """``e^x``. ONNX Exp."""

    name = "nn.exp"


@irdl_op_definition
class Expm1Op(FloatFunction):
    """``e^x - 1``, precise near 0. C's ``expm1``."""

    name = "nn.expm1"


@irdl_op_definition
class LogOp(FloatFunction):
    """The natural logarithm: NaN below 0, -inf at 0. ONNX Log."""

    name = "nn.log"


@irdl_op_definition
class Log1pOp(FloatFunction):
    """``log(1 + x)``, precise near 0. C's ``log1p``."""

    name = "nn.log1p"


@irdl_op_definition
class SqrtOp(FloatFunction):
    """The square root, correctly rounded; NaN below 0, -0.0 stays. ONNX Sqrt."""

    name = "nn.sqrt"


@irdl_op_definition
class RsqrtOp(FloatFunction):
    """``1 / sqrt(x)``: inf at +0.0, -inf at -0.0, NaN below 0. StableHLO rsqrt."""

    name = "nn.rsqrt"


@irdl_op_definition
class ReciprocalOp(FloatFunction):
    """``1 / x``, correctly rounded. ONNX Reciprocal."""

    name = "nn.reciprocal"


@irdl_op_definition
class FloorOp(FloatFunction):
    """The nearest integer below. ONNX Floor."""

    name = "nn.floor"


@irdl_op_definition
class CeilOp(FloatFunction):
    """The nearest integer above. ONNX Ceil."""

    name = "nn.ceil"


@irdl_op_definition
class RoundOp(FloatFunction):
    """The nearest integer, halves to the even one; the sign of zero stays. ONNX Round."""

    name = "nn.round"


@irdl_op_definition
class SinOp(FloatFunction):
    """The sine of an angle in radians; NaN for infinities. ONNX Sin."""

    name = "nn.sin"


@irdl_op_definition
class CosOp(FloatFunction):
    """The cosine of an angle in radians; NaN for infinities. ONNX Cos."""

    name = "nn.cos"


@irdl_op_definition
class TanOp(FloatFunction):
    """The tangent of an angle in radians; NaN for infinities. ONNX Tan."""

    name = "nn.tan"


@irdl_op_definition
class AsinOp(FloatFunction):
    """The arc sine, in [-pi/2, pi/2]; NaN outside [-1, 1]. ONNX Asin."""

    name = "nn.asin"


@irdl_op_definition
class AcosOp(FloatFunction):
    """The arc cosine, in [0, pi]; NaN outside [-1, 1]. ONNX Acos."""

    name = "nn.acos"


@irdl_op_definition
class AtanOp(FloatFunction):
    """The arc tangent, in [-pi/2, pi/2]. ONNX Atan."""

    name = "nn.atan"


@irdl_op_definition
class SinhOp(FloatFunction):
    """The hyperbolic sine. ONNX Sinh."""

    name = "nn.sinh"


@irdl_op_definition
class CoshOp(FloatFunction):
    """The hyperbolic cosine. ONNX Cosh."""

    name = "nn.cosh"


@irdl_op_definition
class TanhOp(FloatFunction):
    """The hyperbolic tangent. ONNX Tanh."""

    name = "nn.tanh"


@irdl_op_definition
class AsinhOp(FloatFunction):
    """The inverse hyperbolic sine. ONNX Asinh."""

    name = "nn.asinh"


@irdl_op_definition
class AcoshOp(FloatFunction):
    """The inverse hyperbolic cosine; NaN below 1. ONNX Acosh."""

    name = "nn.acosh"


@irdl_op_definition
class AtanhOp(FloatFunction):
    """The inverse hyperbolic tangent: infinite at -1 and 1, NaN outside. ONNX Atanh."""

    name = "nn.atanh"


@irdl_op_definition
class ErfOp(FloatFunction):
    """The error function. ONNX Erf."""

    name = "nn.erf"


@irdl_op_definition
class IsNanOp(FloatPredicate):
    """Whether x is not a number. ONNX IsNaN."""

    name = "nn.isnan"


@irdl_op_definition
class IsInfOp(FloatPredicate):
    """Whether x is infinite, of either sign. ONNX IsInf."""

    name = "nn.isinf"
