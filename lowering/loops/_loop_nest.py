"""Loop nests for structured operations on buffers: loads, the cloned scalar body, stores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerAttr, MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.core.diagnostics import error
from lamina.dialects.linalg.structured import LoopBound, StructuredView, as_generic, loop_bounds
from lamina.dialects.scf.extension import ParallelOp

_BINARY: dict[AffineBinaryOpKind, type[Operation]] = {
    AffineBinaryOpKind.Add: arith.AddiOp,
    AffineBinaryOpKind.Mul: arith.MuliOp,
    AffineBinaryOpKind.FloorDiv: arith.FloorDivSIOp,
    AffineBinaryOpKind.CeilDiv: arith.CeilDivSIOp,
}


@dataclass
class LoopNest:
    """A nest of empty loops before an operation, and places to insert code at each depth."""

    anchor: Operation
    """The operation the nest is built for, and before."""
    indices: dict[int, SSAValue] = field(default_factory=dict)
    """The loop index of each iterator."""
    _points: list[InsertPoint] = field(default_factory=list)
    _depth_of: dict[int, int] = field(default_factory=dict)
    """For each iterator, the number of loop ops around the first place that knows its index."""
    _constants: dict[int, SSAValue] = field(default_factory=dict)
    _expressions: dict[AffineExpr, tuple[SSAValue, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._points.append(InsertPoint.before(self.anchor))

    @property
    def depth(self) -> int:
        """The number of loop operations."""
        return len(self._points) - 1

    def emit(self, op: Operation, depth: int | None = None) -> Operation:
        """Insert an operation, by default in the innermost loop."""
        op.location = self.anchor.location
        Rewriter.insert_op(op, self._points[self.depth if depth is None else depth])
        return op

    def constant(self, value: int) -> SSAValue:
        """An index constant, before all loops."""
        if value not in self._constants:
            op = arith.ConstantOp(IntegerAttr(value, IndexType()))
            self._constants[value] = self.emit(op, 0).results[0]
        return self._constants[value]

    def size(self, buffer: SSAValue, dimension: int) -> SSAValue:
        """The extent of a buffer, before all loops."""
        size = cast(MemRefType, buffer.type).get_shape()[dimension]
        if size != DYNAMIC_INDEX:
            return self.constant(size)
        return self.emit(memref.DimOp(buffer, self.constant(dimension)), 0).results[0]

    def open_for(self, iterator: int, bound: SSAValue) -> None:
        """Add an innermost sequential loop from 0 to ``bound`` for an iterator."""
        body = Block([scf.YieldOp()], arg_types=[IndexType()])
        loop = scf.ForOp(self.constant(0), bound, self.constant(1), [], Region(body))
        self._open(loop, body, [iterator])

    def open_parallel(self, iterators: Sequence[int], bounds: Sequence[SSAValue]) -> None:
        """Add innermost loops whose iterations may run concurrently."""
        body = Block([scf.ReduceOp()], arg_types=[IndexType()] * len(bounds))
        zeros, ones = [self.constant(0)] * len(bounds), [self.constant(1)] * len(bounds)
        self._open(ParallelOp(zeros, list(bounds), ones, Region(body)), body, iterators)

    def _open(self, loop: Operation, body: Block, iterators: Sequence[int]) -> None:
        self.emit(loop)
        self._points[-1] = InsertPoint.before(loop)
        last = cast(Operation, body.last_op)
        last.location = self.anchor.location
        self._points.append(InsertPoint.before(last))
        for iterator, argument in zip(iterators, body.args, strict=True):
            self.indices[iterator] = argument
            self._depth_of[iterator] = self.depth

    def fix(self, iterator: int, value: int) -> None:
        """Give an iterator the only value it has: no loop."""
        self.indices[iterator] = self.constant(value)
        self._depth_of[iterator] = 0

    def value_of(self, expression: AffineExpr) -> SSAValue:
        """The value of an affine expression of the loop indices, computed as far out as they allow."""
        return self._value_of(expression)[0]

    def _value_of(self, expression: AffineExpr) -> tuple[SSAValue, int]:
        known = self._expressions.get(expression)
        if known is None:
            known = self._expressions[expression] = self._compute(expression)
        return known

    def _compute(self, expression: AffineExpr) -> tuple[SSAValue, int]:
        match expression:
            case AffineConstantExpr():
                return self.constant(expression.value), 0
            case AffineDimExpr():
                return self.indices[expression.position], self._depth_of[expression.position]
            case AffineBinaryOpExpr():
                if (same := _neutral(expression)) is not None:
                    return self._value_of(same)
                left, left_depth = self._value_of(expression.lhs)
                right, right_depth = self._value_of(expression.rhs)
                depth = max(left_depth, right_depth)
                return self._binary(expression.kind, left, right, depth), depth
            case _:
                raise error(f"the indexing map uses '{expression}', which loops cannot compute", self.anchor)

    def _binary(self, kind: AffineBinaryOpKind, left: SSAValue, right: SSAValue, depth: int) -> SSAValue:
        if kind is AffineBinaryOpKind.Mod:
            # The affine remainder is never negative: the difference to the multiple below.
            below = self.emit(arith.FloorDivSIOp(left, right), depth).results[0]
            product = self.emit(arith.MuliOp(below, right), depth).results[0]
            return self.emit(arith.SubiOp(left, product), depth).results[0]
        op = _BINARY[kind](left, right)  # pyright: ignore[reportCallIssue]
        return self.emit(op, depth).results[0]

    def access(self, indexing_map: AffineMap) -> list[SSAValue]:
        """The indices a map gives."""
        return [self.value_of(expression) for expression in indexing_map.results]


def _neutral(expression: AffineBinaryOpExpr) -> AffineExpr | None:
    """The other side of an addition of 0 or a multiplication by 1."""
    unit = {AffineBinaryOpKind.Add: 0, AffineBinaryOpKind.Mul: 1}.get(expression.kind)
    for side, other in ((expression.lhs, expression.rhs), (expression.rhs, expression.lhs)):
        if unit is not None and isinstance(side, AffineConstantExpr) and side.value == unit:
            return other
    return None


def lower_to_loops(op: Operation, *, parallel: bool) -> None:
    """Replace a structured operation on buffers by loops in the order of its iterators.

    With ``parallel``, neighbouring parallel iterators become one `scf.parallel`.
    """
    view = as_generic(op)
    nest = LoopNest(op)
    open_loops(nest, view.iterator_types, loop_bounds(view), parallel=parallel)
    _emit_body(nest, view)
    op.detach()
    op.erase()


def open_loops(
    nest: LoopNest, iterators: Sequence[str], bounds: Sequence[LoopBound], *, parallel: bool
) -> None:
    """Open a loop for each iterator; extents of one need none."""
    group: list[SSAValue] = []
    pending: list[int] = []

    def close_group() -> None:
        if group:
            nest.open_parallel(pending, group)
            group.clear()
            pending.clear()

    for number, (iterator, bound) in enumerate(zip(iterators, bounds, strict=True)):
        if bound.size == 1:
            nest.fix(number, 0)
            continue
        extent = (
            nest.constant(bound.size) if bound.size is not None else nest.size(bound.operand, bound.dimension)
        )
        if parallel and iterator == "parallel":
            group.append(extent)
            pending.append(number)
        else:
            close_group()
            nest.open_for(number, extent)
    close_group()


def _emit_body(nest: LoopNest, view: StructuredView) -> None:
    scalars: dict[SSAValue, SSAValue] = {}
    for operand, indexing_map, argument in zip(
        view.operands, view.indexing_maps, view.body.args, strict=True
    ):
        if not argument.uses:
            continue
        if isinstance(operand.type, MemRefType):
            scalars[argument] = nest.emit(memref.LoadOp.get(operand, nest.access(indexing_map))).results[0]
        else:
            scalars[argument] = operand
    for op in view.body.ops:
        if isinstance(op, linalg.YieldOp):
            _emit_stores(nest, view, [scalars.get(value, value) for value in op.operands])
        elif isinstance(op, linalg.IndexOp):
            scalars[op.results[0]] = nest.indices[_iterator_of(op)]
        else:
            _clone(nest, op, scalars)


def _iterator_of(op: Operation) -> int:
    return cast(IntegerAttr, op.properties["dim"]).value.data


def _clone(nest: LoopNest, op: Operation, scalars: dict[SSAValue, SSAValue]) -> None:
    """A scalar operation of the body; constants go before all loops."""
    new = op.clone(scalars)
    _replace_indices(nest, new)
    Rewriter.insert_op(new, nest._points[0 if isinstance(op, arith.ConstantOp) else nest.depth])  # pyright: ignore[reportPrivateUsage]
    for old, result in zip(op.results, new.results, strict=True):
        scalars[old] = result


def _replace_indices(nest: LoopNest, op: Operation) -> None:
    """`linalg.index` inside the regions of a body's operation."""
    for inner in list(op.walk()):
        if isinstance(inner, linalg.IndexOp) and inner is not op:
            inner.results[0].replace_all_uses_with(nest.indices[_iterator_of(inner)])
            inner.detach()
            inner.erase()


