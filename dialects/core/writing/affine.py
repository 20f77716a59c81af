"""Affine maps and sets as upstream writes them: few parentheses, subtraction where a factor is negative."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
    AffineSymExpr,
)

_ADD, _MUL = AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul
_WORDS = {
    _MUL: " * ",
    AffineBinaryOpKind.FloorDiv: " floordiv ",
    AffineBinaryOpKind.CeilDiv: " ceildiv ",
    AffineBinaryOpKind.Mod: " mod ",
}


def map_text(map: AffineMap) -> str:
    """``(d0, d1)[s0] -> (d0 + s0)``"""
    results = ", ".join(expression_text(result) for result in map.results)
    return f"{_names(map.num_dims, map.num_symbols)} -> ({results})"


def set_text(set: AffineSet) -> str:
    """``(d0)[s0] : (d0 >= 0, d0 - s0 == 0)``"""
    texts: list[str] = []
    for constraint in set.constraints:
        expression, sign = constraint.lhs, " >= 0"
        if not (isinstance(constraint.rhs, AffineConstantExpr) and constraint.rhs.value == 0):
            expression = expression - constraint.rhs
        if constraint.kind is AffineConstraintKind.eq:
            sign = " == 0"
        elif constraint.kind is AffineConstraintKind.le:
            expression = expression * -1
        texts.append(expression_text(expression) + sign)
    return f"{_names(set.num_dims, set.num_symbols)} : ({', '.join(texts)})"


def _names(dims: int, symbols: int) -> str:
    head = f"({', '.join(f'd{i}' for i in range(dims))})"
    return f"{head}[{', '.join(f's{i}' for i in range(symbols))}]" if symbols else head


def expression_text(
    expression: AffineExpr,
    dims: Sequence[str] | None = None,
    symbols: Sequence[str] | None = None,
    tight: bool = False,
) -> str:
    """An expression, with the names of ``dims`` and ``symbols`` (by default ``d0`` and ``s0`` …).

    ``tight`` puts parentheses around what is a sum or product itself.
    """
    if isinstance(expression, AffineDimExpr):
        return dims[expression.position] if dims is not None else f"d{expression.position}"
    if isinstance(expression, AffineSymExpr):
        return symbols[expression.position] if symbols is not None else f"s{expression.position}"
    if isinstance(expression, AffineConstantExpr):
        return str(expression.value)
    assert isinstance(expression, AffineBinaryOpExpr)
    left, right = expression.lhs, expression.rhs
    if expression.kind is _ADD:
        text = expression_text(left, dims, symbols) + _added(right, dims, symbols)
    elif expression.kind is _MUL and isinstance(right, AffineConstantExpr) and right.value == -1:
        text = "-" + expression_text(left, dims, symbols, True)
    else:
        factor = expression_text(left, dims, symbols, True)
        text = factor + _WORDS[expression.kind] + expression_text(right, dims, symbols, True)
    return f"({text})" if tight else text


def _added(term: AffineExpr, dims: Sequence[str] | None, symbols: Sequence[str] | None) -> str:
    """What follows the first term of a sum: ``" + d1"``, ``" - d1"``, ``" - d1 * 2"``, ``" - 3"``."""
    if isinstance(term, AffineBinaryOpExpr) and term.kind is _MUL:
        factor = term.rhs
        if isinstance(factor, AffineConstantExpr) and factor.value < 0:
            if factor.value == -1:
                is_sum = isinstance(term.lhs, AffineBinaryOpExpr) and term.lhs.kind is _ADD
                return " - " + expression_text(term.lhs, dims, symbols, is_sum)
            return f" - {expression_text(term.lhs, dims, symbols, True)} * {-factor.value}"
    if isinstance(term, AffineConstantExpr) and term.value < 0:
        return f" - {-term.value}"
    return " + " + expression_text(term, dims, symbols)
