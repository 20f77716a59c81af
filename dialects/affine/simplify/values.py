"""affine.apply, min and max, and the accesses whose indices are maps."""

from __future__ import annotations

from xdsl.dialects.builtin import AffineMapAttr, IndexType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

from lamina.dialects.affine.simplify.expressions import as_sum
from lamina.dialects.affine.simplify.maps import Applied, replaced
from lamina.dialects.core.folding import POISON, defining_op, integer
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern

_FIRST = {
    "affine.apply": 0,
    "affine.min": 0,
    "affine.max": 0,
    "affine.load": 1,
    "affine.vector_load": 1,
    "affine.prefetch": 1,
    "affine.store": 2,
    "affine.vector_store": 2,
}
"""The first operand of the map of an op."""


def applied_of(op: Operation) -> Applied:
    """The map of an op with its operands."""
    attribute = op.get_attr_or_prop("map")
    assert isinstance(attribute, AffineMapAttr)
    return Applied.of(attribute.data, list(op.operands)[_FIRST[op.name] :])


@pattern(*_FIRST)
def compose_map(op: Operation, rewriter: Rewriter) -> bool:
    """Take in the maps behind the operands."""
    if op.get_attr_or_prop("map") is None:
        return False
    before = applied_of(op)
    after = before.composed()
    if op.name in ("affine.min", "affine.max"):
        after = _without_needless(after, larger=op.name == "affine.max")
    if after == before:
        return False
    first = list(op.operands)[: _FIRST[op.name]]
    rewriter.set_property(op, "map", after.attribute())
    return rewriter.set_operands(op, [*first, *after.operands])


def _without_needless(applied: Applied, *, larger: bool) -> Applied:
    """Of expressions that differ by a number only one can be the least (or greatest)."""
    kept: list[AffineExpr] = []
    for expression in applied.expressions:
        for i, other in enumerate(kept):
            difference = as_sum(expression).add(as_sum(other), -1)
            if not difference.terms:
                if (difference.number > 0) == larger:
                    kept[i] = expression
                break
        else:
            kept.append(expression)
    return Applied(tuple(kept), applied.dims, applied.symbols)


@fold("affine.apply")
def fold_apply(op: Operation) -> Folded:
    """A map that gives a number, or one of its operands."""
    applied = applied_of(op)
    return POISON if _divides_by_zero(applied) else _value_of(applied, applied.expressions[0])


def _divides_by_zero(applied: Applied) -> bool:
    expression = applied.expressions[0]
    return (
        isinstance(expression, AffineBinaryOpExpr)
        and expression.kind not in (AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul)
        and expression.rhs == AffineConstantExpr(0)
    )


def _value_of(applied: Applied, expression: AffineExpr) -> Folded:
    if isinstance(expression, AffineDimExpr):
        return applied.dims[expression.position]
    if isinstance(expression, AffineSymExpr):
        return applied.symbols[expression.position]
    if isinstance(expression, AffineConstantExpr):
        return integer(expression.value, IndexType())
    return None


@fold("affine.min", "affine.max")
def fold_extreme(op: Operation) -> Folded:
    """The least or greatest of numbers, or of one value."""
    applied = applied_of(op)
    if len(applied.expressions) == 1:
        return _value_of(applied, applied.expressions[0])
    numbers = [e.value for e in applied.expressions if isinstance(e, AffineConstantExpr)]
    if len(numbers) < len(applied.expressions):
        return None
    return integer(min(numbers) if op.name == "affine.min" else max(numbers), IndexType())


@pattern("affine.min", "affine.max")
def extreme_of_one(op: Operation, rewriter: Rewriter) -> bool:
    """The least or greatest of one expression is that."""
    applied = applied_of(op)
    if len(applied.expressions) != 1:
        return False
    return rewriter.replace_with(op, "affine.apply", applied.operands, {"map": applied.attribute()})


@pattern("affine.min", "affine.max")
def join_extremes(op: Operation, rewriter: Rewriter) -> bool:
    """A minimum of which an expression is another minimum, and nothing else, takes in its expressions."""
    applied = applied_of(op)
    for i, expression in enumerate(applied.expressions):
        if isinstance(expression, AffineDimExpr):
            value: SSAValue = applied.dims[expression.position]
        elif isinstance(expression, AffineSymExpr):
            value = applied.symbols[expression.position]
        else:
            continue
        inner = defining_op(value, op.name)
        if inner is None:
            continue
        other = applied_of(inner)
        shift = (len(applied.dims), len(applied.symbols))
        dims: list[AffineExpr] = [AffineDimExpr(shift[0] + j) for j in range(len(other.dims))]
        symbols: list[AffineExpr] = [AffineSymExpr(shift[1] + j) for j in range(len(other.symbols))]
        taken = [replaced(e, dims, symbols) for e in other.expressions]
        expressions = [*applied.expressions[:i], *applied.expressions[i + 1 :], *taken]
        joined = Applied(tuple(expressions), applied.dims + other.dims, applied.symbols + other.symbols)
        joined = joined.composed()
        rewriter.set_property(op, "map", joined.attribute())
        return rewriter.set_operands(op, joined.operands)
    return False


@pattern("affine.load", "affine.store", "affine.vector_load", "affine.vector_store", "affine.prefetch")
def access_before_cast(op: Operation, rewriter: Rewriter) -> bool:
    """Memory is accessed as it was before a cast that only forgets sizes."""
    from lamina.dialects.memref.simplify.casts import uncast_operands

    return uncast_operands(op, rewriter)