def _emit_stores(nest: LoopNest, view: StructuredView, values: Sequence[SSAValue]) -> None:
    maps = view.indexing_maps[len(view.inputs) :]
    for value, output, indexing_map in zip(values, view.outputs, maps, strict=True):
        nest.emit(memref.StoreOp.get(value, output, nest.access(indexing_map)))


def copy_with_loops(op: memref.CopyOp, *, parallel: bool) -> None:
    """Replace a copy by loops over its elements."""
    nest = LoopNest(op)
    rank = len(cast(MemRefType, op.source.type).get_shape())
    bounds = [_copy_bound(op, d) for d in range(rank)]
    open_loops(nest, ["parallel"] * rank, bounds, parallel=parallel)
    indices = [nest.indices[d] for d in range(rank)]
    value = nest.emit(memref.LoadOp.get(op.source, indices)).results[0]
    nest.emit(memref.StoreOp.get(value, op.destination, indices))
    op.detach()
    op.erase()


def _copy_bound(op: memref.CopyOp, dimension: int) -> LoopBound:
    for buffer in (op.source, op.destination):
        size = cast(MemRefType, buffer.type).get_shape()[dimension]
        if size != DYNAMIC_INDEX:
            return LoopBound(size, buffer, dimension)
    return LoopBound(None, op.source, dimension)
