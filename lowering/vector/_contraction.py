"""One step of a sum of products as ``vector.contract``."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import vector
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from lamina.dialects.vector.contraction import ContractOp, IteratorKind, IteratorTypeAttr
from lamina.lowering.vector._access import Access, Structured
from lamina.lowering.vector._combiner import product
from lamina.lowering.vector._emitter import Emitter
from lamina.lowering.vector._tile import Source, Tile, read


def contracted_loop(of: Structured, tile: Tile) -> int | None:
    """The reduction loop over which a step is a contraction; None where it is no plain sum of products.

    It is plain if the body is one multiplication of both inputs and one addition, and each vector loop
    runs through one of the factors only.
    """
    pair = product(of)
    if len(of.inputs) != 2 or len(of.outputs) != 1 or pair is None or not tile.dims:
        return None
    if len(list(of.body.ops)) != 3 or set(pair[1].operands) != set(of.body.args[:2]):
        return None
    lhs, rhs = of.input_accesses
    if any(_moves(lhs, loop) == _moves(rhs, loop) for loop, _ in tile.dims):
        return None
    shared = [loop for loop in of.reductions if _is_dimension(lhs, loop) and _is_dimension(rhs, loop)]
    return max(shared) if shared else None


def _moves(access: Access, loop: int) -> bool:
    return any(expression.coefficient(loop) for expression in access)


def _is_dimension(access: Access, loop: int) -> bool:
    return any(expression.is_loop() == loop for expression in access)


def contract(
    emitter: Emitter, factors: Sequence[Source], accumulator: SSAValue, tile: Tile, loop: int
) -> SSAValue:
    """The accumulator plus the product of two factors at a tile, contracted over one iteration of a loop."""
    iterators = [d for d, _ in tile.dims] + [loop]
    sizes = {**dict(tile.dims), loop: 1}
    values: list[SSAValue] = []
    maps: list[AffineMapAttr] = []
    for factor in factors:
        moving = [d for expression in factor.access for d in iterators if expression.coefficient(d)]
        values.append(read(emitter, factor, Tile(tile.offsets, tuple((d, sizes[d]) for d in moving))))
        maps.append(_projection(iterators, moving))
    maps.append(_projection(iterators, iterators[:-1]))
    kinds = [IteratorTypeAttr(IteratorKind.PARALLEL)] * len(tile.dims)
    kinds.append(IteratorTypeAttr(IteratorKind.REDUCTION))
    kind = vector.CombiningKindAttr(CombiningKindFlag.ADD)
    return emitter.value(ContractOp(values[0], values[1], accumulator, maps, kinds, kind))


def _projection(iterators: list[int], loops: list[int]) -> AffineMapAttr:
    results = tuple(AffineDimExpr(iterators.index(loop)) for loop in loops)
    return AffineMapAttr(AffineMap(len(iterators), 0, results))
