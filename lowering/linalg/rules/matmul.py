"""Lowering of matrix products."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from lamina.dialects.linalg.contractions import BatchMatmulOp
from lamina.dialects.linalg.contractions import MatmulOp as LinalgMatmulOp
from lamina.dialects.nn.linear import MatmulOp
from lamina.lowering.linalg._builder import PARALLEL, REDUCTION, LinalgBuilder, Size, dims, element
from lamina.lowering.linalg._contraction import contract, contract_named, narrowed
from lamina.lowering.linalg._reshape import collapse_leading, reshape
from lamina.lowering.linalg.rules import linalg_rule


@linalg_rule("nn.matmul")
def _(op: MatmulOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    a, b = operands
    left, right = builder.sizes(a), builder.sizes(b)
    batch = builder.broadcast_sizes([left[:-2], right[:-2]])
    sizes = (*batch, left[-2], right[-1])
    kind = element(a.type)
    if not batch:
        product = contract_named(builder, LinalgMatmulOp, [a, b], sizes)
    elif all(isinstance(n, int) and n == 1 for n in right[:-2]):
        product = _rows(builder, a, b, sizes)
    elif left[:-2] == right[:-2]:
        product = _one_batch(builder, a, b, sizes)
    else:
        product = _broadcast_batch(builder, a, b, sizes)
    return narrowed(builder, product, kind)


def _rows(builder: LinalgBuilder, a: SSAValue, b: SSAValue, sizes: Sequence[Size]) -> SSAValue:
    """One matrix on the right: the batch's rows are rows of one large matrix."""
    rows = collapse_leading(builder, a, len(builder.sizes(a)) - 1)
    right = builder.sizes(b)
    if len(right) > 2:
        b = reshape(builder, b, right[-2:])
    product = contract_named(builder, LinalgMatmulOp, [rows, b], [builder.sizes(rows)[0], sizes[-1]])
    return reshape(builder, product, sizes)


def _one_batch(builder: LinalgBuilder, a: SSAValue, b: SSAValue, sizes: Sequence[Size]) -> SSAValue:
    """Equal batch dimensions: one ``batch_matmul`` over their product."""
    count = len(sizes) - 2
    a, b = collapse_leading(builder, a, count), collapse_leading(builder, b, count)
    flat = (builder.sizes(a)[0], *sizes[-2:])
    return reshape(builder, contract_named(builder, BatchMatmulOp, [a, b], flat), sizes)


def _broadcast_batch(builder: LinalgBuilder, a: SSAValue, b: SSAValue, sizes: Sequence[Size]) -> SSAValue:
    """A generic whose maps broadcast the batch dimensions."""
    rank = len(sizes)
    k = AffineExpr.dimension(rank)
    m, n = dims(2, rank - 2)
    left = [*builder.broadcast_exprs(a, sizes)[:-2], m, k]
    right = [*builder.broadcast_exprs(b, sizes)[:-2], k, n]
    return contract(builder, (a, left), (b, right), sizes, dims(rank), [PARALLEL] * rank + [REDUCTION])
