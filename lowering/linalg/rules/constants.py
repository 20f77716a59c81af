"""Lowering of ``nn.constant``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr
from xdsl.ir import Attribute, SSAValue

from lamina.dialects.core.constants import as_array, constant_attr
from lamina.dialects.core.diagnostics import error
from lamina.dialects.nn.constant import ConstantOp
from lamina.lowering.linalg._builder import LinalgBuilder
from lamina.lowering.linalg._types import converted_type, element_of, is_bool
from lamina.lowering.linalg.rules import linalg_rule


@linalg_rule("nn.constant")
def _(op: ConstantOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    return builder.value(arith.ConstantOp(converted_constant(op.value)))  # pyright: ignore[reportArgumentType]


def converted_constant(value: Attribute) -> Attribute:
    """The attribute of a constant with its element type converted; the bytes are shared.

    Bytes of truth values that are not 0 or 1 (MLIR's text writes all bits) are copied as 0 and 1.
    """
    if not isinstance(value, DenseResourceAttr | DenseIntOrFPElementsAttr):
        raise error(f"expected a dense constant, got '{value}'")
    kind = converted_type(value.type)
    if kind == value.type:
        return value
    if is_bool(element_of(value.type)):
        truth = as_array(value).view(np.uint8)
        if truth.max(initial=0) > 1:
            return constant_attr((truth != 0).astype(np.int8), kind)
    if isinstance(value, DenseResourceAttr):
        return DenseResourceAttr.from_params(value.resource_handle, kind)  # pyright: ignore[reportArgumentType]
    return DenseIntOrFPElementsAttr(kind, value.data)  # pyright: ignore[reportArgumentType]
