"""Arithmetic on two tensors: sum, difference, product, quotients, remainders, powers, extremes.

All broadcast as NumPy does (see :class:`BinaryOp`) and take one element type for both operands. Floats
follow IEEE 754, f16 and bf16 are computed in f32 and rounded once. Integers wrap around modulo 2^width.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import irdl_op_definition

from lamina.dialects.nn.elementwise import BinaryOp
from lamina.dialects.nn.kinds import Kind


class ArithmeticOp(BinaryOp):
    """``lhs: [*A], rhs: [*B] -> [*broadcast(A, B)]`` on floats or integers."""

    ELEMENTS: ClassVar[Kind] = Kind.NUMBER


@irdl_op_definition
class AddOp(ArithmeticOp):
    """``lhs + rhs``. ONNX Add."""

    name = "nn.add"


@irdl_op_definition
class SubOp(ArithmeticOp):
    """``lhs - rhs``. ONNX Sub."""

    name = "nn.sub"


@irdl_op_definition
class MulOp(ArithmeticOp):
    """``lhs * rhs``. ONNX Mul."""

    name = "nn.mul"


@irdl_op_definition
class DivOp(ArithmeticOp):
    """``lhs / rhs``. ONNX Div.

    Integer quotients are truncated toward zero. What standards leave undefined is defined: an integer
    divided by zero gives 0, and the smallest integer divided by -1 wraps around to itself.
    """

    name = "nn.div"


@irdl_op_definition
class ModOp(ArithmeticOp):
    """The remainder of the rounded-down quotient, which has the divisor's sign. ONNX Mod, ``np.mod``.

    Integers: the remainder of a division by zero is 0. Floats: ``r = fmod(lhs, rhs)``, plus ``rhs`` where
    ``r`` is not zero and has the other sign; a zero result has the sign of ``rhs``; by zero gives NaN.
    """

    name = "nn.mod"


@irdl_op_definition
class RemOp(ArithmeticOp):
    """The remainder of the truncated quotient, which has the dividend's sign. ONNX Mod (fmod = 1), C's ``%``.

    The integer remainder of a division by zero is 0, and so is that of the smallest integer by -1; the
    float one is NaN.
    """

    name = "nn.rem"


@irdl_op_definition
class PowOp(ArithmeticOp):
    """``lhs`` to the power ``rhs``. ONNX Pow with equal types; floats as C's ``pow``.

    Integers: the wrapped product; anything to the power 0 is 1; a negative exponent gives the truncated
    reciprocal: 1 for base 1, 1 or -1 for base -1, and 0 for others (also for base 0).
    """

    name = "nn.pow"


@irdl_op_definition
class MaximumOp(ArithmeticOp):
    """The larger of two. IEEE 754-2019 ``maximum``: NaN if either is NaN, and -0.0 < +0.0. ONNX Max."""

    name = "nn.maximum"


@irdl_op_definition
class MinimumOp(ArithmeticOp):
    """The smaller of two. IEEE 754-2019 ``minimum``: NaN if either is NaN, and -0.0 < +0.0. ONNX Min."""

    name = "nn.minimum"
