"""Shape rules of operations whose bounds are values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import TensorType, i64
from xdsl.ir import Attribute, SSAValue

from lamina.dialects.core.constants import constant_value
from lamina.dialects.nn.base import DYNAMIC, ShapeError, shape_rule
from lamina.dialects.nn.dynamic_index import ArangeOp, DynamicSliceOp
from lamina.dialects.nn.shapes._checks import (
    axes_in,
    expect_number,
    integers,
    same_element,
    shape_of,
    type_of,
)
from lamina.dialects.nn.shapes.movement import slice_range


@shape_rule("nn.dynamic_slice")
def _(op: DynamicSliceOp) -> Sequence[Attribute]:
    shape = list(shape_of(op.x))
    axes = axes_in(op, len(shape))
    steps = integers(op, "steps", len(axes))
    if 0 in steps:
        raise ShapeError("attribute 'steps' has an entry 0, expected steps other than zero")
    starts, ends = (
        _bounds(value, name, len(axes)) for value, name in ((op.starts, "starts"), (op.ends, "ends"))
    )
    for k, axis in enumerate(axes):
        if starts is None or ends is None or shape[axis] == DYNAMIC:
            shape[axis] = DYNAMIC
        else:
            shape[axis] = slice_range(starts[k], ends[k], steps[k], shape[axis])[1]
    return [TensorType(same_element(op, [op.x]), shape)]


def _bounds(value: SSAValue, name: str, count: int) -> list[int] | None:
    """The entries of a bound if they are constants."""
    kind = type_of(value, name)
    if kind != TensorType(i64, [count]):
        raise ShapeError(f"{name} has type {kind}, expected tensor<{count}xi64> for {count} axes")
    constant = constant_value(value)
    return None if constant is None else constant.tolist()


@shape_rule("nn.arange")
def _(op: ArangeOp) -> Sequence[Attribute]:
    kind = same_element(op, op.operands)
    expect_number(kind)
    for value, name in ((op.start, "start"), (op.limit, "limit"), (op.step, "step")):
        if shape_of(value, name):
            raise ShapeError(f"{name} has type {value.type}, expected a scalar")
    start, limit, step = (constant_value(v) for v in op.operands)
    if start is None or limit is None or step is None:
        return [TensorType(kind, [DYNAMIC])]
    return [TensorType(kind, [arange_count(start, limit, step)])]


def arange_count(start: np.ndarray, limit: np.ndarray, step: np.ndarray) -> int:
    """The number of elements of an arithmetic range."""
    if start.dtype.kind in "iu":
        first, last, by = int(start), int(limit), int(step)
        return max(-((first - last) // by), 0) if by else 0
    first, last, by = float(start), float(limit), float(step)
    return max(int(np.ceil((last - first) / by)), 0) if by else 0
