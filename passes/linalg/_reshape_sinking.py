"""Moves a reshape of a kernel's result below the elementwise operation that uses it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from xdsl.dialects import tensor
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IntegerAttr, TensorType, i64
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.linalg.structured import is_structured
from lamina.passes.linalg._unit_dims import groups_of

Groups: TypeAlias = Sequence[Sequence[int]]
View: TypeAlias = tensor.ExpandShapeOp | tensor.CollapseShapeOp


@dataclass(frozen=True)
class Reading:
    """A tensor in another shape, not yet made, and how it is read by the new loops."""

    groups: tuple[tuple[int, ...], ...]
    """For each dimension of the smaller shape those of the larger one."""
    shape: tuple[int, ...]
    exprs: tuple[AffineExpr, ...]


def sunk_below(op: linalg.GenericOp) -> linalg.GenericOp | None:
    """The operation over the shape below one of its inputs' reshapes, with the reshape behind it, or None.

    ``op`` is elementwise on static shapes, its loops are the dimensions of its result.
    """
    for value, attribute in zip(op.inputs, op.indexing_maps, strict=False):
        view = value.owner
        if not isinstance(view, View) or not _is_identity(attribute.data):
            continue
        if not (value.has_one_use() and view.src.has_one_use() and _is_kernel(view.src)):
            continue
        new = _over_source(op, view)
        if new is not None:
            return new
    return None


def _is_kernel(value: SSAValue) -> bool:
    return isinstance(value.owner, Operation) and is_structured(value.owner)


def _is_identity(m: AffineMap) -> bool:
    return m == AffineMap.identity(m.num_dims)


def _over_source(op: linalg.GenericOp, view: View) -> linalg.GenericOp | None:
    groups = groups_of(view)
    loops = _shape(op.res[0])
    source = _shape(view.src)
    expands = isinstance(view, tensor.ExpandShapeOp)
    readings: list[Reading] = []
    for value, attribute in zip(op.inputs, op.indexing_maps, strict=False):
        read = _collapsed if expands else _expanded
        reading = read(_shape(value), attribute.data, groups, loops if expands else source)
        if reading is None:
            return None
        readings.append(reading)
    make = _collapse if expands else _expand
    inputs = [make(value, reading, op) for value, reading in zip(op.inputs, readings, strict=True)]
    empty = tensor.EmptyOp([], TensorType(_element(op.res[0]), source))
    empty.location = op.location
    Rewriter.insert_op(empty, InsertPoint.before(op))
    maps = [AffineMap(len(source), 0, reading.exprs) for reading in readings]
    new = _with_loops(op, inputs, empty.tensor, [*maps, AffineMap.identity(len(source))])
    _replace_by_view(op, new, view)
    return new


def _with_loops(
    op: linalg.GenericOp, inputs: Sequence[SSAValue], output: SSAValue, maps: Sequence[AffineMap]
) -> linalg.GenericOp:
    """The operation with the same body over other loops, inserted before it; the old one loses its body."""
    region = op.body
    op.detach_region(region)
    op.add_region(Region())
    parallel = [IteratorTypeAttr.parallel()] * maps[-1].num_dims
    new = linalg.GenericOp(
        inputs, [output], region, [AffineMapAttr(m) for m in maps], parallel, [output.type]
    )
    new.attributes.update(op.attributes)
    new.location = op.location
    Rewriter.insert_op(new, InsertPoint.before(op))
    return new


def _replace_by_view(op: linalg.GenericOp, new: linalg.GenericOp, view: View) -> None:
    """Replace the old result by a reshape of the new one, like the reshape that was sunk."""
    copy = type(view).create(
        operands=[new.res[0], *view.operands[1:]],
        result_types=[op.res[0].type],
        properties=dict(view.properties),
    )
    copy.location = view.location
    Rewriter.insert_op(copy, InsertPoint.before(op))
    copy.results[0].name_hint = op.res[0].name_hint
    op.res[0].replace_all_uses_with(copy.results[0])
    old_outputs = [value.owner for value in op.outputs]
    op.detach()
    op.erase()
    for dead in (view, *old_outputs):
        if isinstance(dead, tensor.EmptyOp | View) and dead.parent is not None and not dead.results[0].uses:
            dead.detach()
            dead.erase()


def _collapsed(shape: Sequence[int], m: AffineMap, groups: Groups, loops: Sequence[int]) -> Reading | None:
    """How an operand is read when each group of loops becomes one loop, or None where that cannot be."""
    group_of = {d: g for g, group in enumerate(groups) for d in group}
    parts: list[tuple[int | None, list[int]]] = []
    for position, expr in enumerate(m.results):
        group = _group(expr, group_of)
        if group == -1:
            return None
        if parts and (group is None or parts[-1][0] in (group, None)):
            kept = parts[-1][0] if group is None else group
            parts[-1] = (kept, [*parts[-1][1], position])
        else:
            parts.append((group, [position]))
    numbers = [g for g, _ in parts if g is not None]
    if numbers != sorted(set(numbers)):
        return None
    exprs: list[AffineExpr] = []
    for group, positions in parts:
        expr = _collapsed_expr(shape, m, positions, group, groups, loops)
        if expr is None:
            return None
        exprs.append(expr)
    sizes = tuple(prod(shape[p] for p in positions) for _, positions in parts)
    return Reading(tuple(tuple(positions) for _, positions in parts), sizes, tuple(exprs))


def _group(expr: AffineExpr, group_of: dict[int, int]) -> int | None:
    """The group of a loop; None for a constant 0 and loops of no group (extent 1); -1 for anything else."""
    if isinstance(expr, AffineDimExpr):
        return group_of.get(expr.position)
    return None if isinstance(expr, AffineConstantExpr) and expr.value == 0 else -1


def _collapsed_expr(
    shape: Sequence[int],
    m: AffineMap,
    positions: Sequence[int],
    group: int | None,
    groups: Groups,
    loops: Sequence[int],
) -> AffineExpr | None:
    """The new loop if the dimensions are all of the group's that count, 0 if they are none of them."""
    if group is None or all(shape[p] == 1 for p in positions):
        whole = group is not None and all(loops[d] == 1 for d in groups[group])
        return AffineExpr.dimension(group) if whole and group is not None else AffineExpr.constant(0)
    wanted = [d for d in groups[group] if loops[d] != 1]
    read = [e.position for p in positions if isinstance(e := m.results[p], AffineDimExpr) and shape[p] != 1]
    return AffineExpr.dimension(group) if read == wanted else None


