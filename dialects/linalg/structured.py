"""One view of every structured linalg operation: its indexing maps, iterator types and scalar body.

Loops, fusion, vectorisation and the interpreter read named operations, `linalg.generic`, `linalg.reduce`,
`linalg.broadcast` and `linalg.transpose` through :func:`as_generic`, so each of them knows one form only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from xdsl.dialects.builtin import ShapedType
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.abstract_ops import ElementwiseOperation, LinalgStructuredOperation
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from lamina.dialects.core.diagnostics import error
from lamina.dialects.linalg.indexing import elementwise_maps

IteratorName = Literal["parallel", "reduction", "window"]


@dataclass(frozen=True)
class StructuredView:
    """A structured operation as `linalg.generic` would write it. Unpacks to maps, iterators and body."""

    indexing_maps: tuple[AffineMap, ...]
    """One per operand, inputs first: from loop indices to the indices of the operand."""
    iterator_types: tuple[IteratorName, ...]
    """One per loop."""
    body: Block
    """Takes one element of each operand, yields one of each output. It is the op's own: clone it."""
    inputs: tuple[SSAValue, ...]
    outputs: tuple[SSAValue, ...]

    def __iter__(self):
        return iter((self.indexing_maps, self.iterator_types, self.body))

    @property
    def operands(self) -> tuple[SSAValue, ...]:
        """Inputs, then outputs: in the order of maps and body arguments."""
        return (*self.inputs, *self.outputs)

    def reads_output(self, index: int) -> bool:
        """Whether the body uses the previous element of an output."""
        return bool(self.body.args[len(self.inputs) + index].uses)

    @property
    def is_parallel(self) -> bool:
        """Whether no loop is a reduction."""
        return all(iterator == "parallel" for iterator in self.iterator_types)


def is_structured(op: Operation) -> bool:
    """Whether :func:`as_generic` takes the operation."""
    return isinstance(op, LinalgStructuredOperation | linalg.BroadcastOp | linalg.ReduceOp)


def as_generic(op: Operation) -> StructuredView:
    """The maps, iterator types and body of a structured operation; other operations are an error."""
    match op:
        case linalg.BroadcastOp():
            return _broadcast_view(op)
        case linalg.ReduceOp():
            return _reduce_view(op)
        case ElementwiseOperation():
            maps = tuple(elementwise_maps(op))
            iterators: tuple[IteratorName, ...] = ("parallel",) * maps[-1].num_dims
            return StructuredView(maps, iterators, op.body.block, tuple(op.inputs), tuple(op.outputs))
        case LinalgStructuredOperation():
            return StructuredView(
                tuple(attribute.data for attribute in op.get_indexing_maps()),
                tuple(iterator.data.value for iterator in op.get_iterator_types()),  # pyright: ignore[reportArgumentType]
                op.body.block,
                tuple(op.inputs),
                tuple(op.outputs),
            )
        case _:
            raise error("is not a structured linalg operation", op)


def _broadcast_view(op: linalg.BroadcastOp) -> StructuredView:
    added = set(op.dimensions.get_values())
    rank = _rank(op.init)
    kept = tuple(AffineExpr.dimension(d) for d in range(rank) if d not in added)
    maps = (AffineMap(rank, 0, kept), AffineMap.identity(rank))
    return StructuredView(maps, ("parallel",) * rank, op.hidden_region.block, (op.input,), (op.init,))


def _reduce_view(op: linalg.ReduceOp) -> StructuredView:
    reduced = set(op.dimensions.get_values())
    rank = _rank(op.input)
    kept = tuple(AffineExpr.dimension(d) for d in range(rank) if d not in reduced)
    maps = (AffineMap.identity(rank), AffineMap(rank, 0, kept))
    iterators: tuple[IteratorName, ...] = tuple(
        "reduction" if d in reduced else "parallel" for d in range(rank)
    )
    return StructuredView(maps, iterators, op.region.block, (op.input,), (op.init,))


def _rank(value: SSAValue) -> int:
    return len(value.type.get_shape()) if isinstance(value.type, ShapedType) else 0


@dataclass(frozen=True)
class LoopBound:
    """The extent of a loop: a number, or the size of one dimension of an operand."""

    size: int | None
    """None where the extent is known only at run time."""
    operand: SSAValue
    dimension: int


def loop_bounds(view: StructuredView) -> list[LoopBound]:
    """The extent of each loop, found where a map has the loop index alone. Static sizes are preferred."""
    bounds: list[LoopBound | None] = [None] * len(view.iterator_types)
    for operand, indexing_map in zip(view.operands, view.indexing_maps, strict=True):
        shape = operand.type.get_shape() if isinstance(operand.type, ShapedType) else ()
        for dimension, expression in enumerate(indexing_map.results):
            if not isinstance(expression, AffineDimExpr):
                continue
            held = bounds[expression.position]
            size = shape[dimension] if shape[dimension] >= 0 else None
            if held is None or (held.size is None and size is not None):
                bounds[expression.position] = LoopBound(size, operand, dimension)
    missing = [number for number, bound in enumerate(bounds) if bound is None]
    if missing:
        raise error(f"the extent of loop {missing[0]} cannot be read from any operand: no map has it alone")
    return [bound for bound in bounds if bound is not None]


def static_loop_sizes(view: StructuredView) -> tuple[int | None, ...]:
    """The extents of the loops, None where they are dynamic."""
    return tuple(bound.size for bound in loop_bounds(view))


def projected_dims(indexing_map: AffineMap) -> tuple[int, ...] | None:
    """The loop of each result of a projected permutation, or None where the map is something else.

    A constant 0 (a broadcast dimension of size one) counts as something else.
    """
    dims = tuple(e.position for e in indexing_map.results if isinstance(e, AffineDimExpr))
    if len(dims) != len(indexing_map.results) or len(set(dims)) != len(dims):
        return None
    return dims


def is_constant_map(indexing_map: AffineMap) -> bool:
    """Whether the map reads the same element in each iteration."""
    return all(isinstance(e, AffineConstantExpr) for e in indexing_map.results)


def maps_equal(maps: Sequence[AffineMap]) -> bool:
    """Whether all maps are the same."""
    return all(m == maps[0] for m in maps[1:])
