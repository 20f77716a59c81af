"""Sums of products: named operations where upstream has one, else generics."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from lamina.lowering.linalg._builder import LinalgBuilder, Size, element
from lamina.lowering.linalg._scalars import Scalars
from lamina.lowering.linalg._types import is_half


def accumulator(kind: Attribute) -> Attribute:
    """The type that sums run in: f32 for narrower floats, else the type itself."""
    return f32 if is_half(kind) else kind


def multiply_add(scalars: Scalars, a: SSAValue, b: SSAValue, sum: SSAValue) -> SSAValue:
    """The body of a contraction: ``sum + a * b`` in the type of the sum."""
    a, b = scalars.widened(a, sum.type), scalars.widened(b, sum.type)
    return scalars.add(sum, scalars.mul(a, b))


def contract(
    builder: LinalgBuilder,
    a: tuple[SSAValue, Sequence[AffineExpr]],
    b: tuple[SSAValue, Sequence[AffineExpr]],
    sizes: Sequence[Size],
    result: Sequence[AffineExpr],
    iterators: Sequence[str],
) -> SSAValue:
    """A generic that sums products into zeros. The result holds the accumulator's type."""
    zeros = builder.fill(0, sizes, accumulator(element(a[0].type)))
    return builder.generic([a, b], [(zeros, result)], iterators, multiply_add)[0]


def contract_named(
    builder: LinalgBuilder,
    make: type[Operation],
    operands: Sequence[SSAValue],
    sizes: Sequence[Size],
    **attributes: object,
) -> SSAValue:
    """A named contraction of operands of one type, into zeros. The result holds the accumulator's type."""
    zeros = builder.fill(0, sizes, accumulator(element(operands[0].type)))
    op = make(operands, [zeros], [zeros.type], **attributes)  # pyright: ignore[reportCallIssue]
    return builder.named(op, sizes)


def narrowed(builder: LinalgBuilder, value: SSAValue, kind: Attribute) -> SSAValue:
    """A sum in the element type of the result: rounded once where it ran in a wider one."""
    if element(value.type) == kind:
        return value
    return builder.pointwise([value], kind, lambda s, x: s.narrowed(x, kind))
