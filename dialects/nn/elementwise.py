"""The shapes of elementwise ops: one operand, or two that broadcast against each other.

The families built on these are in ``arithmetic``, ``comparison``, ``logic``, ``unary`` and ``activation``.
Their classes say only what the function is; :class:`ElementwiseOp` completes their documentation.
"""

from __future__ import annotations

import inspect
from typing import Any, ClassVar

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
    EXAMPLE: ClassVar[str] = ""
    """An op of the family as text, with places for its name and its element types."""

    traits = traits_def(Pure())

    def __init_subclass__(cls, **arguments: Any) -> None:
        """Add what an op takes, when it is in error, and an example to its docstring."""
        super().__init_subclass__(**arguments)
        own = inspect.cleandoc(cls.__doc__ or "")
        if "name" in vars(cls) and cls.EXAMPLE and "```" not in own:
            cls.__doc__ = f"{own}\n\n{_operand_text(cls)}\n\n```mlir\n{_example(cls)}\n```"


def _operand_text(op: type[ElementwiseOp]) -> str:
    """Shapes and element types of an op, from its family and its kinds."""
    shapes = {1: "``operand: [*S] -> [*S]``", 2: "``lhs: [*A], rhs: [*B] -> [*broadcast(A, B)]`` as in NumPy"}
    count = op.EXAMPLE.count("tensor") - 1
    result = ", the result i1" if op.GIVES_BOOLEAN else ""
    errors = "other element types"
    if count == 2:
        errors = "element types that differ or are others, shapes that do not broadcast"
    return f"{shapes[count]}. Element types: {op.ELEMENTS}{result}.\n\nErrors: {errors}."


def _example(op: type[ElementwiseOp]) -> str:
    kinds = {Kind.FLOAT: "f32", Kind.INTEGER: "i32", Kind.BOOLEAN: "i1"}
    element = next(text for kind, text in kinds.items() if kind in op.ELEMENTS)
    return op.EXAMPLE.format(name=op.name, element=element, result="i1" if op.GIVES_BOOLEAN else element)


class UnaryOp(ElementwiseOp):
    """``operand: [*S] -> [*S]``."""

    EXAMPLE: ClassVar[str] = "%0 = {name} %x : (tensor<?x3x{element}>) -> tensor<?x3x{result}>"

    operand = operand_def(TensorType)
    result = result_def(TensorType)


class BinaryOp(ElementwiseOp):
    """``lhs: [*A], rhs: [*B] -> [*broadcast(A, B)]``; both operands have one element type."""

    EXAMPLE: ClassVar[str] = (
        "%0 = {name} %x, %y : (tensor<?x3x{element}>, tensor<3x{element}>) -> tensor<?x3x{result}>"
    )

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)
