"""The builder of elementwise lowerings: one body over scalars, for every element type.

Bytes that hold bool become i1 inside the body; f16 and bf16 are computed in f32 and rounded at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, f32, i1
from xdsl.ir import Attribute, SSAValue

from lamina.dialects.nn.base import NnOp
from lamina.lowering.linalg._builder import LinalgBuilder
from lamina.lowering.linalg._scalars import Scalars
from lamina.lowering.linalg._types import converted_element, element_of, is_bool, is_half, is_unsigned
from lamina.lowering.linalg.rules import linalg_rule

ScalarRule: TypeAlias = "Callable[..., SSAValue]"
"""``rule(scalars, op, *arguments) -> value``: the op on one element."""


def elementwise(*names: str) -> Callable[[ScalarRule], ScalarRule]:
    """Registers a scalar rule as the lowering of elementwise ops, whose operands broadcast."""

    def register(rule: ScalarRule) -> ScalarRule:
        def lower(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
            return lower_elementwise(op, operands, builder, rule)

        linalg_rule(*names)(lower)
        return rule

    return register


def lower_elementwise(
    op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder, rule: ScalarRule
) -> SSAValue:
    """One generic for an elementwise op."""
    elements = [element_of(value.type) for value in op.operands]
    result = element_of(op.results[0].type)

    def body(scalars: Scalars, *arguments: SSAValue) -> SSAValue:
        opened = [open_element(scalars, value, kind) for value, kind in zip(arguments, elements, strict=True)]
        return close_element(scalars, rule(scalars, op, *opened), result)

    unsigned = is_unsigned(elements[0])
    return builder.pointwise(operands, converted_element(result), body, unsigned)


def open_element(scalars: Scalars, value: SSAValue, element: Attribute) -> SSAValue:
    """An element as it is computed with: bool as i1, narrow floats as f32."""
    if is_bool(element):
        return scalars.emit(arith.TruncIOp(value, i1))
    return scalars.emit(arith.ExtFOp(value, f32)) if is_half(element) else value


def close_element(scalars: Scalars, value: SSAValue, element: Attribute) -> SSAValue:
    """A computed element as it is stored in a tensor of an ``nn`` element type."""
    stored = converted_element(element)
    if is_bool(element):
        return scalars.emit(arith.ExtUIOp(value, stored))  # pyright: ignore[reportArgumentType]
    if is_half(element) and isinstance(value.type, AnyFloat) and value.type != stored:
        return scalars.emit(arith.TruncFOp(value, stored))
    return value
