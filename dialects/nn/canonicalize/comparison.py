"""Simplifications of comparisons and choices."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType

from lamina.dialects.nn.base import make
from lamina.dialects.nn.canonicalize._simplification import (
    Replacement,
    constant_like,
    defining,
    element_type,
    is_constant,
    is_integer,
    simplification,
    splat_value,
)
from lamina.dialects.nn.comparison import ComparisonOp, SelectOp
from lamina.dialects.nn.elementwise import UnaryOp
from lamina.dialects.nn.kinds import Kind, kind_of

_HOLDS_OF_ITSELF = {
    "nn.equal": True,
    "nn.less_equal": True,
    "nn.greater_equal": True,
    "nn.not_equal": False,
    "nn.less": False,
    "nn.greater": False,
}
_OPPOSITE = {
    "nn.equal": "nn.not_equal",
    "nn.not_equal": "nn.equal",
    "nn.less": "nn.greater_equal",
    "nn.greater_equal": "nn.less",
    "nn.greater": "nn.less_equal",
    "nn.less_equal": "nn.greater",
}


@simplification(*_HOLDS_OF_ITSELF)
def compare_with_itself(op: ComparisonOp) -> Replacement:
    """x == x -> true, x < x -> false, …; not for floats, as x may be NaN."""
    if op.lhs is not op.rhs or kind_of(element_type(op.lhs)) is Kind.FLOAT:
        return None
    return constant_like(op.result, _HOLDS_OF_ITSELF[op.name])


@simplification("nn.equal", "nn.not_equal")
def compare_with_truth(op: ComparisonOp) -> Replacement:
    """x == true -> x, x == false -> not x, and the reverse for !=, on i1."""
    value = splat_value(op.rhs)
    if value is None or kind_of(element_type(op.lhs)) is not Kind.BOOLEAN:
        return None
    return op.lhs if bool(value) == (op.name == "nn.equal") else make("nn.logical_not", [op.lhs])


@simplification("nn.logical_not")
def negate_comparison(op: UnaryOp) -> Replacement:
    """not (x == y) -> x != y; for integers also not (x < y) -> x >= y (NaN makes both false for floats)."""
    inner = defining(op.operand, *_OPPOSITE)
    if inner is None:
        return None
    exact = inner.name in ("nn.equal", "nn.not_equal") or is_integer(inner.lhs)
    return make(_OPPOSITE[inner.name], [inner.lhs, inner.rhs]) if exact else None


@simplification("nn.select")
def select_known(op: SelectOp) -> Replacement:
    """A condition that is known everywhere, or two equal values, leave nothing to choose."""
    if op.on_true is op.on_false:
        return op.on_true
    condition = splat_value(op.condition)
    if condition is None:
        return None
    return op.on_true if condition else op.on_false


@simplification("nn.select")
def select_by_negated(op: SelectOp) -> Replacement:
    """select(not c, x, y) -> select(c, y, x)."""
    inner = defining(op.condition, "nn.logical_not")
    return None if inner is None else make("nn.select", [inner.operand, op.on_false, op.on_true])


@simplification("nn.select")
def select_truth(op: SelectOp) -> Replacement:
    """select(c, true, false) -> c, select(c, false, true) -> not c."""
    assert isinstance(op.result.type, TensorType)
    if kind_of(op.result.type.element_type) is not Kind.BOOLEAN:
        return None
    if is_constant(op.on_true, True) and is_constant(op.on_false, False):
        return op.condition
    if is_constant(op.on_true, False) and is_constant(op.on_false, True):
        return make("nn.logical_not", [op.condition])
    return None


@simplification("nn.select")
def select_twice_by_one(op: SelectOp) -> Replacement:
    """select(c, select(c, x, y), z) -> select(c, x, z), and the same in the other branch."""
    true, false = defining(op.on_true, "nn.select"), defining(op.on_false, "nn.select")
    if true is not None and true.condition is op.condition:
        return make("nn.select", [op.condition, true.on_true, op.on_false])
    if false is not None and false.condition is op.condition:
        return make("nn.select", [op.condition, op.on_true, false.on_false])
    return None
