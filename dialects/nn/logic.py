"""Logic on i1, and bit operations and shifts on integers. Operands broadcast as in NumPy."""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import irdl_op_definition

from lamina.dialects.nn.elementwise import BinaryOp, UnaryOp
from lamina.dialects.nn.kinds import Kind


class LogicalOp(BinaryOp):
    """``lhs: [*A], rhs: [*B] -> [*broadcast(A, B)]``, all of i1."""

    ELEMENTS: ClassVar[Kind] = Kind.BOOLEAN


@irdl_op_definition
class LogicalAndOp(LogicalOp):
    """True where both are. ONNX And."""

    name = "nn.logical_and"


@irdl_op_definition
class LogicalOrOp(LogicalOp):
    """True where one of both is. ONNX Or."""

    name = "nn.logical_or"


@irdl_op_definition
class LogicalXorOp(LogicalOp):
    """True where the two differ. ONNX Xor."""

    name = "nn.logical_xor"


@irdl_op_definition
class LogicalNotOp(UnaryOp):
    """True where the operand is false; i1 only. ONNX Not."""

    name = "nn.logical_not"
    ELEMENTS: ClassVar[Kind] = Kind.BOOLEAN


class BitwiseOp(BinaryOp):
    """``lhs: [*A], rhs: [*B] -> [*broadcast(A, B)]`` on integers of one type."""

    ELEMENTS: ClassVar[Kind] = Kind.INTEGER


@irdl_op_definition
class BitwiseAndOp(BitwiseOp):
    """The bits set in both. ONNX BitwiseAnd."""

    name = "nn.bitwise_and"


@irdl_op_definition
class BitwiseOrOp(BitwiseOp):
    """The bits set in one of both. ONNX BitwiseOr."""

    name = "nn.bitwise_or"


@irdl_op_definition
class BitwiseXorOp(BitwiseOp):
    """The bits in which both differ. ONNX BitwiseXor."""

    name = "nn.bitwise_xor"


@irdl_op_definition
class BitwiseNotOp(UnaryOp):
    """All bits inverted; integers. ONNX BitwiseNot."""

    name = "nn.bitwise_not"
    ELEMENTS: ClassVar[Kind] = Kind.INTEGER


@irdl_op_definition
class ShiftLeftOp(BitwiseOp):
    """``lhs * 2^rhs`` modulo 2^width. ONNX BitShift LEFT, for signed integers too.

    The amount is read as unsigned; an amount of the width or more gives 0.
    """

    name = "nn.shift_left"


@irdl_op_definition
class ShiftRightOp(BitwiseOp):
    """``lhs / 2^rhs`` rounded down: logical on unsigned integers, arithmetic on others. ONNX BitShift RIGHT.

    The amount is read as unsigned; an amount of the width or more gives 0, or -1 for a negative ``lhs``.
    """

    name = "nn.shift_right"
