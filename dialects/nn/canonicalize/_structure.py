"""What the simplifications of structured ops share: building replacements and reading static facts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from lamina.dialects.nn.base import DYNAMIC, NnOp, ShapeError, make
from lamina.dialects.nn.canonicalize._simplification import simplification


def extents(value: SSAValue) -> tuple[int, ...]:
    """The shape of a tensor value, with :data:`DYNAMIC` for unknown extents."""
    assert isinstance(value.type, TensorType)
    return tuple(value.type.get_shape())


def is_static(value: SSAValue) -> bool:
    """Whether every extent of a tensor is known."""
    return DYNAMIC not in extents(value)


def like(op: NnOp, name: str, operands: Sequence[SSAValue], **attributes: Any) -> NnOp | None:
    """An op of another name with the result type of ``op``; None where that type would not fit."""
    made = make(name, operands, [op.results[0].type], **attributes)
    try:
        made.infer()
    except ShapeError:
        made.drop_all_references()
        return None
    return made


def reshape_like(op: NnOp, value: SSAValue) -> NnOp | SSAValue | None:
    """``value`` reshaped to the result of ``op``; None where more than one extent is unknown."""
    if value.type == op.results[0].type:
        return value
    shape = extents(op.results[0])
    if shape.count(DYNAMIC) > 1 or (DYNAMIC in shape and 0 in shape):
        return None
    return like(op, "nn.reshape", [value], shape=[-1 if e == DYNAMIC else e for e in shape])


def changed(op: NnOp, **attributes: Any) -> NnOp:
    """The same op with some attributes replaced."""
    return make(op.name, op.operands, [r.type for r in op.results], **{**op.properties, **attributes})


def rank_of(op: NnOp) -> int:
    """The rank of an op's first operand."""
    return len(extents(op.operands[0]))


def nonnegative_axis(op: NnOp) -> NnOp | None:
    """Write an axis that counts from the back as one that counts from the front."""
    axis = op.attribute("axis")
    return changed(op, axis=axis + rank_of(op)) if axis < 0 else None


def nonnegative_axes(op: NnOp) -> NnOp | None:
    """Write a set of axes in ascending order, counted from the front."""
    axes = op.attribute("axes")
    wanted = sorted(axis % rank_of(op) for axis in axes)
    return changed(op, axes=wanted) if list(axes) != wanted else None


def register(rule: Callable[[Any], Any], *names: str) -> None:
    """Register a shared simplification for ops by name."""
    simplification(*names)(rule)
