"""The shapes of elementwise ops: one operand, or two that broadcast against each other.

The families built on these are in ``arithmetic``, ``comparison``, ``logic``, ``unary`` and ``activation``.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import TensorType
from xdsl.irdl import operand_def, result_def, traits_def
from xdsl.traits import Pure

from lamina.dialects.nn.base import NnOp
from lamina.dialects.nn.kinds import Kind


class ElementwiseOp(NnOp):
    """Each element of the result depends on the elements at the same place of the operands only.

    Operands broadcast as in NumPy: shapes are aligned at their last dimension, and an extent of 1 (or a
    missing one) repeats. A dynamic extent takes the other's unless that is 1.
    """

    ELEMENTS: ClassVar[Kind] = Kind.ANY
    """The kinds of elements the operands may have."""
    GIVES_BOOLEAN: ClassVar[bool] = False
    """The result holds i1, whatever the operands hold."""

    traits = traits_def(Pure())


class UnaryOp(ElementwiseOp):
    """``x: [*S] -> [*S]``."""

    operand = operand_def(TensorType)
    result = result_def(TensorType)


class BinaryOp(ElementwiseOp):
    """``lhs: [*A], rhs: [*B] -> [*broadcast(A, B)]``; both operands have one element type."""

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)
