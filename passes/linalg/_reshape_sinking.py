"""Moves a reshape of a kernel's result below the operation that uses it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from xdsl.dialects import tensor
from xdsl.dialects.builtin import AffineMapAttr, TensorType
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.core.reshapes import groups_attribute
from lamina.dialects.linalg.structured import is_structured
from lamina.dialects.tensor.extension import ExpandShapeOp
from lamina.passes.linalg._loop_reshaping import Groups, Reading, collapsed, expanded
from lamina.passes.linalg._unit_dims import groups_of

View: TypeAlias = tensor.ExpandShapeOp | tensor.CollapseShapeOp


def sunk_below(op: linalg.GenericOp, made: set[Operation]) -> linalg.GenericOp | None:
    """The operation over the shape below one of its inputs' reshapes, with the reshape behind it, or None.

    ``op`` has one result and static shapes. The input is read by all loops in order. Reshapes that its
    other inputs get for that are added to ``made``; those that are in it do not move: two kernels' results of
    different shapes would take turns for ever.
    """
    for value, attribute in zip(op.inputs, op.indexing_maps, strict=False):
        if attribute.data != AffineMap.identity(attribute.data.num_dims):
            continue
        view = _composed(value.owner)
        if view is None or view in made:
            continue
        if isinstance(view, tensor.CollapseShapeOp) and not _merges(view):
            continue
        if isinstance(view.src.owner, Operation) and is_structured(view.src.owner):
            new = _over_source(op, view, made)
            if new is not None:
                return new
    return None


def _composed(view: object) -> View | None:
    """The reshape itself, or for two that expand one after the other a new one that does both."""
    if not isinstance(view, View):
        return None
    inner = view.src.owner
    while isinstance(view, tensor.ExpandShapeOp) and isinstance(inner, tensor.ExpandShapeOp):
        outer = groups_of(view)
        groups = [[d for g in group for d in outer[g]] for group in groups_of(inner)]
        shape = _shape(view.result)
        kind = TensorType(_element(view.result), shape)
        both = ExpandShapeOp(inner.src, [], groups_attribute(groups), shape, kind)
        both.location = view.location
        Rewriter.replace_op(view, both)
        if not inner.result.uses:
            Rewriter.erase_op(inner)
        view, inner = both, both.src.owner
    return view


def _merges(view: tensor.CollapseShapeOp) -> bool:
    """Whether a view merges extents other than 1: dropping those of 1 leaves simpler loops, and stays."""
    shape = _shape(view.src)
    return any(sum(shape[d] != 1 for d in group) > 1 for group in groups_of(view))


def _over_source(op: linalg.GenericOp, view: View, made: set[Operation]) -> linalg.GenericOp | None:
    groups = groups_of(view)
    expands = isinstance(view, tensor.ExpandShapeOp)
    iterators = _iterators(op, groups, expands)
    if iterators is None or not _starts_anew(op.outputs[0]):
        return None
    wide = _shape(view.result if expands else view.src)
    read = collapsed if expands else expanded
    readings: list[Reading] = []
    for value, attribute in zip(op.operands, op.indexing_maps, strict=True):
        reading = read(_shape(value), attribute.data, groups, wide)
        if reading is None or (_changes(reading) and isinstance(value.owner, tensor.ExtractSliceOp)):
            return None
        readings.append(reading)
    make = _collapse if expands else _expand
    inputs = [make(value, reading, op) for value, reading in zip(op.inputs, readings, strict=False)]
    for old, new in zip(op.inputs, inputs, strict=True):
        if isinstance(new.owner, View) and new.owner.src is old:
            made.add(new.owner)
    output = _output_of(op.outputs[0], readings[-1].shape, op)
    moved = _with_loops(op, inputs, output, readings, iterators)
    undo = _expand if expands else _collapse
    _replace(op, undo(moved.res[0], Reading(readings[-1].groups, _shape(op.res[0]), ()), op))
    return moved


def _iterators(op: linalg.GenericOp, groups: Groups, expands: bool) -> list[IteratorTypeAttr] | None:
    """The kinds of the new loops; None where a group of loops has both kinds."""
    kinds = list(op.iterator_types)
    if not expands:
        return [kinds[g] for g, group in enumerate(groups) for _ in group]
    if any(len({kinds[d] for d in group}) > 1 for group in groups):
        return None
    return [kinds[group[0]] for group in groups]


def _starts_anew(output: SSAValue) -> bool:
    """Whether an output is an empty tensor, or one filled."""
    owner = output.owner
    if isinstance(owner, linalg.FillOp):
        owner = owner.operands[1].owner
    return isinstance(owner, tensor.EmptyOp)


def _changes(reading: Reading) -> bool:
    return any(len(group) > 1 for group in reading.groups)


def _output_of(old: SSAValue, shape: Sequence[int], before: Operation) -> SSAValue:
    """An output like the old one in another shape: empty, or filled."""
    empty = _insert(tensor.EmptyOp([], TensorType(_element(old), shape)), before)
    fill = old.owner
    if isinstance(fill, Operation) and isinstance(fill, linalg.FillOp):
        return _insert(linalg.FillOp([fill.operands[0]], [empty]), before)
    return empty


def _with_loops(
    op: linalg.GenericOp,
    inputs: Sequence[SSAValue],
    output: SSAValue,
    readings: Sequence[Reading],
    iterators: Sequence[IteratorTypeAttr],
) -> linalg.GenericOp:
    """The operation with the same body over other loops, inserted before it; the old one loses its body."""
    region = op.body
    op.detach_region(region)
    op.add_region(Region())
    maps = [AffineMapAttr(AffineMap(len(iterators), 0, reading.exprs)) for reading in readings]
    new = linalg.GenericOp(inputs, [output], region, maps, iterators, [output.type])
    new.attributes.update(op.attributes)
    _insert(new, op)
    return new


def _replace(op: linalg.GenericOp, result: SSAValue) -> None:
    """Replace the old operation's result, and remove what nobody uses any more."""
    result.name_hint = op.res[0].name_hint
    op.res[0].replace_all_uses_with(result)
    pending = [value.owner for value in op.operands]
    op.detach()
    op.erase()
    while pending:
        dead = pending.pop()
        if not isinstance(dead, tensor.EmptyOp | linalg.FillOp | View) or dead.parent is None:
            continue
        if not any(r.uses for r in dead.results):
            pending.extend(value.owner for value in dead.operands)
            dead.detach()
            dead.erase()


