"""Lowering of ``nn.constant``."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr
from xdsl.ir import Attribute, SSAValue

from lamina.dialects.core.diagnostics import error
from lamina.dialects.nn.constant import ConstantOp
from lamina.lowering.linalg._builder import LinalgBuilder
from lamina.lowering.linalg._types import converted_type
from lamina.lowering.linalg.rules import linalg_rule


@linalg_rule("nn.constant")
def _(op: ConstantOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    return builder.value(arith.ConstantOp(converted_constant(op.value)))  # pyright: ignore[reportArgumentType]


def converted_constant(value: Attribute) -> Attribute:
    """The attribute of a constant with its element type converted; the bytes are shared, never copied."""
    match value:
        case DenseResourceAttr():
            return DenseResourceAttr.from_params(value.resource_handle, converted_type(value.type))  # pyright: ignore[reportArgumentType]
        case DenseIntOrFPElementsAttr():
            kind = converted_type(value.type)
            return value if kind == value.type else DenseIntOrFPElementsAttr(kind, value.data)  # pyright: ignore[reportArgumentType]
        case _:
            raise error(f"expected a dense constant, got '{value}'")
