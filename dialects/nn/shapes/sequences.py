"""Shape rules of sorting and of cumulative operations: the shape stays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import TensorType, i64
from xdsl.ir import Attribute

from lamina.dialects.nn.base import shape_rule
from lamina.dialects.nn.cumulative import CummaxOp, CumminOp, CumprodOp, CumsumOp
from lamina.dialects.nn.kinds import Kind, require_kind
from lamina.dialects.nn.shapes._checks import axis_in, flag, integer, same_element, shape_of
from lamina.dialects.nn.sorting import ArgsortOp, SortOp

Cumulative: TypeAlias = "CumsumOp | CumprodOp | CummaxOp | CumminOp"


@shape_rule("nn.sort", "nn.argsort")
def _(op: SortOp | ArgsortOp) -> Sequence[Attribute]:
    shape = shape_of(op.x)
    axis_in(integer(op, "axis"), len(shape))
    flag(op, "descending")
    kind = same_element(op, [op.x])
    require_kind("x", kind, Kind.ANY)
    return [TensorType(i64 if isinstance(op, ArgsortOp) else kind, shape)]


@shape_rule("nn.cumsum", "nn.cumprod", "nn.cummax", "nn.cummin")
def _(op: Cumulative) -> Sequence[Attribute]:
    shape = shape_of(op.x)
    axis_in(integer(op, "axis"), len(shape))
    flag(op, "reverse")
    kind = same_element(op, [op.x])
    require_kind("x", kind, Kind.NUMBER)
    return [TensorType(kind, shape)]