def _collapse(value: SSAValue, reading: Reading, before: Operation) -> SSAValue:
    if not _changes(reading) and len(reading.shape) == len(_shape(value)):
        return value
    view = value.owner
    if isinstance(view, tensor.ExpandShapeOp) and _shape(view.src) == reading.shape:
        return view.src
    kind = TensorType(_element(value), reading.shape)
    properties = {"reassociation": groups_attribute(reading.groups)}
    return _insert(
        tensor.CollapseShapeOp(operands=[value], result_types=[kind], properties=properties), before
    )


def _expand(value: SSAValue, reading: Reading, before: Operation) -> SSAValue:
    if not _changes(reading) and len(reading.shape) == len(_shape(value)):
        return value
    view = value.owner
    if isinstance(view, tensor.CollapseShapeOp) and _shape(view.src) == reading.shape:
        return view.src
    kind = TensorType(_element(value), reading.shape)
    return _insert(ExpandShapeOp(value, [], groups_attribute(reading.groups), reading.shape, kind), before)


def _insert(op: Operation, before: Operation) -> SSAValue:
    op.location = before.location
    Rewriter.insert_op(op, InsertPoint.before(before))
    return op.results[0]


def _shape(value: SSAValue) -> tuple[int, ...]:
    assert isinstance(value.type, TensorType)
    return value.type.get_shape()


def _element(value: SSAValue) -> Attribute:
    assert isinstance(value.type, TensorType)
    return value.type.element_type
