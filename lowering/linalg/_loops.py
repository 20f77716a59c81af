"""Loops that carry tensors, for what no linalg operation expresses: a turn sees what the last one wrote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region, SSAValue

from lamina.lowering.linalg._builder import LinalgBuilder, Size, element
from lamina.lowering.linalg._scalars import Scalars

LoopBody: TypeAlias = "Callable[[LinalgBuilder, list[SSAValue], list[SSAValue]], Sequence[SSAValue]]"
"""``body(builder, indices, carried) -> next values``."""


def loop_nest(
    builder: LinalgBuilder, bounds: Sequence[Size], carried: Sequence[SSAValue], body: LoopBody
) -> list[SSAValue]:
    """Nested ``scf.for`` from 0 to each bound, which carry values; returns them after the last turn."""
    return _nest(builder, list(bounds), [], list(carried), body)


def _nest(
    builder: LinalgBuilder,
    bounds: list[Size],
    indices: list[SSAValue],
    carried: list[SSAValue],
    body: LoopBody,
) -> list[SSAValue]:
    if not bounds:
        return list(body(builder, indices, carried))

    def turn(inner: LinalgBuilder, index: SSAValue, values: list[SSAValue]) -> Sequence[SSAValue]:
        return _nest(inner, bounds[1:], [*indices, index], values, body)

    return loop(builder, 0, bounds[0], 1, carried, turn)


def loop(
    builder: LinalgBuilder,
    start: Size,
    end: Size,
    step: Size,
    carried: Sequence[SSAValue],
    body: Callable[[LinalgBuilder, SSAValue, list[SSAValue]], Sequence[SSAValue]],
) -> list[SSAValue]:
    """One ``scf.for``; ``body(builder, index, carried)`` returns what the next turn carries."""
    block = Block(arg_types=[IndexType(), *(value.type for value in carried)])
    index, *values = block.args
    inner = builder.within(block)
    for value, before in zip(values, carried, strict=True):
        inner.remember_like(value, before)
    given = body(inner, index, list(values))
    inner.insert(scf.YieldOp(*given))
    op = scf.ForOp(
        builder.index(start), builder.index(end), builder.index(step), list(carried), Region(block)
    )
    builder.insert(op)
    for result, before in zip(op.results, carried, strict=True):
        builder.remember_like(result, before)
    return list(op.results)


def read(s: Scalars, source: SSAValue, place: Sequence[SSAValue]) -> SSAValue:
    """An element of a tensor."""
    return s.emit(tensor.ExtractOp(source, list(place), element(source.type)))


def write(s: Scalars, value: SSAValue, into: SSAValue, place: Sequence[SSAValue]) -> SSAValue:
    """A tensor with one element replaced."""
    return s.emit(tensor.InsertOp(value, into, list(place)))
