"""Folds that follow from an op's traits alone."""

from __future__ import annotations

from xdsl.ir import Operation

from lamina.dialects.core.facts import Facts, facts_of
from lamina.dialects.core.simplification import Fold, Folded


def folds_by_traits(facts: Facts) -> tuple[Fold, ...]:
    """The folds that hold for every op of these traits."""
    rules = {"K": constants_to_the_right, "D": same_operands, "V": own_inverse}
    return tuple(rule for letter, rule in rules.items() if letter in facts.traits)


def constants_to_the_right(op: Operation) -> Folded:
    """The operands of a commutative op may change places: constants stand behind the others."""
    operands = op.operands
    if len(operands) < 2 or not _is_constant(operands[0]) or _is_constant(operands[1]):
        return None
    op.operands = [operands[1], operands[0], *operands[2:]]
    return True


def same_operands(op: Operation) -> Folded:
    """f(x, x) = x; and f(f(x)) = f(x) for an op of one operand."""
    operands = op.operands
    if len(operands) == 1:
        inner = operands[0].owner
        return operands[0] if isinstance(inner, Operation) and inner.name == op.name else None
    return operands[0] if all(value is operands[0] for value in operands) else None


def own_inverse(op: Operation) -> Folded:
    """f(f(x)) = x."""
    inner = op.operands[0].owner
    return inner.operands[0] if isinstance(inner, Operation) and inner.name == op.name else None


def _is_constant(value: object) -> bool:
    owner = getattr(value, "owner", None)
    return isinstance(owner, Operation) and facts_of(owner).is_constant
