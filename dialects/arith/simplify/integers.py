"""Integer arithmetic of arith: folds of constants and of neutral elements."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.core.folding import (
    POISON,
    defining_op,
    fold_elementwise,
    is_int,
    is_poison,
    scalar_of,
    signed,
    width_of,
    zero_of,
)
from lamina.dialects.core.simplification import Folded, fold

_Compute = Callable[[int, int, int], "int | None"]


def _divided(a: int, b: int) -> int:
    """The quotient towards zero."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _with_sign(compute: Callable[[int, int], int]) -> _Compute:
    def on_bits(a: int, b: int, width: int) -> int:
        return compute(signed(a, width), signed(b, width))

    return on_bits


def _division(compute: Callable[[int, int], int], *, is_signed: bool) -> _Compute:
    """A quotient has no value by zero, nor where it does not fit."""

    def on_bits(a: int, b: int, width: int) -> int | None:
        if b == 0:
            return None
        if not is_signed:
            return compute(a, b)
        x, y = signed(a, width), signed(b, width)
        if y == -1 and x == -(1 << (width - 1)):
            return None
        return compute(x, y)

    return on_bits


def _remainder(a: int, b: int, width: int) -> int | None:
    x, y = signed(a, width), signed(b, width)
    return None if y == 0 else x - y * _divided(x, y)


def _shift(compute: Callable[[int, int, int], int]) -> _Compute:
    """A shift by the width or more is poison, which one element of many cannot be: not folded."""

    def on_bits(a: int, b: int, width: int) -> int | None:
        return compute(a, b, width) if b < width else None

    return on_bits


