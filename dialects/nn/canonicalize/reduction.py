"""Simplifications of reductions."""

from __future__ import annotations

from xdsl.ir import SSAValue

from lamina.dialects.nn.base import NnOp
from lamina.dialects.nn.canonicalize._simplification import constant_like, simplification
from lamina.dialects.nn.canonicalize._structure import (
    extents,
    nonnegative_axes,
    nonnegative_axis,
    register,
    reshape_like,
)
from lamina.dialects.nn.constant import ConstantOp

REDUCTIONS = tuple(f"nn.reduce_{kind}" for kind in ("sum", "mean", "prod", "max", "min", "and", "or"))

register(nonnegative_axes, *REDUCTIONS)
register(nonnegative_axis, "nn.argmax", "nn.argmin")


@simplification(*REDUCTIONS)
def reduce_of_single_elements(op: NnOp) -> SSAValue | NnOp | None:
    """A reduction over extents of 1 (or over no axis) only drops dimensions."""
    x = op.operands[0]
    shape = extents(x)
    return reshape_like(op, x) if all(shape[axis] == 1 for axis in op.attribute("axes")) else None


@simplification("nn.argmax", "nn.argmin")
def arg_of_single_elements(op: NnOp) -> ConstantOp | None:
    """The only index along an extent of 1 is 0."""
    single = extents(op.operands[0])[op.attribute("axis")] == 1
    return constant_like(op.results[0], 0) if single else None
