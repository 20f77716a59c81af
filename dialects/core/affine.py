"""Affine expressions built and simplified as upstream builds them, semi-affine ones included.

xDSL's operators refuse symbols as factors and divisors, and simplify differently; text that is printed again
has to show the expression that upstream would show. Each function here takes and gives xDSL's
:class:`~xdsl.ir.affine.AffineExpr`.
"""

from __future__ import annotations

import math

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)

Add, Mul = AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul
Mod, FloorDiv, CeilDiv = AffineBinaryOpKind.Mod, AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.CeilDiv
_LOWEST, _HIGHEST = -(1 << 63), (1 << 63) - 1


def is_symbolic(expr: AffineExpr) -> bool:
    """Whether no dimension occurs in an expression."""
    if isinstance(expr, AffineBinaryOpExpr):
        return is_symbolic(expr.lhs) and is_symbolic(expr.rhs)
    return not isinstance(expr, AffineDimExpr)


def largest_known_divisor(expr: AffineExpr) -> int:
    """The largest number that is known to divide the value of an expression (0 for the constant 0)."""
    if isinstance(expr, AffineConstantExpr):
        return abs(expr.value)
    if not isinstance(expr, AffineBinaryOpExpr):
        return 1
    of_lhs = largest_known_divisor(expr.lhs)
    if expr.kind in (FloorDiv, CeilDiv):
        divisor = _constant(expr.rhs)
        return abs(of_lhs // divisor) if divisor and of_lhs % divisor == 0 else 1
    of_rhs = largest_known_divisor(expr.rhs)
    return of_lhs * of_rhs if expr.kind is Mul else math.gcd(of_lhs, of_rhs)


def _constant(expr: AffineExpr) -> int | None:
    return expr.value if isinstance(expr, AffineConstantExpr) else None


def _number(value: int) -> AffineExpr | None:
    """A constant, where it is one of 64 bits."""
    return AffineConstantExpr(value) if _LOWEST <= value <= _HIGHEST else None


def _wrapped(value: int) -> AffineExpr:
    """A constant of 64 bits, as upstream's arithmetic on coefficients gives it."""
    return AffineConstantExpr((value + (1 << 63)) % (1 << 64) - (1 << 63))


def _parts(expr: AffineExpr, kind: AffineBinaryOpKind) -> tuple[AffineExpr, AffineExpr] | None:
    if isinstance(expr, AffineBinaryOpExpr) and expr.kind is kind:
        return expr.lhs, expr.rhs
    return None


def _in_reverse(lhs: AffineExpr, rhs: AffineExpr) -> bool:
    """Whether these are two dimensions, or two symbols, of which the later stands first."""
    if lhs.__class__ is not rhs.__class__ or not isinstance(lhs, AffineDimExpr | AffineSymExpr):
        return False
    return lhs.position > rhs.position  # pyright: ignore[reportAttributeAccessIssue]


def add(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    """``lhs + rhs``: constants to the right, equal terms joined, ``e - e floordiv q * q`` as ``e mod q``."""
    left, right = _constant(lhs), _constant(rhs)
    if left is not None and right is not None:
        return _number(left + right) or AffineBinaryOpExpr(Add, lhs, rhs)
    if left is not None or (is_symbolic(lhs) and not is_symbolic(rhs)) or _in_reverse(lhs, rhs):
        return add(rhs, lhs)
    if right == 0:
        return lhs
    sum_of_lhs = _parts(lhs, Add)
    trailing = _constant(sum_of_lhs[1]) if sum_of_lhs else None
    if sum_of_lhs and trailing is not None and right is not None:
        return add(sum_of_lhs[0], _wrapped(trailing + right))
    (left_term, left_factor), (right_term, right_factor) = _term(lhs), _term(rhs)
    if left_term == right_term:
        return multiply(left_term, _wrapped(left_factor + right_factor))
    if sum_of_lhs and trailing is not None:
        return add(add(sum_of_lhs[0], rhs), sum_of_lhs[1])
    divisor = _remainder_divisor(lhs, rhs)
    if divisor is not None:
        return modulo(lhs, divisor)
    return AffineBinaryOpExpr(Add, lhs, rhs)


def _term(expr: AffineExpr) -> tuple[AffineExpr, int]:
    """An expression as another one times a constant."""
    product = _parts(expr, Mul)
    factor = _constant(product[1]) if product else None
    return (product[0], factor) if product and factor is not None else (expr, 1)


def _remainder_divisor(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr | None:
    """The ``q`` for which ``rhs`` is ``-(lhs floordiv q) * q``, if it is a symbol or a positive constant."""
    product = _parts(rhs, Mul)
    if product is None:
        return None
    inner = _parts(product[0], Mul)
    if inner and _constant(product[1]) == -1:
        quotient = _parts(inner[0], FloorDiv)
        return inner[1] if quotient == (lhs, inner[1]) else None
    quotient = _parts(product[0], FloorDiv)
    divisor = _constant(quotient[1]) if quotient else None
    if quotient and divisor is not None and divisor > 0 and quotient[0] == lhs:
        return quotient[1] if _constant(product[1]) == -divisor else None
    return None


def multiply(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    """``lhs * rhs`` with the constant, or the part without dimensions, to the right."""
    left, right = _constant(lhs), _constant(rhs)
    if left is not None and right is not None:
        return _number(left * right) or AffineBinaryOpExpr(Mul, lhs, rhs)
    if left is not None or not is_symbolic(rhs) or _in_reverse(lhs, rhs):
        return multiply(rhs, lhs)
    if right == 1:
        return lhs
    if right == 0:
        return rhs
    product = _parts(lhs, Mul)
    factor = _constant(product[1]) if product else None
    if product and factor is not None:
        if right is not None:
            return multiply(product[0], _wrapped(factor * right))
        return multiply(multiply(product[0], rhs), product[1])
    return AffineBinaryOpExpr(Mul, lhs, rhs)


def negate(expr: AffineExpr) -> AffineExpr:
    """``-expr``"""
    return multiply(expr, AffineConstantExpr(-1))


def subtract(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    """``lhs - rhs``"""
    return add(lhs, negate(rhs))


def floor_divide(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    """``lhs floordiv rhs``; a division by zero stays as it is."""
    left, right = _constant(lhs), _constant(rhs)
    if not right:
        return AffineBinaryOpExpr(FloorDiv, lhs, rhs)
    if left is not None:
        return _number(left // right) or AffineBinaryOpExpr(FloorDiv, lhs, rhs)
    if right == 1:
        return lhs
    exact = _exact_quotient(lhs, right)
    if exact is not None:
        return exact
    terms = _parts(lhs, Add)
    if terms and any(largest_known_divisor(term) % right == 0 for term in terms):
        return add(floor_divide(terms[0], rhs), floor_divide(terms[1], rhs))
    return AffineBinaryOpExpr(FloorDiv, lhs, rhs)


def ceil_divide(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    """``lhs ceildiv rhs``; a division by zero stays as it is."""
    left, right = _constant(lhs), _constant(rhs)
    if not right:
        return AffineBinaryOpExpr(CeilDiv, lhs, rhs)
    if left is not None:
        return _number(-(-left // right)) or AffineBinaryOpExpr(CeilDiv, lhs, rhs)
    if right == 1:
        return lhs
    return _exact_quotient(lhs, right) or AffineBinaryOpExpr(CeilDiv, lhs, rhs)


def _exact_quotient(lhs: AffineExpr, divisor: int) -> AffineExpr | None:
    """``e * c`` divided by a divisor of ``c``."""
    product = _parts(lhs, Mul)
    factor = _constant(product[1]) if product else None
    if product and factor is not None and factor % divisor == 0:
        return multiply(product[0], AffineConstantExpr(factor // divisor))
    return None


def modulo(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    """``lhs mod rhs``; a divisor that is not positive stays as it is."""
    left, right = _constant(lhs), _constant(rhs)
    if right is None or right < 1:
        return AffineBinaryOpExpr(Mod, lhs, rhs)
    if left is not None:
        return AffineConstantExpr(left % right)
    if largest_known_divisor(lhs) % right == 0:
        return AffineConstantExpr(0)
    terms = _parts(lhs, Add)
    if terms and largest_known_divisor(terms[0]) % right == 0:
        return modulo(terms[1], rhs)
    if terms and largest_known_divisor(terms[1]) % right == 0:
        return modulo(terms[0], rhs)
    inner = _parts(lhs, Mod)
    modulus = _constant(inner[1]) if inner else None
    if inner and modulus is not None and modulus >= 1 and modulus % right == 0:
        return modulo(inner[0], rhs)
    return AffineBinaryOpExpr(Mod, lhs, rhs)


BUILD = {Add: add, Mul: multiply, Mod: modulo, FloorDiv: floor_divide, CeilDiv: ceil_divide}
"""The function that builds each kind of binary expression."""


def substituted(
    expr: AffineExpr, dims: list[AffineExpr] | tuple[AffineExpr, ...], symbols: tuple[AffineExpr, ...] = ()
) -> AffineExpr:
    """An expression with its dimensions and symbols replaced, simplified as it is built anew."""
    if isinstance(expr, AffineConstantExpr):
        return expr
    if isinstance(expr, AffineBinaryOpExpr):
        return BUILD[expr.kind](substituted(expr.lhs, dims, symbols), substituted(expr.rhs, dims, symbols))
    new = dims if isinstance(expr, AffineDimExpr) else symbols
    position: int = expr.position  # pyright: ignore[reportAttributeAccessIssue]
    return new[position] if position < len(new) else expr


def is_identity(map: AffineMap) -> bool:
    """Whether a map gives its dimensions in their order, and nothing else."""
    return len(map.results) == map.num_dims and all(
        isinstance(result, AffineDimExpr) and result.position == i for i, result in enumerate(map.results)
    )