_COMPUTE: dict[str, _Compute] = {
    "addi": lambda a, b, w: a + b,
    "subi": lambda a, b, w: a - b,
    "muli": lambda a, b, w: a * b,
    "andi": lambda a, b, w: a & b,
    "ori": lambda a, b, w: a | b,
    "xori": lambda a, b, w: a ^ b,
    "maxui": lambda a, b, w: max(a, b),
    "minui": lambda a, b, w: min(a, b),
    "maxsi": _with_sign(max),
    "minsi": _with_sign(min),
    "divui": _division(lambda a, b: a // b, is_signed=False),
    "divsi": _division(_divided, is_signed=True),
    "ceildivui": _division(lambda a, b: -(-a // b), is_signed=False),
    "ceildivsi": _division(lambda a, b: -(-a // b), is_signed=True),
    "floordivsi": _division(lambda a, b: a // b, is_signed=True),
    "remui": lambda a, b, w: None if b == 0 else a % b,
    "remsi": _remainder,
    "shli": _shift(lambda a, b, w: a << b),
    "shrui": _shift(lambda a, b, w: a >> b),
    "shrsi": _shift(lambda a, b, w: signed(a, w) >> b),
}
ZERO = "zero"
_RIGHT: dict[str, dict[int, str]] = {
    # op: {right operand: what the result is, the left operand or zero or the right operand}
    "addi": {0: "left"},
    "subi": {0: "left"},
    "muli": {0: "right", 1: "left"},
    "andi": {0: "right", -1: "left"},
    "ori": {0: "left", -1: "right"},
    "xori": {0: "left"},
    "divui": {1: "left"},
    "divsi": {1: "left"},
    "ceildivui": {1: "left"},
    "ceildivsi": {1: "left"},
    "floordivsi": {1: "left"},
    "remui": {1: ZERO},
    "remsi": {1: ZERO},
    "shli": {0: "left"},
    "shrui": {0: "left"},
    "shrsi": {0: "left"},
    "maxui": {0: "left", -1: "right"},
    "minui": {0: "right", -1: "left"},
}
_SAME: dict[str, str] = {
    **dict.fromkeys(("subi", "xori"), ZERO),
    **dict.fromkeys(("andi", "ori", "maxui", "minui", "maxsi", "minsi"), "left"),
}
"""The result where both operands are the same value."""


@fold(*(f"arith.{name}" for name in _COMPUTE))
def fold_integers(op: Operation) -> Folded:
    """Constants, neutral and absorbing elements, equal operands, poison."""
    name = op.name[6:]
    left, right = op.operands
    if is_poison(left) or is_poison(right):
        return POISON
    width = width_of(left.type)
    number = scalar_of(right)
    if number is not None:
        for value, result in _RIGHT.get(name, {}).items():
            if number == value & ((1 << width) - 1):
                return _chosen(result, left, right)
        if name in ("maxsi", "minsi"):
            chosen = _extreme(name, signed(int(number), width), width)
            if chosen:
                return _chosen(chosen, left, right)
    if left is right and name in _SAME:
        return _chosen(_SAME[name], left, right)
    if name.startswith("sh") and is_int(left, 0):
        return left
    compute = _COMPUTE[name]
    return fold_elementwise((left, right), op.results[0].type, lambda a, b: compute(a, b, width))


def _extreme(name: str, number: int, width: int) -> str | None:
    least, greatest = -(1 << (width - 1)), (1 << (width - 1)) - 1
    neutral, absorbing = (least, greatest) if name == "maxsi" else (greatest, least)
    return "left" if number == neutral else "right" if number == absorbing else None


def _chosen(result: str, left: SSAValue, right: SSAValue) -> SSAValue | Attribute | None:
    return left if result == "left" else right if result == "right" else zero_of(left.type)


@fold("arith.shli", "arith.shrui", "arith.shrsi")
def shift_too_far(op: Operation) -> Folded:
    """A shift of everything by the width or more is poison."""
    number = scalar_of(op.operands[1])
    return POISON if isinstance(number, int) and number >= width_of(op.operands[0].type) else None


@fold("arith.addi")
def add_to_difference(op: Operation) -> Folded:
    """(x - y) + y = x."""
    for total, other in (tuple(op.operands), tuple(op.operands)[::-1]):
        difference = defining_op(total, "arith.subi")
        if difference is not None and difference.operands[1] is other:
            return difference.operands[0]
    return None


@fold("arith.subi")
def subtract_from_sum(op: Operation) -> Folded:
    """(x + y) - y = x, (x + y) - x = y."""
    total = defining_op(op.operands[0], "arith.addi")
    if total is None:
        return None
    x, y = total.operands
    return x if y is op.operands[1] else y if x is op.operands[1] else None


@fold("arith.divsi", "arith.divui")
def divide_product(op: Operation) -> Folded:
    """(x * y) / y = x, where the product does not wrap around."""
    product = defining_op(op.operands[0], "arith.muli")
    flag = "nsw" if op.name == "arith.divsi" else "nuw"
    if product is None or flag not in str(product.get_attr_or_prop("overflowFlags")):
        return None
    x, y = product.operands
    return x if y is op.operands[1] else y if x is op.operands[1] else None


@fold("arith.andi", "arith.ori")
def absorb(op: Operation) -> Folded:
    """x & (x & y) = x & y; x & (x | y) = x; and the same with the ops exchanged."""
    other = "arith.ori" if op.name == "arith.andi" else "arith.andi"
    for single, nested in (tuple(op.operands), tuple(op.operands)[::-1]):
        same = defining_op(nested, op.name)
        if same is not None and single in same.operands:
            return nested
        dual = defining_op(nested, other)
        if dual is not None and single in dual.operands:
            return single
    return None


@fold("arith.andi", "arith.ori")
def with_complement(op: Operation) -> Folded:
    """x & ~x = 0, x | ~x = -1."""
    for single, nested in (tuple(op.operands), tuple(op.operands)[::-1]):
        inverse = defining_op(nested, "arith.xori")
        if inverse is not None and inverse.operands[0] is single and is_int(inverse.operands[1], -1):
            return zero_of(single.type) if op.name == "arith.andi" else inverse.operands[1]
    return None


@fold("arith.xori")
def exclusive_or_twice(op: Operation) -> Folded:
    """(x ^ y) ^ y = x, (x ^ y) ^ x = y."""
    for nested, other in (tuple(op.operands), tuple(op.operands)[::-1]):
        inner = defining_op(nested, "arith.xori")
        if inner is not None:
            x, y = inner.operands
            if other is y:
                return x
            if other is x:
                return y
    return None


@fold("arith.addui_extended")
def add_with_carry(op: Operation) -> Folded:
    """x + 0 carries nothing; constants give sum and carry."""
    left, right = op.operands
    total, carry = (result.type for result in op.results)
    width = width_of(left.type)
    if is_int(right, 0):
        zero = zero_of(carry)
        return None if zero is None else [left, zero]
    return _pair(
        fold_elementwise((left, right), total, lambda a, b: a + b),
        fold_elementwise((left, right), carry, lambda a, b: (a + b) >> width),
    )


@fold("arith.mului_extended", "arith.mulsi_extended")
def multiply_wide(op: Operation) -> Folded:
    """A product with 0 or 1, and of constants, as its lower and its upper half."""
    left, right = op.operands
    type, width = left.type, width_of(left.type)
    is_signed = op.name == "arith.mulsi_extended"
    if is_int(right, 0):
        return [right, right]
    if is_int(right, 1) and not is_signed:
        return _pair(left, zero_of(type))

    def product(a: int, b: int) -> int:
        return signed(a, width) * signed(b, width) if is_signed else a * b

    return _pair(
        fold_elementwise((left, right), type, product),
        fold_elementwise((left, right), type, lambda a, b: product(a, b) >> width),
    )


def _pair(first: SSAValue | Attribute | None, second: Attribute | None) -> Folded:
    return None if first is None or second is None else [first, second]
