"""Derivatives of parts of tensors at places that are values, and of casts of shapes (``tensor`` dialect)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir import Operation

from lamina.dialects.nn.derivatives._rules import Adjoint, linear
from lamina.dialects.nn.derivatives._terms import Term


def _put(term: Term, op: Operation) -> Term:
    """The result of a new op."""
    term.insert(op)
    return Term(op.results[0], term.insert)


@linear("tensor.cast")
def _(at: Adjoint) -> Sequence[Term | None]:
    kind = at.operands[0].type
    return [_put(at.grad, type(at.op).create(operands=[at.grad.value], result_types=[kind]))]


@linear("tensor.extract_slice")
def _(at: Adjoint) -> Sequence[Term | None]:
    zeros = at.operands[0].splat(0.0)
    return [_inserted(at.grad, zeros, at.op), *[None] * (len(at.operands) - 1)]


@linear("tensor.insert_slice")
def _(at: Adjoint) -> Sequence[Term | None]:
    from xdsl.dialects.tensor import ExtractSliceOp

    op: Any = at.op
    part = ExtractSliceOp.build(
        operands=[at.grad.value, list(op.offsets), list(op.sizes), list(op.strides)],
        result_types=[at.operands[0].type],
        properties=_places(op),
    )
    rest = _inserted(at.operands[0].splat(0.0), at.grad, at.op)
    return [_put(at.grad, part), rest, *[None] * (len(at.operands) - 2)]


def _inserted(part: Term, into: Term, op: Any) -> Term:
    """A part put into a tensor at the places of a slicing op."""
    from xdsl.dialects.tensor import InsertSliceOp

    insertion = InsertSliceOp.build(
        operands=[part.value, into.value, list(op.offsets), list(op.sizes), list(op.strides)],
        result_types=[into.type],
        properties=_places(op),
    )
    return _put(part, insertion)


def _places(op: Any) -> dict[str, Any]:
    return {name: op.properties[name] for name in ("static_offsets", "static_sizes", "static_strides")}
