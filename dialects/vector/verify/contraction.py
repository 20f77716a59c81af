"""``vector.contract``: maps, pairs of dimensions, the shape of the result."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import IntegerType, VectorType
from xdsl.ir import Operation
from xdsl.ir.affine import AffineDimExpr, AffineMap

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.verifying.groups import attribute
from lamina.dialects.core.verifying.leaves import signless
from lamina.dialects.core.verifying.registry import verifies
from lamina.dialects.core.verifying.shapes import element_or_self, rank_of, shape_of
from lamina.dialects.vector.verify.reductions import combines, kind_of

_KIND = "expected 'kind' attribute of type CombiningKind (e.g. 'vector.kind<add>')"
Pairs = list[tuple[int, int]]


@verifies("vector.contract")
def _contract(op: Operation) -> None:
    left: Any = op.operands[0].type
    right: Any = op.operands[1].type
    if isinstance(left.element_type, IntegerType) and not signless(left.element_type):
        raise error("only supports signless integer types", op)
    maps: list[AffineMap] = [entry.data for entry in attribute(op, "indexing_maps").data]
    kinds = [str(entry.data) for entry in attribute(op, "iterator_types").data]
    if len(maps) != 3:
        raise error("expected an indexing map for each vector operand", op)
    for number, map in enumerate(maps):
        _check_map(op, number, map, len(kinds))
    contracting, batch = (_pairs(maps, kinds, kind) for kind in ("reduction", "parallel"))
    if not contracting:
        raise error("expected at least one contracting dimension pair", op)
    for pairs, what in ((contracting, "contracting"), (batch, "batch")):
        if any(shape_of(left)[a] != shape_of(right)[b] for a, b in pairs):
            raise error(f"invalid {what} dimension map", op)
    _check_result(op, maps, contracting, batch)
    kind: Any = attribute(op, "kind")
    if kind is None:
        raise error(_KIND, op)
    if not combines(kind_of(op), element_or_self(op.results[0].type)):
        raise error("unsupported contraction type", op)


def _check_map(op: Operation, number: int, map: AffineMap, iterators: int) -> None:
    prefix = f"expected indexing map {number} to"
    if map.num_symbols:
        raise error(f"{prefix} have no symbols", op)
    type: Any = op.operands[number].type
    rank = rank_of(type) if isinstance(type, VectorType) else 0
    if map.num_dims != iterators:
        raise error(f"{prefix} have {iterators} number of inputs", op)
    if len(map.results) != rank:
        raise error(f"{prefix} have {rank} number of outputs", op)
    positions = _positions(map)
    if len(positions) != len(map.results) or len(set(positions)) != len(positions):
        raise error(f"{prefix} be a projected permutation of its inputs", op)


def _positions(map: AffineMap) -> list[int]:
    return [expr.position for expr in map.results if isinstance(expr, AffineDimExpr)]


def _pairs(maps: list[AffineMap], kinds: list[str], kind: str) -> Pairs:
    """The dimensions of the two factors that an iterator of a kind runs through together."""
    first, second = _positions(maps[0]), _positions(maps[1])
    return [
        (first.index(i), second.index(i))
        for i, found in enumerate(kinds)
        if found == kind and i in first and i in second
    ]


def _check_result(op: Operation, maps: list[AffineMap], contracting: Pairs, batch: Pairs) -> None:
    left: Any = op.operands[0].type
    right: Any = op.operands[1].type
    accumulator: Any = op.operands[2].type
    result: Any = op.results[0].type
    shared = {b for _, b in (*contracting, *batch)}
    free = rank_of(left) - len(contracting) + sum(1 for i in range(rank_of(right)) if i not in shared)
    vectors = isinstance(result, VectorType), isinstance(accumulator, VectorType)
    if (free and not all(vectors)) or (not free and any(vectors)):
        raise error("invalid accumulator/result vector shape", op)
    if not free:
        return
    extents: dict[int, int] = {}
    for map, type in zip(maps, (left, right), strict=False):
        extents.update(zip(_positions(map), shape_of(type), strict=True))
    if len(extents) != maps[0].num_dims:
        raise error("expected all dimensions to be either a LHS or a RHS dimension", op)
    shape = [extents[i] for i in _positions(maps[2])]
    expected = VectorType(result.element_type, shape, result.scalable_dims)
    if result != expected or accumulator != expected:
        raise error(f"invalid accumulator/result vector shape, expected: '{expected}'", op)
