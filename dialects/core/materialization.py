"""The constant op for a value that a fold has found."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    ComplexType,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    ShapedType,
)
from xdsl.dialects.ub import PoisonAttr
from xdsl.ir import Attribute, Operation

from lamina.dialects.core.building import make_op


def constant_op(value: Attribute, type: Attribute, near: Operation) -> Operation | None:
    """A constant op of a type, in the dialect that ``near`` suggests; None where there is none."""
    if isinstance(value, PoisonAttr):
        name = "llvm.mlir.poison" if near.name.startswith("llvm.") else "ub.poison"
        return make_op(name, [], [type], {"value": value} if name == "ub.poison" else {})
    if near.name.startswith("nn."):
        return make_op("nn.constant", [], [type], {"value": value})
    if isinstance(type, ComplexType):
        return make_op("complex.constant", [], [type], {"value": value})
    if not isinstance(value, IntegerAttr | FloatAttr | DenseIntOrFPElementsAttr | DenseResourceAttr):
        return None
    if isinstance(value, IntegerAttr | FloatAttr) and isinstance(type, ShapedType):
        return None
    if near.name.startswith("llvm."):
        return make_op("llvm.mlir.constant", [], [type], {"value": value})
    if near.name.startswith("index."):
        if isinstance(type, IndexType):
            return make_op("index.constant", [], [type], {"value": value})
        if isinstance(value, IntegerAttr):
            return make_op("index.bool.constant", [], [type], {"value": value})
    return make_op("arith.constant", [], [type], {"value": value})
