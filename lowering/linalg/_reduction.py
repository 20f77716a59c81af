"""Reductions over axes as generics."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr

from lamina.lowering.linalg._builder import PARALLEL, REDUCTION, Body, LinalgBuilder, Size, dims
from lamina.lowering.linalg._scalars import Scalars


def reduce(
    builder: LinalgBuilder,
    inputs: Sequence[tuple[SSAValue, Sequence[AffineExpr]]],
    sizes: Sequence[Size],
    axes: Sequence[int],
    start: tuple[float | int, Attribute],
    body: Body,
    unsigned: bool = False,
) -> SSAValue:
    """A generic over loops ``sizes`` that folds the loops ``axes`` of its inputs into ``start``.

    ``start`` is the first value and its type, ``body`` gets the inputs' elements and the value so far. The
    result keeps the other loops, in order.
    """
    kept = [i for i in range(len(sizes)) if i not in axes]
    value, kind = start
    into = builder.fill(value, [sizes[i] for i in kept], kind)
    iterators = [REDUCTION if i in axes else PARALLEL for i in range(len(sizes))]
    outputs = [(into, [AffineExpr.dimension(i) for i in kept])]
    return builder.generic(inputs, outputs, iterators, body, unsigned)[0]


def reduce_tensor(
    builder: LinalgBuilder,
    x: SSAValue,
    axes: Sequence[int],
    start: tuple[float | int, Attribute],
    body: Body,
    unsigned: bool = False,
) -> SSAValue:
    """Folds the axes of one tensor."""
    sizes = builder.sizes(x)
    return reduce(builder, [(x, dims(len(sizes)))], sizes, axes, start, body, unsigned)


def kept_axes(rank: int, axes: Sequence[int]) -> list[AffineExpr]:
    """How loops over all axes read a tensor without some of them."""
    return [AffineExpr.dimension(i) for i in range(rank) if i not in axes]


def add_to(s: Scalars, x: SSAValue, total: SSAValue) -> SSAValue:
    """The body of a sum, in the type of the sum."""
    return s.add(total, s.widened(x, total.type))
