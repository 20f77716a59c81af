"""Affine expressions as sums of terms, in which equal and neutral parts meet.

A sum is a number and a coefficient for each term. A term is a dimension, a symbol, a quotient or remainder
by a positive number, or a semi-affine expression that is kept as it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

Kind = AffineBinaryOpKind


@dataclass
class Sum:
    """``number`` plus each term times its coefficient."""

    number: int = 0
    terms: dict[AffineExpr, int] = field(default_factory=dict)

    def add(self, other: Sum, factor: int = 1) -> Sum:
        """This sum and ``factor`` times another."""
        terms = dict(self.terms)
        for term, coefficient in other.terms.items():
            total = terms.get(term, 0) + factor * coefficient
            if total:
                terms[term] = total
            else:
                terms.pop(term, None)
        return Sum(self.number + factor * other.number, terms)

    def expression(self) -> AffineExpr:
        """The sum as an expression."""
        result: AffineExpr | None = None
        for term, coefficient in self.terms.items():
            part = term if coefficient == 1 else _binary(Kind.Mul, term, AffineConstantExpr(coefficient))
            result = part if result is None else _binary(Kind.Add, result, part)
        if result is None:
            return AffineConstantExpr(self.number)
        return result if self.number == 0 else _binary(Kind.Add, result, AffineConstantExpr(self.number))


def _binary(kind: Kind, lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    return AffineBinaryOpExpr(kind, lhs, rhs)


def simplify(expression: AffineExpr) -> AffineExpr:
    """An equal expression in which what cancels is gone."""
    return as_sum(expression).expression()


def as_sum(expression: AffineExpr) -> Sum:
    """An expression as a sum of terms."""
    if isinstance(expression, AffineConstantExpr):
        return Sum(expression.value)
    if isinstance(expression, AffineDimExpr | AffineSymExpr):
        return Sum(0, {expression: 1})
    assert isinstance(expression, AffineBinaryOpExpr)
    left, right = as_sum(expression.lhs), as_sum(expression.rhs)
    match expression.kind:
        case Kind.Add:
            return _with_remainders(left.add(right))
        case Kind.Mul:
            if not right.terms:
                return Sum().add(left, right.number)
            if not left.terms:
                return Sum().add(right, left.number)
        case Kind.FloorDiv:
            if not right.terms and right.number > 0:
                return _quotient(left, right.number)
        case Kind.CeilDiv:
            if not right.terms and right.number > 0:
                return _ceiling(left, right.number)
        case Kind.Mod:
            if not right.terms and right.number > 0:
                return _remainder(left, right.number)
            if _is_multiple(left, right.expression()):
                return Sum()
    return Sum(0, {_binary(expression.kind, left.expression(), right.expression()): 1})


def _split(total: Sum, divisor: int) -> tuple[Sum, Sum]:
    """``total = divisor * first + second``, with the number of the second in 0 to divisor - 1."""
    multiple, rest = Sum(total.number // divisor), Sum(total.number % divisor)
    for term, coefficient in total.terms.items():
        if coefficient % divisor == 0:
            multiple.terms[term] = coefficient // divisor
        else:
            rest.terms[term] = coefficient
    return multiple, rest


def _quotient(total: Sum, divisor: int) -> Sum:
    multiple, rest = _split(total, divisor)
    if not rest.terms:
        return multiple
    common = math.gcd(divisor, *rest.terms.values())
    if common > 1:
        # The number that is less than the common factor never carries.
        rest = Sum(rest.number // common, {t: c // common for t, c in rest.terms.items()})
        divisor //= common
    if len(rest.terms) == 1 and rest.number == 0:
        ((term, coefficient),) = rest.terms.items()
        if (
            coefficient == 1
            and isinstance(term, AffineBinaryOpExpr)
            and isinstance(term.rhs, AffineConstantExpr)
        ):
            if term.kind is Kind.FloorDiv:
                return multiple.add(_quotient(as_sum(term.lhs), term.rhs.value * divisor))
            if term.kind is Kind.Mod and term.rhs.value <= divisor:
                return multiple
    term = _binary(Kind.FloorDiv, rest.expression(), AffineConstantExpr(divisor))
    return multiple.add(Sum(0, {term: 1}))


def _ceiling(total: Sum, divisor: int) -> Sum:
    multiple, rest = _split(total, divisor)
    if not rest.terms:
        return multiple.add(Sum(1 if rest.number else 0))
    if divisor == 1:
        return total
    term = _binary(Kind.CeilDiv, rest.expression(), AffineConstantExpr(divisor))
    return multiple.add(Sum(0, {term: 1}))


def _remainder(total: Sum, divisor: int) -> Sum:
    _, rest = _split(total, divisor)
    if not rest.terms:
        return rest
    common = math.gcd(divisor, rest.number, *rest.terms.values())
    if common > 1:
        inner = Sum(rest.number // common, {t: c // common for t, c in rest.terms.items()})
        return Sum().add(_remainder(inner, divisor // common), common)
    if len(rest.terms) == 1 and rest.number == 0:
        ((term, coefficient),) = rest.terms.items()
        if coefficient == 1 and isinstance(term, AffineBinaryOpExpr) and term.kind is Kind.Mod:
            inner_divisor = term.rhs.value if isinstance(term.rhs, AffineConstantExpr) else 0
            if 0 < inner_divisor <= divisor:
                return Sum(0, {term: 1})
            if inner_divisor and inner_divisor % divisor == 0:
                return _remainder(as_sum(term.lhs), divisor)
    return Sum(0, {_binary(Kind.Mod, rest.expression(), AffineConstantExpr(divisor)): 1})


def _is_multiple(total: Sum, divisor: AffineExpr) -> bool:
    """Whether a sum is ``x - x mod divisor``."""
    for term, coefficient in total.terms.items():
        is_rest = isinstance(term, AffineBinaryOpExpr) and term.kind is Kind.Mod and coefficient == -1
        if is_rest and term.rhs == divisor and total.add(Sum(0, {term: 1})) == as_sum(term.lhs):  # pyright: ignore[reportAttributeAccessIssue]
            return True
    return False


def _with_remainders(total: Sum) -> Sum:
    """``x - (x floordiv c) * c`` is ``x mod c``."""
    for term, coefficient in total.terms.items():
        if not isinstance(term, AffineBinaryOpExpr) or term.kind is not Kind.FloorDiv:
            continue
        divisor = term.rhs.value if isinstance(term.rhs, AffineConstantExpr) else 0
        if divisor <= 0 or coefficient % divisor:
            continue
        factor = -coefficient // divisor
        numerator = as_sum(term.lhs)
        if (
            factor
            and numerator.terms
            and all(total.terms.get(t, 0) == factor * c for t, c in numerator.terms.items())
        ):
            left = total.add(numerator, -factor).add(Sum(0, {term: coefficient}), -1)
            return left.add(_remainder(numerator, divisor), factor)
    return total
