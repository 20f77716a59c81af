"""Loops and conditionals that carry n-d vectors carry their rows instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from lamina.lowering.vector._rows import Rows, is_nd, lowers, row_count, row_type


def _expanded_types(types: Sequence[Attribute]) -> list[Attribute]:
    return [kind for type_ in types for kind in _types_of_rows(type_)]


def _types_of_rows(type_: Attribute) -> list[Attribute]:
    return [row_type(type_)] * row_count(type_) if is_nd(type_) else [type_]


def _expand(rows: Rows, values: Sequence[SSAValue]) -> list[SSAValue]:
    return [row for value in values for row in rows.of(value)]


def _split(types: Sequence[Attribute], values: Sequence[SSAValue]) -> Iterator[list[SSAValue]]:
    """The rows of each of several vectors, out of one list."""
    start = 0
    for type_ in types:
        count = len(_types_of_rows(type_))
        yield list(values[start : start + count])
        start += count


@lowers(scf.ForOp)
def _for(rows: Rows, op: Operation) -> bool:
    assert isinstance(op, scf.ForOp)
    types = [value.type for value in op.iter_args]
    if not any(is_nd(type_) for type_ in types):
        return False
    old = op.body.block
    new = Block(arg_types=[IndexType(), *_expanded_types(types)])
    loop = rows.emitter.insert(scf.ForOp(op.lb, op.ub, op.step, _expand(rows, op.iter_args), new))
    loop.attributes |= op.attributes
    old.args[0].replace_all_uses_with(new.args[0])
    for argument, held in zip(old.args[1:], _split(types, new.args[1:]), strict=True):
        rows.define(argument, held)
    for inner in list(old.ops):
        inner.detach()
        new.add_op(inner)
    rows.expanded.add(new)
    rows.lower_block(new)
    for result, held in zip(op.res, _split(types, loop.res), strict=True):
        rows.define(result, held)
    return True


@lowers(scf.IfOp)
def _if(rows: Rows, op: Operation) -> bool:
    assert isinstance(op, scf.IfOp)
    types = [value.type for value in op.output]
    if not any(is_nd(type_) for type_ in types):
        return False
    regions = [op.detach_region(region) for region in list(op.regions)]
    new = scf.IfOp(op.cond, _expanded_types(types), regions[0], regions[1], dict(op.attributes))
    rows.emitter.insert(new)
    for region in regions:
        rows.expanded.add(region.block)
        rows.lower_block(region.block)
    for result, held in zip(op.output, _split(types, new.output), strict=True):
        rows.define(result, held)
    return True


@lowers(scf.YieldOp)
def _yield(rows: Rows, op: Operation) -> bool:
    if op.parent_block() not in rows.expanded:
        return False
    rows.emitter.insert(scf.YieldOp(*_expand(rows, op.operands)))
    return True