def _expanded(shape: Sequence[int], m: AffineMap, groups: Groups, source: Sequence[int]) -> Reading | None:
    """How an operand is read when each loop becomes a group of loops, or None where that cannot be."""
    parts: list[tuple[int, ...]] = []
    sizes: list[int] = []
    exprs: list[AffineExpr] = []
    for extent, expr in zip(shape, m.results, strict=True):
        start = len(sizes)
        if isinstance(expr, AffineDimExpr) and prod(source[d] for d in groups[expr.position]) == extent:
            group = groups[expr.position]
            sizes += [source[d] for d in group]
            exprs += [AffineExpr.dimension(d) for d in group]
        elif isinstance(expr, AffineConstantExpr) and expr.value == 0:
            sizes.append(extent)
            exprs.append(expr)
        else:
            return None
        parts.append(tuple(range(start, len(sizes))))
    return Reading(tuple(parts), tuple(sizes), tuple(exprs))


def _collapse(value: SSAValue, reading: Reading, before: Operation) -> SSAValue:
    if all(len(group) == 1 for group in reading.groups):
        return value
    view = value.owner
    if isinstance(view, tensor.ExpandShapeOp) and _shape(view.src) == reading.shape:
        return view.src
    kind = TensorType(_element(value), reading.shape)
    op = tensor.CollapseShapeOp(
        operands=[value], result_types=[kind], properties={"reassociation": _reassociation(reading.groups)}
    )
    return _insert(op, before)


def _expand(value: SSAValue, reading: Reading, before: Operation) -> SSAValue:
    if all(len(group) == 1 for group in reading.groups):
        return value
    view = value.owner
    if isinstance(view, tensor.CollapseShapeOp) and _shape(view.src) == reading.shape:
        return view.src
    kind = TensorType(_element(value), reading.shape)
    return _insert(
        tensor.ExpandShapeOp(value, [], _reassociation(reading.groups), reading.shape, kind), before
    )


def _insert(op: Operation, before: Operation) -> SSAValue:
    op.location = before.location
    Rewriter.insert_op(op, InsertPoint.before(before))
    return op.results[0]


def _reassociation(groups: Groups) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    return ArrayAttr(ArrayAttr(IntegerAttr(i, i64) for i in group) for group in groups)


def _shape(value: SSAValue) -> tuple[int, ...]:
    assert isinstance(value.type, TensorType)
    return value.type.get_shape()


def _element(value: SSAValue) -> Attribute:
    assert isinstance(value.type, TensorType)
    return value.type.element_type
